"""Systems beside their baselines: what is compared, over which units and seeds."""

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from helpers.command_line import succeed
from helpers.recipes import write_recipe

from docmt.base.errors import UserError
from docmt.scoring.comparisons import compare
from docmt.scoring.significance import paired_bootstrap, seed_p_value, sign_test
from docmt.scoring.tallies import Tally, percent, select, write_tallies
from docmt.settings.metrics import parse_metric


def accuracy(right: list[int], name: str = "pronoun", distance: int = 1, signature: str = "") -> Tally:
    counts = np.array([[item, 1] for item in right], dtype=float)
    names = tuple(f"{distance}/{number}" for number in range(len(right)))
    return Tally("accuracy", "percent", "items", names, counts, signature, f":{name}@{distance}")


def random_items(seed: int, share: float) -> list[int]:
    return (np.random.default_rng(seed).random(40) < share).astype(int).tolist()


def test_a_metric_is_over_all_sets_and_distances_that_it_does_not_choose():
    tallies = [accuracy([1], "pronoun", 1), accuracy([0, 1], "pronoun", 3), accuracy([1], "word", 3)]
    names = [":pronoun@1/1/0", ":pronoun@3/3/0", ":pronoun@3/3/1", ":word@3/3/0"]
    assert select(tallies, parse_metric("accuracy")).names == tuple(names)
    assert select(tallies, parse_metric("accuracy:pronoun")).score == pytest.approx(100 * 2 / 3)
    assert select(tallies, parse_metric("accuracy@3")).names == tuple(names[1:])
    assert select(tallies, parse_metric("accuracy:pronoun@1")) is tallies[0]
    assert select(tallies, parse_metric("accuracy:verb")) is None


@pytest.mark.parametrize(("test", "function"), [("bootstrap", paired_bootstrap), ("sign", sign_test)])
def test_the_larger_of_two_p_values_counts_units_and_seeds(test, function):
    system, baseline = ([accuracy(random_items(seed, share)) for seed in (1, 2, 3)] for share in (0.9, 0.5))
    comparison = compare(system, baseline, test)
    outcome = function([tally.counts for tally in system], [tally.counts for tally in baseline], percent)
    assert (comparison.p_units, comparison.better, comparison.difference) == (
        outcome.p,
        outcome.better,
        outcome.difference,
    )
    scores = [[100 * tally.counts[:, 0].mean() for tally in runs] for runs in (system, baseline)]
    assert (comparison.system_score, comparison.baseline_score) == pytest.approx(
        (np.mean(scores[0]), np.mean(scores[1]))
    )
    assert comparison.p_seeds == pytest.approx(seed_p_value(*scores))
    assert comparison.p == max(comparison.p_units, comparison.p_seeds)
    assert "+t-test|unit:items|units:40|" in comparison.signature and "|runs:3|" in comparison.signature


def test_one_or_two_seeds_are_tested_over_units_alone():
    system, baseline = ([accuracy(random_items(seed, share)) for seed in (1, 2)] for share in (0.9, 0.5))
    comparison = compare(system, baseline, "sign")
    assert comparison.p_seeds is None and comparison.p == comparison.p_units
    assert comparison.signature == "sign|unit:items|units:40|runs:2|sides:2|v:2"


@pytest.mark.parametrize("test", ["bootstrap", "sign"])
def test_fewer_than_30_units_are_not_tested(test):
    def compared(units: int):
        return compare([accuracy([1] * units)], [accuracy([0] * units)], test)

    few, enough = compared(29), compared(30)
    assert (few.p, few.p_units, few.untested) == (None, None, "too few items to test: 29 of 30")
    assert (few.difference, few.better) == (100, enough.better if test == "bootstrap" else 29)
    assert enough.p < 0.01 and enough.untested == ""


STATED = "case:mixed|tok:13a|lines:{}"


@pytest.mark.parametrize(
    ("ours", "theirs", "reason"),
    [
        (STATED.format("plain,cased,not normalised"), "case:mixed|tok:13a", ""),
        (STATED.format("plain,lower,not normalised"), "case:mixed|tok:13a", "plain, lower, not normalised"),
        (STATED.format("tokens,cased,not normalised"), "case:mixed|tok:13a", "tokens, cased, not normalised"),
        ("case:lc|tok:13a|lines:plain,lower,not normalised", "case:lc|tok:13a", ""),
        ("case:lc|tok:13a|lines:tokens,lower,not normalised", "case:lc|tok:13a", "tokens, any case, not normalised"),
        ("case:mixed|tok:13a|precision:bf16|engine:ctranslate2", "case:mixed|tok:13a", ""),
        ("case:mixed|tok:13a", "case:mixed|tok:zh", "case:mixed|tok:13a and case:mixed|tok:zh"),
    ],
)
def test_what_was_not_scored_alike_is_not_tested(ours, theirs, reason):
    comparison = compare([accuracy([1] * 40, signature=ours)], [accuracy([0] * 40, signature=theirs)], "sign")
    assert (comparison.p is None) == bool(reason)
    assert comparison.untested.startswith("not scored alike") == bool(reason) and reason in comparison.untested


def test_other_units_are_refused():
    with pytest.raises(UserError, match="accuracy:pronoun@1: not the same items\n  found 2; expected 3"):
        compare([accuracy([1, 0, 1])], [accuracy([1, 0])], "sign")


def summands(measure: str, names: str, unit: str = "documents") -> Tally:
    counts = np.random.default_rng(len(names)).integers(1, 9, (len(names), 10)).astype(float)
    return Tally(measure, "bleu:exp", unit, tuple(names), counts)


def test_a_study_is_compared_pair_by_pair(tmp_path, monkeypatch):
    """What one of both lacks has no comparison, and neither have instances of another view."""
    tallies = {
        "sentence": [
            accuracy([0, 0, 1, 0] * 10),
            summands("d-BLEU", "abcd"),
            summands("i-BLEU", "ab", "instances"),
        ],
        "context@made": [accuracy([1, 1, 1, 1] * 10), summands("i-BLEU", "abcd", "instances")],
    }
    for folder, comparisons in tallies.items():
        for seed in (1, 2):
            run = tmp_path / f"results/7_scores/toy/{folder}/seed{seed}"
            write_tallies(run / "details.arrow", comparisons)
    pair = {"corpus": "toy", "system": "context", "baseline": "sentence", "test": "sign"}
    settings = {
        "study": "made",
        "scale": "smoke",
        "folders": {"toy": {"sentence": "sentence", "context": "context@made"}},
        "pairs": [
            {
                **pair,
                "seeds": {"system": [1, 2], "baseline": [1, 2]},
                "metrics": ["accuracy:pronoun@1", "d-BLEU", "i-BLEU", "accuracy:word"],
            }
        ],
    }
    monkeypatch.chdir(tmp_path)
    words = write_recipe(Path("results/7_comparisons/made/table1"), "compare", settings)
    succeed(*words)
    comparisons = json.loads((Path(words[-1]) / "comparisons.json").read_text())
    expected = compare([tallies["context@made"][0]] * 2, [tallies["sentence"][0]] * 2, "sign")
    assert comparisons["study"] == "made"
    assert comparisons["comparisons"] == [asdict(expected) | pair | {"metric": "accuracy:pronoun@1"}]
    assert (expected.system_score, expected.baseline_score, expected.better) == (100, 25, 30)
