"""chrF, chrF++ and TER against sacreBLEU's own scores of the same lines."""

import random

import pytest
from sacrebleu.metrics import CHRF, TER

from docmt.scoring.comparisons import compare
from docmt.scoring.inputs import References, Translations
from docmt.scoring.pairings import join
from docmt.scoring.significance import TESTS
from docmt.scoring.string_scores import string_tallies
from docmt.scoring.strings import STRING_METRICS, chrf_of_counts, string_counts, ter_of_counts
from docmt.scoring.tallies import Tally
from docmt.settings.metrics import STRING_UNITS

WORDS = ["the", "The", "a", "cat", "dog,", "It's", "3.5%", "night.", "(well)", "东京", "x"]
THEIRS = {"chrF": CHRF, "chrF++": lambda: CHRF(word_order=2), "TER": TER}
PAIRS = [(name, unit) for name, units in STRING_UNITS.items() for unit in units]


def lines(count: int, seed: int) -> list[str]:
    """Return random lines; some are empty."""
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(0, 9))) for _ in range(count)]


def tallies(hypotheses, streams, documents, wanted=PAIRS, language="en", unit="sentences") -> dict[str, Tally]:
    translations = Translations(tuple(hypotheses), tuple(hypotheses))
    references = References(tuple(documents), tuple(map(tuple, streams)), tuple(map(tuple, streams)))
    scored = string_tallies(translations, references, language, wanted, unit)
    return {tally.name: tally for tally in scored}


@pytest.mark.parametrize("count", [1, 3])
def test_every_metric_and_unit_is_the_score_of_sacrebleu(count):
    hypotheses, *streams = (lines(48, seed) for seed in range(count + 1))
    documents = [f"document {number // 4}" for number in range(48)]
    scored = tallies(hypotheses, streams, documents)
    assert list(scored) == ["s-chrF", "d-chrF", "s-chrF++", "d-chrF++", "s-TER"]
    for name, unit in PAIRS:
        ours, theirs = scored[f"{unit}-{name}"], THEIRS[name]()
        groups = documents if unit == "d" else range(48)
        joined, *references = (join(stream, groups) for stream in (hypotheses, *streams))
        expected = theirs.corpus_score(joined, references).score
        assert ours.score == pytest.approx(expected, abs=1e-9)
        assert ours.signature.startswith(f"{theirs.get_signature()}|unit:{unit}")


def test_lines_may_have_different_numbers_of_references():
    hypotheses, first, second = (lines(12, seed) for seed in range(3))
    second[::2] = [None] * 6
    scored = tallies(hypotheses, (first, second), ["a"] * 12)
    for name, theirs in THEIRS.items():
        assert scored[f"s-{name}"].score == pytest.approx(theirs().corpus_score(hypotheses, [first, second]).score)
        assert "nrefs:var|" in scored[f"s-{name}"].signature
        if "d" in STRING_UNITS[name]:
            assert "nrefs:1|" in scored[f"d-{name}"].signature


@pytest.mark.parametrize("name", STRING_METRICS)
def test_the_score_of_drawn_lines_is_that_of_their_sum(name):
    """The bootstrap relies on this, and the sign test too."""
    hypotheses, reference = lines(30, 1), lines(30, 2)
    metric = STRING_METRICS[name].of_language("en")
    counts = string_counts(metric, hypotheses, [reference])
    function = {"chrf": chrf_of_counts, "ter": ter_of_counts}[STRING_METRICS[name].kind]
    for seed in range(4):
        drawn = random.Random(seed).choices(range(30), k=seed * 10)  # no line at all, too
        expected = metric._aggregate_and_compute([[0] * counts.shape[1], *counts[drawn].tolist()]).score
        assert function(counts[drawn].sum(axis=0, keepdims=True))[0] == pytest.approx(expected)


def test_the_characters_of_chinese_and_japanese_are_words_of_ter():
    texts = ["他昨天在北京见了老师"], (["他昨天在上海见了老师"],), ["a"]
    by_characters, by_spaces = (tallies(*texts, language=language)["s-TER"] for language in ("zh", "en"))
    assert (by_characters.score, by_spaces.score) == (20, 100)
    assert "asian:yes" in by_characters.signature and "asian:no" in by_spaces.signature


@pytest.mark.parametrize("test", TESTS)
def test_a_lower_ter_is_the_better_one(test):
    reference = ["the cat sat there", "a dog"] * 16
    ours, theirs = (
        tallies(hypotheses, (reference,), ["a"] * 32, [("TER", "s")])["s-TER"]
        for hypotheses in (reference, ["the cat", "dog"] * 16)
    )
    better = compare([ours], [theirs], test, lower_is_better=True)
    worse = compare([theirs], [ours], test, lower_is_better=True)
    assert better.difference < 0 < worse.difference
    assert better.better == worse.worse > 0 == better.worse == worse.better
    assert better.p == worse.p == compare([ours], [theirs], test).p < 0.05
