import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
import sacrebleu
from helpers.command_line import succeed
from helpers.recipes import write_recipe, write_settings

from docmt.base.columns import CONTRASTIVE_SCORES, DOCUMENTS, REFERENCE_TOKENS, SCORES, SEGMENTS, TOKENS
from docmt.base.errors import UserError
from docmt.base.scores import Score, read_scores, table_of
from docmt.base.tables import read_parquet, write_arrow, write_parquet
from docmt.base.vocabulary import SPECIALS, Vocabulary
from docmt.scoring.alignment.training import ALIGNER_NAME
from docmt.scoring.bleu import FAMILIES
from docmt.scoring.chain_scores import StopFiles
from docmt.scoring.corpus_aligner import write_aligner
from docmt.scoring.measured import ScoringInputs
from docmt.scoring.score import Scoring, score
from docmt.scoring.tallies import read_tallies
from docmt.settings.metrics import STRING_UNITS, bleu_name
from docmt.steps import get_step
from docmt.text.signs import text_warnings

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
CONSISTENCY = {"source_stop_words": 1, "target_stop_words": 1}
SETTINGS = {
    "version": 1,
    "study": "demo",
    "corpus": "toy",
    "system": "sentence",
    "scale": "smoke",
    "seed": 1,
    "source_language": "zh",
    "target_language": "en",
    "consistency": CONSISTENCY,
    "aligner": {"kind": "default", "model": None},
    "coherence": None,
    "cohesion": None,
    "comet": None,
    "contrastive": None,
    "conventions": {},
    "requested": [],
    "resolved": {"decode": {"beam": 5}, "view": {"train": {"window": 1}, "test": {"window": 1}}},
}
JUDGED = SETTINGS | {"contrastive": {"score": "sum", "unit": "last"}}
INSTANCES = SETTINGS | {"resolved": {"view": {"train": {"max_tokens": 9}, "test": {"max_tokens": 9}}}}


def in_pieces(source: str) -> dict:
    """The word 猫 alone has two pieces."""
    return {"source_tokens": source, "source_pieces": source.replace("猫", "猫@@ 咪")}


