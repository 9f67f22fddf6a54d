import json
from pathlib import Path

import pyarrow as pa
import pytest
import sacrebleu
from typer import Typer
from typer.testing import CliRunner

from docmt.cli.score import score as score_command
from docmt.core.documents import CONTRASTIVE_SCORES, DOCUMENTS, TOKENS, write_arrow, write_parquet
from docmt.core.errors import UserError
from docmt.core.vocabulary import SPECIALS, Vocabulary
from docmt.scoring.score import score

RAW = ["The cat sat on the mat.", "It was a black cat.", "A dog\u2028barked at it."]
TOKENIZED = ["the cat sat on the mat .", "it was a black cat .", "a dog barked at it ."]
SETTINGS = {
    "version": 1,
    "study": "demo",
    "corpus": "toy",
    "system": "sentence",
    "scale": "smoke",
    "seed": 1,
    "source_language": "zh",
    "target_language": "en",
    "decode": {"beam": 5},
    "view": {},
}


class Job:
    """The folders that a scoring job reads, with one document of two sentences and one of one."""

    def __init__(self, root: Path) -> None:
        self.corpus, self.tokens, self.translations = (root / name for name in ("corpus", "tokens", "translations"))
        self.references(RAW)
        self.write_tokens(TOKENIZED)
        Vocabulary(SPECIALS).save(self.tokens / "text" / "vocabulary.target.txt")
        self.translations.mkdir()
        for name, lines in (("test", RAW), ("test.j1", [*RAW[:2], "A dog."]), ("test.j2", RAW)):
            self.lines(f"{name}.txt", lines)
            self.lines(f"{name}.tok.txt", TOKENIZED)
        (self.translations / "decoding.json").write_text('{"sentences": 3, "fallback_sentences": 1}')

    def rows(self, column: str, values: list[str]) -> list[dict]:
        places = [("train", "t", 0), ("test", "a", 0), ("test", "a", 1), ("test", "b", 0)]
        texts = ["not scored", *values]
        return [
            {"split": split, "document": document, "sentence": sentence, column: text}
            for (split, document, sentence), text in zip(places, texts, strict=False)
        ]

    def references(self, lines: list[str]) -> None:
        rows = self.rows("target", lines)
        write_parquet(self.corpus / "documents.parquet", pa.Table.from_pylist(rows, schema=DOCUMENTS))

    def write_tokens(self, lines: list[str]) -> None:
        rows = self.rows("target_tokens", lines)
        write_arrow(self.tokens / "tokens.arrow", pa.Table.from_pylist(rows, schema=TOKENS))

    def lines(self, name: str, lines: list[str]) -> None:
        (self.translations / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")

    def contrastive(self, scores: list[float]) -> None:
        place = {"set": "pronoun", "item": 0, "distance": 1}
        rows = [{**place, "variant": n, "correct": n == 0, "score": value} for n, value in enumerate(scores)]
        write_arrow(self.translations / "contrastive.arrow", pa.Table.from_pylist(rows, schema=CONTRASTIVE_SCORES))

    def score(self) -> dict:
        return score(SETTINGS, self.corpus, self.tokens, self.translations)


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
    assert scores["decoding"] == {"sentences": 3, "fallback_sentences": 1}


def test_a_perfect_translation_has_100_in_every_family_and_unit(job):
    scores = job.score()
    assert {(f, u): round(n["score"], 6) for f, units in scores["bleu"].items() for u, n in units.items()} == {
        (family, unit): 100 for family in ("13a", "13a_lower", "tokenized_lower") for unit in "sd"
    }


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


@pytest.mark.parametrize("name", ["test.txt", "test.tok.txt", "test.j1.txt"])
def test_another_number_of_lines_is_refused_with_both_counts(job, name):
    job.lines(name, RAW[:2])
    with pytest.raises(
        UserError, match=rf"{name}: not one line for each test sentence\n  found 2 lines; expected 3 lines"
    ):
        job.score()


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
    paths = {"settings": settings, "corpus": job.corpus, "tokens": job.tokens, "translations": job.translations}
    arguments = [part for name, path in {**paths, "output": output}.items() for part in (f"--{name}", str(path))]
    assert CliRunner().invoke(app, arguments, catch_exceptions=False).exit_code == 0
    assert json.loads(output.read_text()) == json.loads(json.dumps(job.score()))
