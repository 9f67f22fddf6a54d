"""The files that a study names for its scores and that are not here, so that some metrics are not computed.

A file that config.yaml names is the user's own: where it is missing, the run is refused. A study's file may be missing
(`missing: skip`): the metrics that need it are left out, and all others are computed.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from docmt.grid.grid import Grid
from docmt.grid.scored import scoring_of
from docmt.plan.plan import Job
from docmt.plan.supplies import Supplies, Supply
from docmt.settings.comet import has_comet
from docmt.settings.metrics import METRICS
from docmt.settings.scoring import MODEL, ScoringPart


def missing_for_scores(supplies: Supplies) -> list[Supply]:
    """Return the missing files and folders that studies name for their scores, and that config.yaml does not name."""
    grid = supplies.grid
    named = {path for study in grid.studies for path in grid.scoring[study].paths if not _states(grid, study, path)}
    stated = {path for study in grid.studies for path in grid.scoring[study].paths} - named
    needed = [supply_for_scores(supplies, path) for path in sorted(stated)]
    return [supply for supply in needed if supply.reason]


def supplies_of_scores(supplies: Supplies, study: str) -> list[Supply]:
    """Return the supplies of what a study names for its scores, without those for metrics that are left out."""
    grid = supplies.grid
    paths = [path for path in grid.scoring[study].paths if _states(grid, study, path) and path not in grid.not_scored]
    return [supply_for_scores(supplies, path) for path in paths]


def supply_for_scores(supplies: Supplies, path: str) -> Supply:
    """Return the supply of a file or folder that a study names for its scores."""
    grid = supplies.grid
    what = next(paths[path] for scoring in grid.scoring.values() if path in (paths := scoring.paths))
    if what == MODEL:
        return supplies.checkpoint(path)
    if (supplies.root / path).is_file() or has_comet(supplies.root / path, what):
        return Supply(path)
    by_metric = [statements for study in grid.studies.values() for statements in study.measured_as.values()]
    ways = [item.obtain for statements in by_metric for item in statements if path in _leaves(item.scoring)]
    way = next(filter(None, ways), f"Put {what} into {path}.")
    return Supply(path, "by-hand", reason=f"{path} is missing: {what}", way=way)


def _states(grid: Grid, study: str, path: str) -> bool:
    """Return whether a study itself, and not only config.yaml, names a path for its scores."""
    return path in _leaves(grid.studies[study].scoring)


def _leaves(value: Any) -> Iterator[Any]:
    """Yield the values inside nested mappings."""
    if not isinstance(value, Mapping):
        yield value
        return
    for item in value.values():
        yield from _leaves(item)


def metrics_of(part: ScoringPart) -> str:
    """Return the names of the metrics that need a part of `scoring`, such as an aligner."""
    return ", ".join(name for name, metric in METRICS.items() if metric.judge == part)


def not_scored_lines(grid: Grid, jobs: Iterable[Job]) -> list[str]:
    """Return a line for each reason why metrics of jobs are not computed: metrics, number of runs, reason and way."""
    counts: dict[tuple[str, ScoringPart], int] = {}
    for job in jobs:
        if job.step == "scores":
            entry = grid.find_scored(job.names["corpus"], job.names["system"])
            for part, reason in scoring_of(grid, entry.study, entry.corpus).missing.items():
                counts[reason, part] = counts.get((reason, part), 0) + 1
    ways = grid.ways_by_reason
    return [
        f"not scored: {metrics_of(part)} of {number} runs: {reason}. {ways.get(reason, '')}".rstrip()
        for (reason, part), number in sorted(counts.items())
    ]
