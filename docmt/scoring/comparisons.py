"""Differences between systems and their baselines, with p-values, for the tables of a study."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from docmt.base.artifacts import as_object, write_json
from docmt.base.asked import read_settings
from docmt.base.errors import UserError
from docmt.base.paths import SCORES
from docmt.scoring.significance import TESTS, seed_p_value, significance_signature
from docmt.scoring.tallies import Tally, read_tallies, select
from docmt.settings.metrics import parse_metric


@dataclass(frozen=True)
class Comparison:
    """The scores of a system and of its baseline by one metric, and the p-values of the difference.

    Scores are means over runs (trainings with different seeds). `p_units` is the p-value of a test over the units of
    the test set: the bootstrap or the sign test. `better`, `worse` and `equal` are numbers of drawn test sets
    (bootstrap) or of units (sign test) in which the system is better, which by TER is the lower score. `p_seeds` is the
    p-value of the t-test over runs, or None for fewer than three runs. `p` is the larger of the two p-values: a small
    `p` says that the difference is due neither to the choice of the test set nor to the choice of the seeds.
    """

    system_score: float
    baseline_score: float
    difference: float
    p: float
    p_units: float
    p_seeds: float | None
    better: int
    worse: int
    equal: int
    signature: str


def compare(system: Sequence[Tally], baseline: Sequence[Tally], test: str, lower_is_better: bool = False) -> Comparison:
    """Compare a system with its baseline by one metric.

    `system` and `baseline` have a tally for each compared run; runs at the same place are a pair of the test over runs.
    `test` is the name of a test in `significance.TESTS`. `lower_is_better` says whether the better system is the one
    with the lower score. Raises UserError where the tallies do not have the same units.
    """
    first = system[0]
    for tally in (*system, *baseline):
        if tally.names != first.names:
            raise UserError(
                f"not the same {first.unit}", where=first.measure, found=len(tally.names), expected=len(first.names)
            )
    ours, theirs = ([tally.counts for tally in runs] for runs in (system, baseline))
    outcome = TESTS[test](ours, theirs, first.scores)
    if lower_is_better:
        outcome = replace(outcome, better=outcome.worse, worse=outcome.better)
    scores = [[tally.score for tally in runs] for runs in (system, baseline)]
    p_seeds = seed_p_value(*scores)
    return Comparison(
        system_score=sum(scores[0]) / len(system),
        baseline_score=sum(scores[1]) / len(baseline),
        p_units=outcome.p,
        p_seeds=p_seeds,
        **{**asdict(outcome), "p": max(outcome.p, p_seeds or 0.0)},
        signature=significance_signature(test, first.unit, len(first.names), len(system)),
    )


def write_comparisons(settings: Path, results: Path, output: Path) -> None:
    """Write the comparisons of a study as JSON (`docmt job compare-systems`).

    The file has `{"study", "scale", "comparisons": [...]}`; each comparison names its corpus, metric, system, baseline
    and test. `settings` is the `settings.json` of the job, and `results` is the results folder.
    """
    study = read_settings(settings, "study", "scale", "pairs", "folders")
    for pair in study["pairs"]:
        as_object(pair, f"{settings} pairs", ("corpus", "system", "baseline", "test", "metrics", "seeds"))
        as_object(pair["seeds"], f"{settings} pairs.seeds", ("system", "baseline"))
    rows = [row for pair in study["pairs"] for row in _compare_pair(pair, study, results)]
    write_json(output, {"study": study["study"], "scale": study["scale"], "comparisons": rows})


def _compare_pair(pair: dict, study: dict, results: Path) -> Iterator[dict]:
    """Yield the comparison of a system with its baseline by each metric for which all of their runs have a tally.

    Metrics over packed instances are left out where the two systems have different instances.
    """
    runs = [list(_runs(pair, name, study, results)) for name in ("system", "baseline")]
    for metric in pair["metrics"]:
        named = parse_metric(metric)
        ours, theirs = ([select(tallies, named.tallied) for tallies in system_runs] for system_runs in runs)
        if None in (*ours, *theirs) or (ours[0].unit == "instances" and ours[0].names != theirs[0].names):
            continue
        names = {name: pair[name] for name in ("corpus", "system", "baseline", "test")}
        yield {**names, "metric": metric, **asdict(compare(ours, theirs, pair["test"], named.metric.lower_is_better))}


def _runs(pair: dict, name: str, study: dict, results: Path) -> Iterator[list[Tally]]:
    """Yield the tallies of each run of the system or the baseline of a pair; `name` is "system" or "baseline"."""
    corpus = pair["corpus"]
    names = {"scale": study["scale"], "corpus": corpus, "system": study["folders"][corpus][pair[name]]}
    for seed in pair["seeds"][name]:
        yield read_tallies(SCORES.under(results, **names, seed=seed) / "details.arrow")
