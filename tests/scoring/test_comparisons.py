"""Systems beside their baselines: what is compared, over which units and seeds."""

import json
from dataclasses import asdict

import numpy as np
import pytest
from helpers.command_line import succeed

from docmt.base.errors import UserError
from docmt.scoring.comparisons import compare
from docmt.scoring.significance import paired_bootstrap, seed_p_value, sign_test
from docmt.scoring.tallies import Tally, percent, select, write_tallies
from docmt.settings.metrics import Tallied


def accuracy(right: list[int], name: str = "pronoun", distance: int = 1) -> Tally:
    counts = np.array([[one, 1] for one in right], dtype=float)
    names = tuple(f"{distance}/{number}" for number in range(len(right)))
    return Tally("accuracy", "percent", "items", names, counts, name, distance)


def made_up(seed: int, share: float) -> list[int]:
    return (np.random.default_rng(seed).random(40) < share).astype(int).tolist()


def test_a_metric_is_over_all_sets_and_distances_that_it_does_not_choose():
    tallies = [accuracy([1], "pronoun", 1), accuracy([0, 1], "pronoun", 3), accuracy([1], "word", 3)]
    assert select(tallies, Tallied("accuracy")).names == ("pronoun/1/0", "pronoun/3/0", "pronoun/3/1", "word/3/0")
    assert select(tallies, Tallied("accuracy", "pronoun")).score == pytest.approx(100 * 2 / 3)
    assert select(tallies, Tallied("accuracy", None, 3)).names == ("pronoun/3/0", "pronoun/3/1", "word/3/0")
    assert select(tallies, Tallied("accuracy", "verb")) is None


@pytest.mark.parametrize(("test", "function"), [("bootstrap", paired_bootstrap), ("sign", sign_test)])
def test_the_larger_of_two_p_values_counts_units_and_seeds(test, function):
    system, baseline = ([accuracy(made_up(seed, share)) for seed in (1, 2, 3)] for share in (0.9, 0.5))
    found = compare(system, baseline, test)
    outcome = function([one.counts for one in system], [one.counts for one in baseline], percent)
    assert (found.p_units, found.better, found.difference) == (outcome.p, outcome.better, outcome.difference)
    scores = [[100 * one.counts[:, 0].mean() for one in runs] for runs in (system, baseline)]
    assert (found.system_score, found.baseline_score) == pytest.approx((np.mean(scores[0]), np.mean(scores[1])))
    assert found.p_seeds == pytest.approx(seed_p_value(*scores))
    assert found.p == max(found.p_units, found.p_seeds)
    assert "+t-test|unit:items|units:40|" in found.signature and "|runs:3|" in found.signature


def test_one_or_two_seeds_are_tested_over_units_alone():
    system, baseline = ([accuracy(made_up(seed, share)) for seed in (1, 2)] for share in (0.9, 0.5))
    found = compare(system, baseline, "sign")
    assert found.p_seeds is None and found.p == found.p_units
    assert found.signature == "sign|unit:items|units:40|runs:2|sides:2|v:1"


def test_other_units_are_refused():
    with pytest.raises(UserError, match="accuracy: not the same items\n  found 2; expected 3"):
        compare([accuracy([1, 0, 1])], [accuracy([1, 0])], "sign")


def summands(measure: str, names: str, unit: str = "documents") -> Tally:
    counts = np.random.default_rng(len(names)).integers(1, 9, (len(names), 10)).astype(float)
    return Tally(measure, "bleu:exp", unit, tuple(names), counts)


def test_a_study_is_compared_pair_by_pair(tmp_path):
    """What one of both lacks has no comparison, and neither have instances of another view."""
    tallies = {
        "sentence": [
            accuracy([0, 0, 1, 0]),
            summands("bleu|13a|d", "abcd"),
            summands("bleu|13a|i", "ab", "instances"),
        ],
        "context@made": [accuracy([1, 1, 1, 1]), summands("bleu|13a|i", "abcd", "instances")],
    }
    for folder, found in tallies.items():
        for seed in (1, 2):
            write_tallies(tmp_path / f"7_scores/smoke/toy/{folder}/seed{seed}/details.arrow", found)
    pair = {"corpus": "toy", "system": "context", "baseline": "sentence", "test": "sign"}
    settings = {
        "study": "made",
        "scale": "smoke",
        "folders": {"toy": {"sentence": "sentence", "context": "context@made"}},
        "pairs": [{**pair, "seeds": [1, 2], "metrics": ["accuracy:pronoun@1", "d-BLEU", "i-BLEU", "accuracy:word"]}],
    }
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    output = tmp_path / "7_comparisons" / "comparisons.json"
    arguments = ["--settings", tmp_path / "settings.json", "--results", tmp_path, "--output", output]
    succeed("job", "compare-systems", *arguments)
    found = json.loads(output.read_text())
    expected = compare([tallies["context@made"][0]] * 2, [tallies["sentence"][0]] * 2, "sign")
    assert found["study"] == "made"
    assert found["comparisons"] == [asdict(expected) | pair | {"metric": "accuracy:pronoun@1"}]
    assert (expected.system_score, expected.baseline_score, expected.better) == (100, 25, 3)