class Job:
    """The folders that a scoring job reads, with one document of two sentences and one of one."""

    def __init__(self, root: Path) -> None:
        names = ("corpus", "tokens", "view", "translations")
        self.corpus, self.tokens, self.view, self.translations = (root / name for name in names)
        self.references(RAW)
        self.write_tokens(TOKENIZED)
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
            {"split": "train", "document": "t", "sentence": n, **in_pieces(source), "target_tokens": target}
            for n, (source, target) in enumerate(TRAINING)
        ]
        test = self.rows("target_tokens", lines)[1:]
        rows = training + [row | in_pieces(source) for row, source in zip(test, SOURCE, strict=False)]
        write_arrow(self.tokens / "tokens.arrow", pa.Table.from_pylist(rows, schema=TOKENS))

    def write_reference_tokens(self, references: list[list[str]]) -> None:
        rows = [row for row in self.rows("reference_tokens", references)[1:] if row["reference_tokens"]]
        write_arrow(self.tokens / "references.arrow", pa.Table.from_pylist(rows, schema=REFERENCE_TOKENS))

    def lines(self, name: str, lines: list[str]) -> None:
        (self.translations / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")

    def contrastive(self, scores: list[float]) -> None:
        place = {"set": "pronoun", "item": 0, "distance": 1}
        rows = [{**place, "variant": n, "correct": n == 0, "score": value} for n, value in enumerate(scores)]
        write_arrow(self.translations / "contrastive.arrow", pa.Table.from_pylist(rows, schema=CONTRASTIVE_SCORES))

    def write_view(self, segments: list[tuple[str, int, int]]) -> None:
        """`segments`: document, first sentence, number of sentences."""
        rows = [{"document": name, "first": first, "source_lengths": [1] * size} for name, first, size in segments]
        write_arrow(self.view / "test.arrow", pa.Table.from_pylist(rows, schema=SEGMENTS))

    def aligner(self, settings: dict = SETTINGS) -> Path:
        """Trained on what the chains of these settings are of."""
        folder = self.tokens.with_name("aligner")
        told = {"source": settings["consistency"].get("chains", "words")}
        chosen = write_settings(self.tokens.with_name("aligner.json"), told)
        write_aligner(chosen, self.tokens, folder)
        return folder

    def scored(self, settings: dict = SETTINGS, **files: Path | StopFiles) -> Scoring:
        inputs = ScoringInputs(
            self.corpus,
            self.tokens,
            self.view,
            self.translations,
            contrastive=self.translations,
            aligner=self.aligner(settings),
            **files,
        )
        return score(settings, inputs, text_warnings)

    def score(self, settings: dict = SETTINGS, **files: Path | StopFiles) -> dict[str, Score]:
        """The scores of the translations by name."""
        return named(self.scored(settings, **files).scores)


def named(scores: list[Score], text: str = "translations") -> dict[str, Score]:
    return {score.name: score for score in scores if score.text == text}


@pytest.fixture
def job(tmp_path) -> Job:
    return Job(tmp_path)


def test_signatures_say_precision_and_engine_where_they_are_not_as_usual(job):
    trained = SETTINGS["resolved"] | {"train": {"precision": "bf16"}, "decode": {"engine": "ctranslate2"}}
    usual, other = job.score(), job.score(SETTINGS | {"resolved": trained})
    for name in ("s-BLEU", "LTCR"):
        assert "precision:" not in usual[name].signature and "engine:" not in usual[name].signature
        assert other[name].signature == usual[name].signature + "|precision:bf16|engine:ctranslate2"


def test_a_perfect_translation_has_100_in_every_family_and_unit(job):
    scores = job.score()
    sizes = {"": {"s": 3, "d": 2}, "@document.a": {"s": 2, "d": 2}, "@document.b": {"s": 1, "d": 1}}
    for family in FAMILIES:
        for group, by_unit in sizes.items():
            for unit, n in by_unit.items():
                score = scores[bleu_name(family, unit) + group]
                assert (score.n, score.value) == (n, pytest.approx(100))


def test_packed_instances_are_scored_where_the_view_packs_sentences(job):
    job.write_view([("a", 0, 1), ("a", 1, 1), ("b", 0, 1)])
    assert job.score(INSTANCES)["i-BLEU"].signature.endswith("|unit:i|view:tokens9|instances:3")
    job.write_view([("a", 0, 2), ("b", 0, 1)])
    assert job.score(INSTANCES)["i-BLEU"].signature.endswith("|unit:i|view:tokens9|instances:2")
    assert "i-BLEU" not in job.score()


@pytest.mark.parametrize("segments", [[("a", 0, 2)], [("b", 0, 2), ("a", 0, 1)]], ids=["fewer", "other documents"])
def test_a_view_of_other_sentences_is_refused(job, segments):
    job.write_view(segments)
    with pytest.raises(UserError, match=r"test\.arrow: the segments belong to other sentences\n  found . sentences"):
        job.score(INSTANCES)


def test_what_each_unit_adds_gives_the_scores(job):
    """Sentences, documents, window positions, chains and contrastive items."""
    job.lines("test.txt", ["The cat sat on a mat.", *RAW[1:]])
    job.lines("test.tok.txt", [TOKENIZED[0], "it was a black kitty .", TOKENIZED[2]])
    job.contrastive([-1.0, -2.0])
    result = job.scored(JUDGED)
    tallies, scores = {tally.name: tally for tally in result.tallies}, named(result.scores)
    assert {"s-BLEU", "multi-bleu d-BLEU", "mteval s-BLEU@j1", "s-BLEU@last", "LTCR", "HHI"} <= tallies.keys()
    for name, tally in tallies.items():
        assert (scores[name].value, scores[name].signature) == (tally.score, tally.signature)
    assert tallies["LTCR"].names == ("a", "b")
    assert {"accuracy", "accuracy:pronoun", "accuracy@1", "accuracy:pronoun@1"} <= scores.keys()
    assert tallies["accuracy:pronoun@1"].score == scores["accuracy"].value == 100


def test_metrics_on_request_are_computed_where_the_settings_request_them(job):
    job.lines("test.txt", ["The cat sat on a mat.", *RAW[1:]])
    names = {f"{unit}-{name}" for name, units in STRING_UNITS.items() for unit in units}
    assert not names & job.score().keys()
    scores = job.score(SETTINGS | {"requested": ["d-chrF++", "s-TER"]})
    assert names & scores.keys() == {"d-chrF++", "s-TER"}
    assert scores["s-TER"].value == pytest.approx(100 / 16)
    assert scores["d-chrF++"].signature.endswith("|unit:d|documents:2")


def test_tokenised_translations_and_references_are_told(job):
    assert job.scored().facts["warnings"] == []
    job.lines("test.txt", TOKENIZED)
    job.references(RAW, [["A kitty ."], [], []])
    job.write_reference_tokens([["a kitty ."], [], []])
    told = [text.split(":")[0] for text in job.scored().facts["warnings"]]
    assert told == ["translations", "reference 2"]


LOWER = [line.lower() for line in RAW]
STATED = {"lines": "sentences", "tokenised": False, "normalised": False}
WARNED = {
    "lower case that is stated to be cased": (LOWER, STATED | {"case": "cased"}, {}, "have no capital letter"),
    "lower case that is stated": (LOWER, STATED | {"case": "lower"}, {}, None),
}


@pytest.mark.parametrize("what", WARNED)
def test_text_that_is_not_what_metrics_expect_is_told(job, what):
    lines, decoding, language, sign = WARNED[what]
    job.lines("test.txt", lines)
    (job.translations / "decoding.json").write_text(json.dumps({"lines": "sentences", **decoding}))
    told = job.scored(SETTINGS | language).facts["warnings"]
    assert [sign in text for text in told] == ([True] if sign else []), told


def test_every_reference_counts_raw_and_tokenised(job):
    other = ["The kitty sat.", "Black, that cat.", "The dog barks."]
    job.references(other, [[text] for text in RAW])
    job.write_tokens([text.lower() for text in other])
    job.write_reference_tokens([[text] for text in TOKENIZED])
    scores = job.score()
    for name in (bleu_name(family, unit) for family in FAMILIES for unit in "sd"):
        assert scores[name].value == pytest.approx(100) and "nrefs:2|" in scores[name].signature


@pytest.mark.parametrize("references", [[[], ["one"], []], [["one"], ["two", "three"], []]], ids=["fewer", "more"])
def test_tokens_of_other_references_are_refused(job, references):
    job.references(RAW, [["One."], ["Two."], []])
    job.write_reference_tokens(references)
    with pytest.raises(
        UserError, match=r"references\.arrow: the references differ from those of the corpus\n  found further "
    ):
        job.score()


def test_each_window_position_is_scored(job):
    scores = job.score()
    groups = [score.group for score in scores.values() if score.metric == "mteval s-BLEU" and "." not in score.group]
    assert groups == ["", "@j1", "@j2", "@last"]
    assert scores["s-BLEU@j2"].value == pytest.approx(100)
    assert scores["s-BLEU@j1"].value == sacrebleu.corpus_bleu([*RAW[:2], "A dog."], [RAW]).score


def test_last_sentences_of_whole_windows_are_scored_alone(job):
    """Of windows of two: the second sentence of the first document; the other document has one sentence."""
    lines = ["Something else.", "It was a black kitty.", "Nothing of this."]
    job.lines("test.txt", lines)
    job.lines("test.tok.txt", lines)
    result = job.scored()
    (tally,) = (tally for tally in result.tallies if tally.name == "s-BLEU@last")
    assert tally.names == ("1",)
    assert tally.score == sacrebleu.corpus_bleu([lines[1]], [[RAW[1]]]).score
    assert tally.signature.endswith("|unit:s|sentences:last of 2")


OCCURRENCES = (
    f"chains:words|nochain:top1|aligner:{ALIGNER_NAME}|links:forward+reverse|case:lc|strip:punctuation+top1"
    "|onlystop:kept"
)


def test_consistency_of_the_translations_of_chains(job):
    ltcr, hhi = (job.score()[name] for name in ("LTCR", "HHI"))
    assert (ltcr.value, hhi.value, ltcr.n, ltcr.facts["chains"]) == (100, 100, 1, 1)
    assert ltcr.interval is None, "a single document has a chain"
    rules = "unaligned:own|match:exact"
    assert ltcr.signature == f"LTCR|{OCCURRENCES}|{rules}|pairs:all|average:micro|v:2"
    assert hhi.signature == f"HHI|{OCCURRENCES}|{rules}|average:size|v:2"


def test_the_reference_is_scored_as_a_system_that_translates_like_it(job):
    job.lines("test.tok.txt", TOKENIZED)
    scores = job.scored().scores
    reference = named(scores, "reference")
    assert list(reference) == ["LTCR", "HHI"]
    assert {name: replace(score, text="translations") for name, score in reference.items()}.items() <= named(
        scores
    ).items()


@pytest.mark.parametrize("second", ["", "the the .", "!"], ids=["empty", "stop words", "punctuation"])
def test_an_occurrence_without_a_translation_counts_unless_the_rules_say_otherwise(job, second):
    job.lines("test.tok.txt", [TOKENIZED[0], second, TOKENIZED[2]])
    assert job.score()["LTCR"].value == 0
    skipping = CONSISTENCY | {"unaligned": "skip", "only_stop_words": "unaligned"}
    result = job.scored(SETTINGS | {"consistency": skipping})
    assert not {row.name for row in (*named(result.scores).values(), *result.tallies)} & {"LTCR", "HHI"}


def test_stop_lists_from_files(job, tmp_path):
    cat, kitty = tmp_path / "cat.txt", tmp_path / "kitty.txt"
    cat.write_text("猫\n。\n", encoding="utf-8")
    kitty.write_text("Kitty\n", encoding="utf-8")
    assert "LTCR" not in job.score(stop_files=StopFiles(source=cat))
    job.lines("test.tok.txt", ["the kitty cat sat on the mat .", *TOKENIZED[1:]])
    ltcr = job.score(stop_files=StopFiles(target=kitty))["LTCR"]
    assert (ltcr.value, "strip:punctuation+kitty.txt-" in ltcr.signature) == (100, True)


CONVENTIONS = {
    "all_words": {"target_stop_words": 0, "target_punctuation": True},
    "overlap": {"match": "overlap", "unaligned": "empty"},
    "first": {"pairs": "first", "average": "macro", "source_stop_words": 0},
}


@pytest.mark.some(1)
@pytest.mark.parametrize("name", CONVENTIONS)
def test_a_convention_gives_what_its_settings_give_by_themselves(job, name, tmp_path):
    """The stop list of a file counts by the other conventions alone."""
    job.lines("test.tok.txt", ["the kitty cat . sat on", *TOKENIZED[1:]])
    kitty = tmp_path / "kitty.txt"
    kitty.write_text("kitty\n", encoding="utf-8")
    files = StopFiles(target=kitty)
    beside = job.score(SETTINGS | {"conventions": CONVENTIONS}, stop_files=files)
    without_file = StopFiles() if name == "all_words" else files
    alone = job.score(SETTINGS | {"consistency": CONSISTENCY | CONVENTIONS[name]}, stop_files=without_file)
    plain = job.score(stop_files=files)
    for measure in ("LTCR", "HHI"):
        assert replace(beside[f"{measure}:{name}"], group="") == alone[measure]
        assert beside[measure] == plain[measure]
    signatures = [score.signature for score in beside.values() if score.metric in ("LTCR", "HHI")]
    assert len(set(signatures)) == len(signatures) == 2 * (1 + len(CONVENTIONS))


def test_coherence_where_settings_name_vectors(job, tmp_path):
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("3 2\ncat 1 0\nmat 0 1\ndog 1 1\n", encoding="utf-8")
    result = job.scored(SETTINGS | {"coherence": {"vectors": "trained", "case": "lower"}}, word_vectors=vectors)
    score = named(result.scores)["coherence"]
    assert (score.value, score.n) == (pytest.approx(0.5**0.5), 1)
    (tally,) = (candidate for candidate in result.tallies if candidate.name == "coherence")
    assert (tally.names, tally.score) == (("a", "b"), score.value)
    assert not {"coherence", "cohesion"} & job.score().keys()


@pytest.mark.parametrize("name", ["test.txt", "test.tok.txt", "test.j1.txt"])
def test_another_number_of_lines_is_refused_with_both_counts(job, name):
    job.lines(name, RAW[:2])
    with pytest.raises(
        UserError,
        match=rf"{name}: the file must have one line for each test sentence\n  found 2 lines; expected 3 lines",
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
    whole = [name for name, score in scores.items() if not score.group]
    assert whole == [*(bleu_name(family, "d") for family in FAMILIES), "sentences", "fallbacks"]
    assert all(scores[name] == by_sentence[name] for name in whole[:-2])
    documents.contrastive([-1.0, -2.0])
    assert documents.score(JUDGED)["accuracy:pronoun"].value == 100


@pytest.mark.parametrize("symbol", ["<unk>", "<sep>", "</s>"])
def test_a_special_symbol_in_a_reference_is_refused(job, symbol):
    job.references([RAW[0], f"It was <{symbol}>.", RAW[2]])
    with pytest.raises(UserError, match=f"document 'a', sentence 1: special symbol in a reference\n  found {symbol}"):
        job.score()


def test_tokens_of_another_corpus_are_refused(job):
    job.write_tokens(TOKENIZED[:2])
    with pytest.raises(
        UserError,
        match=r"tokens.arrow: the tokens belong to other sentences than the corpus has\n  found 2 test sentences",
    ):
        job.score()


def test_a_corpus_without_a_test_split_is_refused(job):
    job.references([])
    with pytest.raises(UserError, match=r"documents.parquet: no test sentences"):
        job.score()


def test_the_command_writes_scores(job, tmp_path):
    inputs = {name: getattr(job, name) for name in ("corpus", "tokens", "translations")}
    words = write_recipe(tmp_path / "scores", "scores", SETTINGS, {**inputs, "aligner": job.aligner()})
    succeed(*words)
    expected = job.scored(SETTINGS | {"version": get_step("scores").version})
    folder = Path(words[-1])
    written = read_parquet(folder / "scores.parquet", SCORES)
    assert written.equals(table_of(expected.scores, corpus="toy", system="sentence", seed=1))
    of_documents = read_scores(folder / "scores.parquet", of_documents=True)
    assert len(of_documents) == 2 * 2 * len(FAMILIES)
    assert len(of_documents) + len(read_scores(folder / "scores.parquet")) == len(written)
    assert json.loads((folder / "scoring.json").read_text()) == json.loads(json.dumps(expected.facts))
    details = read_tallies(folder / "details.arrow")
    assert [(t.name, t.signature, t.names, t.counts.tolist()) for t in details] == [
        (t.name, t.signature, t.names, t.counts.tolist()) for t in expected.tallies
    ]


def test_chains_come_with_their_places_in_the_translation_and_the_reference(job, tmp_path):
    job.lines("test.tok.txt", [TOKENIZED[0], "it was a black kitty .", TOKENIZED[2]])
    table = job.scored().occurrences
    (row,) = [row for row in table.to_pylist() if (row["lines"], row["words"]) == ([0, 1], [0, 2])]
    assert (row["document"], row["translations"], row["places"]) == ("a", ["cat", "kitty"], [[1], [4]])
    assert (row["reference_translations"], row["reference_agreeing"], row["pairs"]) == (["cat", "cat"], 1, 1)
