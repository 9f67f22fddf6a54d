"""CXMI: means of gains over sentences, by distance and in all, with what training has seen."""

import math
from itertools import groupby

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.base.columns import CONTEXT_SCORES
from docmt.base.errors import UserError
from docmt.base.tables import write_arrow
from docmt.scoring.context import cxmi_signature, cxmi_tallies, read_cxmi
from docmt.scoring.intervals import score_of
from docmt.scoring.tallies import select
from docmt.settings.data import CutConfig
from docmt.settings.metrics import parse_metric

NATS = st.floats(-50, 0).map(lambda value: round(value, 3))
DOCUMENTS = st.lists(st.lists(st.lists(NATS, min_size=4, max_size=4), min_size=1, max_size=6), min_size=1, max_size=4)
"""Four scores for each sentence of each document; a sentence has as many of them as its document allows."""


def table(documents: list, most: int) -> pa.Table:
    rows = [
        {"document": f"d{number}", "sentence": sentence, "context": context, "score": scores[context], "outputs": 5}
        for number, sentences in enumerate(documents)
        for sentence, scores in enumerate(sentences)
        for context in range(min(sentence, most) + 1)
    ]
    return pa.Table.from_pylist(rows, CONTEXT_SCORES)


INFINITE = {"document": "d0", "sentence": 0, "context": 0, "score": -math.inf, "outputs": 5}


def oracle(scores: pa.Table) -> dict[str, list[float]]:
    """The gains of each group, sentence by sentence."""
    found: dict[str, list[float]] = {}
    for _, rows in groupby(scores.to_pylist(), lambda row: (row["document"], row["sentence"])):
        values = [row["score"] for row in rows]
        found.setdefault("", []).append(values[-1] - values[0])
        for distance in range(1, len(values)):
            found.setdefault(f"@{distance}", []).append(values[distance] - values[distance - 1])
    return found


@given(documents=DOCUMENTS, most=st.integers(0, 3))
def test_scores_are_the_means_of_a_loop_over_sentences(documents, most):
    scores = table(documents, most)
    tallies, expected = cxmi_tallies(scores, "CXMI", "here"), oracle(scores)
    assert [tally.group for tally in tallies] == list(expected)
    for tally, gains in zip(tallies, expected.values(), strict=True):
        assert tally.score == pytest.approx(math.fsum(gains) / len(gains), abs=1e-9)
        assert (tally.n, tally.facts["outputs"]) == (len(gains), 5 * len(gains))
        assert tally.facts["nats_per_output"] == pytest.approx(math.fsum(gains) / (5 * len(gains)), abs=1e-9)


@given(documents=DOCUMENTS)
def test_without_context_there_is_no_gain(documents):
    (tally,) = cxmi_tallies(table(documents, 0), "CXMI", "here")
    assert tally.score == 0 and not tally.counts[:, 0].any()


@given(sentences=st.lists(st.lists(NATS, min_size=4, max_size=4), min_size=4, max_size=9))
def test_what_each_distance_adds_is_the_whole_where_every_sentence_has_all(sentences):
    """The first sentences, which have fewer before them, are left out of the table."""
    rows = [
        {"document": "d", "sentence": 3 + number, "context": context, "score": scores[context], "outputs": 5}
        for number, scores in enumerate(sentences)
        for context in range(4)
    ]
    whole, *parts = cxmi_tallies(pa.Table.from_pylist(rows, CONTEXT_SCORES), "CXMI", "here")
    assert sum(part.score for part in parts) == pytest.approx(whole.score, abs=1e-9)


def test_a_constant_gain_has_an_interval_of_no_width():
    """Documents are drawn; each of their sentences but the first gains 2 nats."""
    documents = [[[-9.0, -7.0, 0, 0]] * 3] * 4
    whole, first = cxmi_tallies(table(documents, 1), "CXMI", "here")
    score = score_of(first)
    assert (score.low, score.value, score.high) == (2, 2, 2)
    assert score.interval.startswith("bootstrap|unit:documents|units:4|")
    assert score_of(whole).value == pytest.approx(4 / 3)


def test_tables_find_a_distance_by_its_name():
    tallies = cxmi_tallies(table([[[-9.0, -7.0, -6.5, 0]] * 3], 2), "CXMI", "here")
    assert [select(tallies, parse_metric(name)).score for name in ("CXMI@1", "CXMI@2")] == pytest.approx([2, 0.5])
    assert select(tallies, parse_metric("CXMI@3")) is None
    with pytest.raises(UserError, match="unknown detail of a metric"):
        parse_metric("CXMI@0")


def test_the_signature_says_whether_training_saw_sentences_without_context():
    openings, no = CutConfig(window=3, openings=True), "no"
    assert cxmi_signature(2, openings) == "CXMI|unit:sentences|context:2|seen:openings|v:1"
    for cut, seen in (
        (CutConfig(window=3), no),
        (CutConfig(window=3, partial_copy=0.5), no),
        (CutConfig(max_tokens=512), "instances"),
        (CutConfig(max_sentences=20), "instances"),
    ):
        assert f"|seen:{seen}|" in cxmi_signature(2, cut)


@pytest.mark.parametrize(
    "damage",
    [lambda rows: rows[:0], lambda rows: rows[3:], lambda rows: rows[:3] + rows[4:], lambda rows: [INFINITE, *rows]],
    ids=["none", "without 0", "without 1", "infinite"],
)
def test_scores_that_are_none_are_refused(tmp_path, damage):
    rows = table([[[-9.0, -7.0, -6.5, 0]] * 3], 2).to_pylist()
    write_arrow(tmp_path / "context.arrow", pa.Table.from_pylist(damage(rows[1:]), CONTEXT_SCORES))
    with pytest.raises(UserError) as refused:
        read_cxmi(tmp_path / "context.arrow", 2, CutConfig(documents=True))
    assert "context.arrow: not the scores of sentences by their context\n  expected finite" in str(refused.value)
