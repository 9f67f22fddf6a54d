import json
from pathlib import Path

import pyarrow as pa
import pytest
import sacrebleu
from typer import Typer
from typer.testing import CliRunner

from docmt.cli.score import score as score_command
from docmt.core.documents import (
    CHAINS_WORDS,
    CONTRASTIVE_SCORES,
    DOCUMENTS,
    REFERENCE_TOKENS,
    TOKENS,
    write_arrow,
    write_parquet,
)
from docmt.core.errors import UserError
from docmt.core.vocabulary import SPECIALS, Vocabulary
from docmt.scoring.score import score

RAW = ["The cat sat on the mat.", "It was a black cat.", "A dog\u2028barked at it."]
TOKENIZED = ["the cat sat on the mat .", "it was a black cat .", "a dog barked at it ."]
SOURCE = ["猫 坐 在 垫 上 。", "是 黑 猫 。", "狗 叫 它 。"]
LEXICON = {
    "cat": "猫",
    "kitty": "猫",
    "dog": "狗",
    "black": "黑",
    "was": "是",
    "sat": "坐",
    "mat": "垫",
    "barked": "叫",
}
TRAINING = [*((source, target) for target, source in LEXICON.items()), *[("。", "the .")] * 3]
CHAIN = {"split": "test", "document": "a", "word": "猫", "sentences": [0, 1], "words": [0, 2]}
SETTINGS = {
    "version": 1,
    "study": "demo",
    "corpus": "toy",
    "system": "sentence",
    "scale": "smoke",
    "seed": 1,
    "source_language": "zh",
    "target_language": "en",
    "stop_words": 2,
    "target_stop_words": 1,
    "decode": {"beam": 5},
    "view": {},
}


