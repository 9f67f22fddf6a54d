"""Metrics by name: their parts, those of a training, and which can be tested."""

import math

import pytest

from docmt.base.errors import UserError
from docmt.settings.metrics import METRICS, parse_metric, scores_of_record

RECORD = {
    "parameters": 64_000_000,
    "dev_perplexity": math.e**2,
    "dev_loss": 5.0,
    "source_words_per_s": 2500.0,
    "ranks": 2,
    "hardware": {"processor": "a CPU"},
}


def test_scores_of_a_training_are_those_of_its_record():
    scores = {score.name: score for score in scores_of_record(RECORD)}
    assert {name: score.value for name, score in scores.items()} == pytest.approx(
        {"parameters": 64, "size": 256, "speed": 2.5, "dev NLL": 2}
    )
    assert scores["size"].signature == "size|unit:megabytes of 10^6 bytes|numbers:fp32|v:1"
    assert scores["speed"].signature.endswith("|ranks:2|machine:a CPU|v:2")
    assert scores["dev NLL"].signature.startswith("dev NLL|unit:nats|per:target pieces + sentences")
    assert scores_of_record({}) == []


@pytest.mark.parametrize(
    ("name", "is_tested"),
    [("s-BLEU@j2", True), ("s-BLEU@length.1-10", False), ("s-chrF++", True), ("HHI:loose", True), ("fallbacks", False)],
)
def test_a_metric_says_whether_it_can_be_tested(name, is_tested):
    assert parse_metric(name).is_tested == is_tested


def test_metrics_of_which_a_lower_number_is_better():
    lower = [name for name, metric in METRICS.items() if metric.lower_is_better]
    assert lower == ["s-TER", "fallbacks", "dev NLL"]
    assert [name for name, metric in METRICS.items() if not metric.ranks] == ["CXMI", "sentences", "parameters", "size"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("s-BLUE", r"study.yaml:3: unknown metric\n  found s-BLUE\n  did you mean 's-BLEU'\?"),
        ("d-BLEU:pronoun", "no metric of a contrastive set\n  found d-BLEU:pronoun"),
        ("accuracy:", "no metric of a contrastive set"),
        ("accuracy:pronoun@j1", "unknown detail of a metric"),
        ("chrF", "did you mean '.-chrF'"),
        ("d-TER", "did you mean 's-TER'"),
        ("s-TER@j1", "unknown detail of a metric"),
        ("d-BLEU@j1", "unknown detail of a metric"),
    ],
)
def test_a_wrong_metric_is_refused(name, message):
    with pytest.raises(UserError, match=message):
        parse_metric(name, "study.yaml:3")
