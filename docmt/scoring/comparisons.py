"""Differences between systems and their baselines, with p-values, for the tables of a study."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from docmt.base.artifacts import as_object, write_json
from docmt.base.errors import UserError
from docmt.base.paths import SCORES
from docmt.base.recipe import read_settings
from docmt.base.result_folders import ResultFolders
from docmt.scoring.significance import FEWEST_UNITS, TESTS, seed_p_value, significance_signature
from docmt.scoring.tallies import Tally, read_tallies, select
from docmt.settings.metrics import parse_metric

OF_SYSTEM = re.compile(r"\|(?:precision|engine):[^|]*")
"""The parts of a signature that say how a system was trained and which program searched."""
LINES = "|lines:"  # The start of the part of a signature that says what a study states of the lines of another system
PLAIN_LINES = "plain,cased,not normalised"  # What that part would be for the lines that docmt writes


@dataclass(frozen=True)
class Comparison:
    """The scores of a system and of its baseline by one metric, and the p-values of the difference.

    Scores are means over runs (trainings with different seeds). `better`, `worse` and `equal` are numbers of drawn test
    sets (bootstrap) or of units (sign test) in which the system is better, which by TER is the lower score. `p` is the
    larger of the two p-values: a small `p` says that the difference is due neither to the choice of the test set nor to
    the choice of the seeds.

    `untested` is the reason why the difference has no p-value, and empty where it has one: there are too few units, or
    the two systems were not scored alike. `p` and `p_units` are then None.
    """

    system_score: float
    baseline_score: float
    difference: float
    p: float | None
    p_units: float | None  # by a test over the units of the test set: the bootstrap or the sign test
    p_seeds: float | None  # by the t-test over runs; None for fewer than three runs
    better: int
    worse: int
    equal: int
    signature: str
    untested: str = ""


def compare(
    system: Sequence[Tally],
    baseline: Sequence[Tally],
    test: str,
    lower_is_better: bool = False,
) -> Comparison:
    """Compare a system with its baseline by one metric.

    `system` and `baseline` have a tally for each compared run; runs at the same place are a pair of the test over runs.
    `test` is the name of a test in `significance.TESTS`. `lower_is_better` says whether the better system is the one
    with the lower score. Raises UserError where the tallies do not have the same units.
    """
    first = system[0]
    for tally in (*system, *baseline):
        if tally.names != first.names:
            raise UserError(
                f"not the same {first.unit}", where=first.name, found=len(tally.names), expected=len(first.names)
            )
    ours, theirs = ([tally.counts for tally in runs] for runs in (system, baseline))
    outcome = TESTS[test](ours, theirs, first.scores)
    if lower_is_better:
        outcome = replace(outcome, better=outcome.worse, worse=outcome.better)
    scores = [[tally.score for tally in runs] for runs in (system, baseline)]
    p_seeds = seed_p_value(*scores)
    untested = too_few(first) or scored_differently([tally.signature for tally in (*system, *baseline)])
    return Comparison(
        system_score=sum(scores[0]) / len(system),
        baseline_score=sum(scores[1]) / len(baseline),
        p_units=None if untested else outcome.p,
        p_seeds=p_seeds,
        **{**asdict(outcome), "p": None if untested else max(outcome.p, p_seeds or 0.0)},
        signature=significance_signature(test, first.unit, len(first.names), len(system)),
        untested=untested,
    )


def too_few(tally: Tally) -> str:
    """Return in words that a test set has too few units to be tested; empty where it has enough."""
    units = len(tally.names)
    return f"too few {tally.unit} to test: {units} of {FEWEST_UNITS}" if units < FEWEST_UNITS else ""


def scored_differently(signatures: Sequence[str]) -> str:
    """Return in words that scores with these signatures are not of the same thing; empty where they are.

    The signature of another system's score ends with what the study states of its lines. Lines that are plain, cased
    and not normalised are like docmt's own. The case of lines does not matter to a metric that lower-cases. Precision
    and engine belong to the system, and not to what is scored.

    >>> scored_differently(["case:mixed|tok:13a", "case:mixed|tok:13a|lines:plain,cased,not normalised"])
    ''
    >>> scored_differently(["case:mixed|tok:13a", "case:mixed|tok:13a|lines:tokens,lower,normalised"])
    'not scored alike: lines plain, cased, not normalised and tokens, lower, normalised'
    >>> scored_differently(["case:lc|tok:13a", "case:lc|tok:13a|lines:plain,lower,not normalised"])
    ''
    """
    parted = [OF_SYSTEM.sub("", text).partition(LINES) for text in signatures]
    computed = dict.fromkeys(text for text, _, _ in parted)
    if len(computed) > 1:
        return f"not scored alike: {' and '.join(computed)}"
    lines = [(stated or PLAIN_LINES).split(",") for _, _, stated in parted]
    if any("case:lc" in text.split("|") for text in computed):
        lines = [[form, "any case", punctuation] for form, _, punctuation in lines]
    different = dict.fromkeys(", ".join(parts) for parts in lines)
    return f"not scored alike: lines {' and '.join(different)}" if len(different) > 1 else ""


def write_comparisons(settings: Path, results: ResultFolders, output: Path) -> None:
    """Write the comparisons of a study as JSON (the step `compare`).

    The file has `{"study", "scale", "comparisons": [...]}`; each comparison names its corpus, metric, system, baseline
    and test. `settings` is the `job.json` of the job, and `results` has the folders of the results.
    """
    study = read_settings(settings, "study", "scale", "pairs", "folders")
    for pair in study["pairs"]:
        as_object(pair, f"{settings} pairs", ("corpus", "system", "baseline", "test", "metrics", "seeds"))
        as_object(pair["seeds"], f"{settings} pairs.seeds", ("system", "baseline"))
    rows = [row for pair in study["pairs"] for row in _compare_pair(pair, study, results)]
    write_json(output, {"study": study["study"], "scale": study["scale"], "comparisons": rows})


def _compare_pair(pair: dict, study: dict, results: ResultFolders) -> Iterator[dict]:
    """Yield the comparison of a system with its baseline by each metric for which all of their runs have a tally."""
    folders = [list(_folders(pair, name, study, results)) for name in ("system", "baseline")]
    runs = [[read_tallies(folder / "details.arrow") for folder in system] for system in folders]
    for metric in pair["metrics"]:
        named = parse_metric(metric)
        ours, theirs = ([select(tallies, named) for tallies in system_runs] for system_runs in runs)
        # Metrics over packed instances are left out where the two systems have different instances.
        if None in (*ours, *theirs) or (ours[0].unit == "instances" and ours[0].names != theirs[0].names):
            continue
        names = {name: pair[name] for name in ("corpus", "system", "baseline", "test")}
        compared = compare(ours, theirs, pair["test"], named.metric.lower_is_better)
        yield {**names, "metric": metric, **asdict(compared)}


def _folders(pair: dict, name: str, study: dict, results: ResultFolders) -> Iterator[Path]:
    corpus = pair["corpus"]
    names = {"scale": study["scale"], "corpus": corpus, "system": study["folders"][corpus][pair[name]]}
    for seed in pair["seeds"][name]:
        yield results.at(SCORES, **names, seed=seed)
