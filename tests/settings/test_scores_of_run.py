"""All scores of a run: each number that a metric finds is there once, with its interval and its units."""

import pytest

from docmt.settings.metrics import METRICS, parse_metric
from docmt.settings.scores_of_run import metric_names, scores_of_run

DISTANCES = {"1": {"items": 3, "right": 1}, "12": {"items": 1, "right": 1}}
SCORES = {
    "bleu": {"13a": {unit: {"score": 10.0, "signature": unit} for unit in "sdi"}},
    "by_document": [{}, {}, {}],
    "TER": {"s": {"score": 61.0, "signature": "TER"}},
    "positions": {"j2": {"13a": {"s": {"score": 7.0, "signature": "position"}}}, "j10": {}},
    "consistency": {
        "LTCR": {"score": 60.0, "pairs": 9, "signature": "l", "interval": {"low": 5.0, "high": 65.0, "signature": "i"}},
        "LTCR:loose": {"score": 80.0, "pairs": 9, "signature": "l", "interval": None},
        "HHI": {"score": 70.0, "chains": 4, "signature": "h"},
    },
    "coherence": {},
    "cohesion": {"score": 0.5, "pairs": 8, "signature": "c"},
    "contrastive": {
        "word/noun": {"items": 4, "right": 2, "by_distance": DISTANCES},
        "word/verb": {"items": 5, "right": 5, "by_distance": {}},
        "other": {"items": 1, "right": 0, "by_distance": {}},
    },
    "contrastive_signature": "contrastive",
    "decoding": {"sentences": 50, "segments": 6, "positions": {"j2": {"exact": 40}}},
}
RECORD = {"parameters": 2_000_000}


@pytest.fixture
def rows():
    return {score.metric: score for score in scores_of_run(SCORES, RECORD)}


def test_every_score_is_there_once_with_the_number_of_its_metric(rows):
    assert len(rows) == len(list(scores_of_run(SCORES, RECORD)))
    for name, score in rows.items():
        content = RECORD if parse_metric(name).metric.source == "record" else SCORES
        measured = parse_metric(name).find(content)
        assert (score.value, score.signature) == (measured.value, measured.signature)
    assert {"s-BLEU", "s-BLEU@j2", "accuracy:word", "accuracy:word@12", "LTCR:loose", "parameters"} <= set(rows)
    assert not {"coherence", "LTCR@low", "accuracy:other@1", "s-BLEU@j10"} & set(rows)


@pytest.mark.parametrize(
    ("name", "n"),
    [
        ("s-BLEU", 50),
        ("s-BLEU@j2", 40),
        ("d-BLEU", 3),
        ("i-BLEU", 6),
        ("s-TER", 50),
        ("LTCR", 9),
        ("HHI", 4),
        ("cohesion", 8),
        ("accuracy", 10),
        ("accuracy:word", 9),
        ("accuracy:word@1", 3),
        ("accuracy@12", 1),
        ("sentences@j2", 40),
        ("parameters", None),
    ],
)
def test_the_units_of_a_score(rows, name, n):
    assert rows[name].n == n


def test_an_interval_stands_beside_its_score_and_is_none_without_one(rows):
    assert (rows["LTCR"].low, rows["LTCR"].high) == (5.0, 65.0)
    assert {(row.low, row.high) for name, row in rows.items() if name != "LTCR"} == {(None, None)}


def test_directions_are_those_of_the_metrics(rows):
    assert [name for name, row in rows.items() if row.lower_is_better] == ["s-TER"]


def test_each_metric_has_a_name_even_without_any_content():
    assert list(metric_names({})) == list(METRICS)


def test_a_run_without_a_training_has_its_scores_alone():
    assert "parameters" not in {score.metric for score in scores_of_run(SCORES, None)}