class Job:
    """The folders that a scoring job reads, with one document of two sentences and one of one."""

    def __init__(self, root: Path) -> None:
        names = ("corpus", "tokens", "chains", "translations")
        self.corpus, self.tokens, self.chains, self.translations = (root / name for name in names)
        self.references(RAW)
        self.write_tokens(TOKENIZED)
        self.write_chains([CHAIN])
        Vocabulary(SPECIALS).save(self.tokens / "text" / "vocabulary.target.txt")
        self.translations.mkdir()
        for name, lines in (("test", RAW), ("test.j1", [*RAW[:2], "A dog."]), ("test.j2", RAW)):
            self.lines(f"{name}.txt", lines)
            self.lines(f"{name}.tok.txt", TOKENIZED)
        (self.translations / "decoding.json").write_text(
            '{"lines": "sentences", "sentences": 3, "fallback_sentences": 1}'
        )

    def rows(self, column: str, values: list[str]) -> list[dict]:
        places = [("train", "t", 0), ("test", "a", 0), ("test", "a", 1), ("test", "b", 0)]
        texts = ["not scored", *values]
        return [
            {"split": split, "document": document, "sentence": sentence, column: text}
            for (split, document, sentence), text in zip(places, texts, strict=False)
        ]

    def references(self, lines: list[str], further: list[list[str]] | None = None) -> None:
        rows = [
            {**row, "references": references}
            for row, references in zip(self.rows("target", lines), [[], *(further or [[] for _ in lines])], strict=True)
        ]
        write_parquet(self.corpus / "documents.parquet", pa.Table.from_pylist(rows, schema=DOCUMENTS))

    def write_tokens(self, lines: list[str]) -> None:
        training = [
            {"split": "train", "document": "t", "sentence": n, "source_tokens": source, "target_tokens": target}
            for n, (source, target) in enumerate(TRAINING)
        ]
        test = self.rows("target_tokens", lines)[1:]
        sources = [{"source_tokens": source} for source in SOURCE]
        rows = training + [row | source for row, source in zip(test, sources, strict=False)]
        write_arrow(self.tokens / "tokens.arrow", pa.Table.from_pylist(rows, schema=TOKENS))

    def write_reference_tokens(self, found: list[list[str]]) -> None:
        rows = [row for row in self.rows("reference_tokens", found)[1:] if row["reference_tokens"]]
        write_arrow(self.tokens / "references.arrow", pa.Table.from_pylist(rows, schema=REFERENCE_TOKENS))

    def write_chains(self, rows: list[dict]) -> None:
        write_arrow(self.chains / "chains.arrow", pa.Table.from_pylist(rows, schema=CHAINS_WORDS))

    def lines(self, name: str, lines: list[str]) -> None:
        (self.translations / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")

    def contrastive(self, scores: list[float]) -> None:
        place = {"set": "pronoun", "item": 0, "distance": 1}
        rows = [{**place, "variant": n, "correct": n == 0, "score": value} for n, value in enumerate(scores)]
        write_arrow(self.translations / "contrastive.arrow", pa.Table.from_pylist(rows, schema=CONTRASTIVE_SCORES))

    def score(self) -> dict:
        return score(SETTINGS, self.corpus, self.tokens, self.chains, self.translations)


@pytest.fixture
def job(tmp_path) -> Job:
    return Job(tmp_path)


def test_scores_say_what_was_scored(job):
    scores = job.score()
    assert {name: scores[name] for name in ("system", "corpus", "seed", "scale")} == {
        "system": "sentence",
        "corpus": "toy",
        "seed": 1,
        "scale": "smoke",
    }
    assert scores["settings"] == SETTINGS
    assert scores["decoding"] == {"lines": "sentences", "sentences": 3, "fallback_sentences": 1}


def test_a_perfect_translation_has_100_in_every_family_and_unit(job):
    scores = job.score()
    assert {(f, u): round(n["score"], 6) for f, units in scores["bleu"].items() for u, n in units.items()} == {
        (family, unit): 100 for family in ("13a", "13a_lower", "tokenized_lower") for unit in "sd"
    }


def test_every_reference_counts_raw_and_tokenised(job):
    other = ["The kitty sat.", "Black, that cat.", "The dog barks."]
    job.references(other, [[text] for text in RAW])
    job.write_tokens([text.lower() for text in other])
    job.write_reference_tokens([[text] for text in TOKENIZED])
    scores = job.score()["bleu"]
    assert [round(scores[family][unit]["score"], 6) for family in scores for unit in ("s", "d")] == [100] * 6
    assert all("nrefs:2|" in scores[family][unit]["signature"] for family in scores for unit in ("s", "d"))


@pytest.mark.parametrize("found", [[[], ["one"], []], [["one"], ["two", "three"], []]], ids=["fewer", "more"])
def test_tokens_of_other_references_are_refused(job, found):
    job.references(RAW, [["One."], ["Two."], []])
    job.write_reference_tokens(found)
    with pytest.raises(UserError, match=r"references\.arrow: not the references of the corpus\n  found further "):
        job.score()


def test_each_window_position_is_scored(job):
    positions = job.score()["positions"]
    assert list(positions) == ["j1", "j2"]
    assert positions["j2"]["13a"]["s"]["score"] == pytest.approx(100)
    expected = sacrebleu.corpus_bleu([*RAW[:2], "A dog."], [RAW]).score
    assert positions["j1"]["13a"]["s"]["score"] == expected


def test_a_tenth_position_comes_after_the_second(job):
    job.lines("test.j10.txt", RAW)
    job.lines("test.j10.tok.txt", TOKENIZED)
    assert list(job.score()["positions"]) == ["j1", "j2", "j10"]


def test_contrastive_scores_where_the_corpus_has_them(job):
    assert job.score()["contrastive"] == {}
    job.contrastive([-1.0, -2.0])
    scores = job.score()
    assert scores["contrastive"]["pronoun"]["accuracy"] == 1.0
    assert scores["contrastive_signature"] == "contrastive|score:sum|unit:last|ties:wrong|v:1"


HOW = "chains:source-words-nostop2|aligner:ibm1-diagonal|case:lc|strip:stop1+punctuation|unaligned:reverse,skip"


def test_consistency_of_the_translations_of_chains(job):
    consistency = job.score()["consistency"]
    assert (consistency["LTCR"]["score"], consistency["HHI"]["score"]) == (100, 100)
    assert (consistency["LTCR"]["chains"], consistency["LTCR"]["pairs"]) == (1, 1)
    assert (consistency["LTCR"]["interval"]["low"], consistency["LTCR"]["interval"]["high"]) == (100, 100)
    assert consistency["LTCR"]["signature"] == f"LTCR|{HOW}|match:exact|average:micro|v:1"
    assert consistency["HHI"]["signature"] == f"HHI|{HOW}|match:exact|average:size|v:1"


def test_a_word_translated_in_two_ways_is_not_consistent(job):
    job.lines("test.tok.txt", [TOKENIZED[0], "it was a black kitty .", TOKENIZED[2]])
    consistency = job.score()["consistency"]
    assert (consistency["LTCR"]["score"], consistency["HHI"]["score"]) == (0, 50)


def test_case_does_not_count_in_consistency(job):
    job.lines("test.tok.txt", [TOKENIZED[0].title(), *TOKENIZED[1:]])
    assert job.score()["consistency"]["LTCR"]["score"] == 100


@pytest.mark.parametrize("second", ["", "the the .", "!"], ids=["empty", "stop words", "punctuation"])
def test_an_occurrence_without_a_translation_is_skipped(job, second):
    job.lines("test.tok.txt", [TOKENIZED[0], second, TOKENIZED[2]])
    assert job.score()["consistency"] == {}


def test_chains_of_training_documents_are_not_scored(job):
    job.write_chains([CHAIN | {"split": "train"}])
    assert job.score()["consistency"] == {}


@pytest.mark.parametrize(
    "damage",
    [{"word": "狗"}, {"document": "c"}, {"words": [0, 9]}, {"sentences": [0, 2]}],
    ids=["word", "document", "place", "sentence"],
)
def test_chains_of_other_tokens_are_refused(job, damage):
    job.write_chains([CHAIN | damage])
    with pytest.raises(UserError, match=r"chains\.arrow: document '.': not the chains of these tokens\n  found '"):
        job.score()


@pytest.mark.parametrize("name", ["test.txt", "test.tok.txt", "test.j1.txt"])
def test_another_number_of_lines_is_refused_with_both_counts(job, name):
    job.lines(name, RAW[:2])
    with pytest.raises(
        UserError, match=rf"{name}: not one line for each test sentence\n  found 2 lines; expected 3 lines"
    ):
        job.score()


@pytest.fixture
def documents(job) -> Job:
    """Translations of a model that does not mark sentences: a line a document."""
    for name in ("test.j1.txt", "test.j1.tok.txt", "test.j2.txt", "test.j2.tok.txt"):
        (job.translations / name).unlink()
    for name, lines in (("test.txt", RAW), ("test.tok.txt", TOKENIZED)):
        job.lines(name, [" ".join(lines[:2]), lines[2]])
    (job.translations / "decoding.json").write_text('{"lines": "documents", "sentences": 3, "fallback_sentences": 0}')
    return job


def test_where_lines_are_documents_only_they_are_scored(documents):
    by_sentence = Job(documents.corpus.parent / "other").score()
    scores = documents.score()
    assert {family: list(units) for family, units in scores["bleu"].items()} == {
        family: ["d"] for family in ("13a", "13a_lower", "tokenized_lower")
    }
    assert all(scores["bleu"][family]["d"] == by_sentence["bleu"][family]["d"] for family in scores["bleu"])
    assert scores["positions"] == scores["consistency"] == {}
    documents.contrastive([-1.0, -2.0])
    assert documents.score()["contrastive"]["pronoun"]["accuracy"] == 1.0


def test_another_number_of_documents_is_refused(documents):
    documents.lines("test.txt", RAW)
    with pytest.raises(UserError, match=r"test.txt: not one line for each test document\n  found 3 lines; expected 2 "):
        documents.score()


def test_an_empty_file_has_no_lines(job):
    job.lines("test.txt", [])
    with pytest.raises(UserError, match="found 0 lines"):
        job.score()


def test_an_empty_translation_is_a_line(job):
    job.lines("test.txt", ["", "", ""])
    assert job.score()["bleu"]["13a"]["s"]["score"] == 0


@pytest.mark.parametrize("symbol", ["<unk>", "<sep>", "</s>"])
def test_a_special_symbol_in_a_reference_is_refused(job, symbol):
    job.references([RAW[0], f"It was <{symbol}>.", RAW[2]])
    with pytest.raises(UserError, match=f"document 'a', sentence 1: special symbol in a reference\n  found {symbol}"):
        job.score()


def test_tokens_of_another_corpus_are_refused(job):
    job.write_tokens(TOKENIZED[:2])
    with pytest.raises(UserError, match=r"tokens.arrow: not the sentences of the corpus\n  found 2 test sentences"):
        job.score()


def test_a_corpus_without_a_test_split_is_refused(job):
    job.references([])
    with pytest.raises(UserError, match=r"documents.parquet: no test sentences"):
        job.score()


def test_a_missing_translation_is_named(job):
    (job.translations / "test.txt").unlink()
    with pytest.raises(UserError, match=r"test.txt: file not found"):
        job.score()


def test_bytes_that_are_no_utf8_are_refused(job):
    (job.translations / "test.txt").write_bytes(b"\xff\n")
    with pytest.raises(UserError, match=r"test.txt: not valid UTF-8"):
        job.score()


def test_the_command_writes_scores(job, tmp_path):
    app = Typer()
    app.command()(score_command)
    settings, output = tmp_path / "settings.json", tmp_path / "scores" / "scores.json"
    settings.write_text(json.dumps(SETTINGS))
    folders = {name: getattr(job, name) for name in ("corpus", "tokens", "chains", "translations")}
    paths = {"settings": settings, **folders}
    arguments = [part for name, path in {**paths, "output": output}.items() for part in (f"--{name}", str(path))]
    assert CliRunner().invoke(app, arguments, catch_exceptions=False).exit_code == 0
    assert json.loads(output.read_text()) == json.loads(json.dumps(job.score()))
