"""Metrics by name: where each stands among scores, its signature, and what it can be tested by."""

import math

import pytest

from docmt.base.errors import UserError
from docmt.settings.metric import ScoreInterval, Tallied
from docmt.settings.metrics import METRICS, parse_metric


def scores() -> dict:
    return {
        "bleu": {
            family: {unit: {"score": 10.0 * n + m, "signature": f"{family}|{unit}"} for m, unit in enumerate("sdi")}
            for n, family in enumerate(["13a", "13a_lower", "tokenized_lower", "tokenized"], 1)
        },
        "chrF": {"d": {"score": 52.0, "signature": "chrF|d"}},
        "TER": {"s": {"score": 61.0, "signature": "TER|s"}},
        "positions": {"j2": {"13a": {"s": {"score": 7.0, "signature": "position"}}}},
        "consistency": {
            "LTCR": {"score": 60.5, "signature": "LTCR|x", "interval": {"low": 55.0, "high": 65.0, "signature": "i|x"}},
            "HHI": {"score": 70.5, "signature": "HHI|x"},
            "LTCR:loose": {
                "score": 80.5,
                "signature": "LTCR|l",
                "interval": {"low": 75.0, "high": 85.0, "signature": "i|l"},
            },
        },
        "contrastive": {
            "pronoun": {"items": 4, "right": 3, "by_distance": {"1": {"items": 1, "right": 0}}},
            "word": {"items": 1, "right": 0, "by_distance": {"1": {"items": 1, "right": 0}}},
            "words": {"items": 1, "right": 0, "by_distance": {}},
            "word/repeated": {"items": 4, "right": 3, "by_distance": {"2": {"items": 1, "right": 1}}},
        },
        "contrastive_signature": "contrastive|x",
        "decoding": {"sentences": 50, "fallback_sentences": 1, "positions": {"j2": {"exact": 40, "nearest": 10}}},
    }


@pytest.mark.parametrize(
    ("name", "value", "signature"),
    [
        ("s-BLEU", 10.0, "13a|s"),
        ("d-BLEU", 11.0, "13a|d"),
        ("mteval s-BLEU", 20.0, "13a_lower|s"),
        ("multi-bleu d-BLEU", 31.0, "tokenized_lower|d"),
        ("cased multi-bleu s-BLEU", 40.0, "tokenized|s"),
        ("mteval i-BLEU", 22.0, "13a_lower|i"),
        ("s-BLEU@j2", 7.0, "position"),
        ("d-chrF", 52.0, "chrF|d"),
        ("s-TER", 61.0, "TER|s"),
        ("LTCR", 60.5, "LTCR|x"),
        ("HHI", 70.5, "HHI|x"),
        ("LTCR:loose", 80.5, "LTCR|l"),
        ("accuracy", 60.0, "contrastive|x"),
        ("accuracy:word", 60.0, "contrastive|x"),
        ("accuracy:word@2", 100.0, "contrastive|x"),
        ("accuracy:word/repeated", 75.0, "contrastive|x"),
        ("accuracy:pronoun", 75.0, "contrastive|x"),
        ("accuracy:pronoun@1", 0.0, "contrastive|x"),
        ("accuracy@1", 0.0, "contrastive|x"),
        ("fallbacks", 2.0, "fallbacks|unit:sentences|v:1"),
        ("sentences", 50, "sentences|v:1"),
        ("sentences@j2", 40, "sentences|v:1"),
    ],
)
def test_a_metric_is_found_by_its_name(name, value, signature):
    measured = parse_metric(name).find(scores())
    assert (measured.value, measured.signature) == (value, signature)


def test_the_size_of_a_model_is_four_bytes_for_each_parameter():
    record = {"parameters": 64_000_000}
    parameters, size = (parse_metric(name).find(record) for name in ("parameters", "size"))
    assert size.value == 4 * parameters.value == 256
    assert size.signature == "size|unit:megabytes of 10^6 bytes|numbers:fp32|v:1"


def test_the_dev_likelihood_is_the_logarithm_of_the_perplexity_that_a_training_records():
    measured = parse_metric("dev NLL").find({"dev_perplexity": math.e**2, "dev_loss": 5.0})
    assert measured.value == pytest.approx(2)
    assert measured.signature.startswith("dev NLL|unit:nats|per:target pieces + sentences")


@pytest.mark.parametrize(
    ("name", "tallied"),
    [
        ("s-BLEU", Tallied("bleu|13a|s")),
        ("s-BLEU@j2", Tallied("bleu|13a|s|j2")),
        ("multi-bleu d-BLEU", Tallied("bleu|tokenized_lower|d")),
        ("s-chrF++", Tallied("chrF++|s")),
        ("LTCR", Tallied("LTCR")),
        ("HHI", Tallied("HHI")),
        ("HHI:loose", Tallied("HHI:loose")),
        ("accuracy", Tallied("accuracy")),
        ("accuracy:pronoun@3", Tallied("accuracy", "pronoun", 3)),
        ("fallbacks", None),
    ],
)
def test_a_metric_says_what_it_is_a_sum_of(name, tallied):
    assert parse_metric(name).tallied == tallied


def test_the_interval_of_a_score_stands_beside_it():
    find = {name: parse_metric(name).find(scores()) for name in ("LTCR", "LTCR:loose", "HHI")}
    assert find["LTCR"].interval == ScoreInterval(55.0, 65.0, "i|x")
    assert find["LTCR:loose"].interval == ScoreInterval(75.0, 85.0, "i|l")
    assert find["HHI"].interval is None


def test_metrics_of_which_a_lower_number_is_better():
    lower = [name for name, metric in METRICS.items() if metric.lower_is_better]
    assert lower == ["s-TER", "fallbacks", "dev NLL"]
    assert [name for name, metric in METRICS.items() if not metric.ranks] == ["sentences", "parameters", "size"]


@pytest.mark.parametrize("name", [*METRICS, "LTCR:loose", "accuracy:pronoun", "accuracy:pronoun@3", "s-BLEU@j1"])
def test_scores_without_a_metric_give_none(name):
    assert parse_metric(name).find({}) is None


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
