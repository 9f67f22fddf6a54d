"""A metric of a system over the seeds that were run, which all cells of tables and points of figures have."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from docmt.reporting.results import Results, Run
from docmt.settings.metrics import Measured, MetricName

NOT_RUN = "not run"
NOT_SCORED = "not scored"
PUBLISHED_ONLY = "published only"
DOCUMENTS_ONLY = "documents only"
"""Reasons why a cell has no number."""


def not_run(why: str | None) -> str:
    """Return the status of a system that was not run; `why`: why it was left out, empty or none where it was not."""
    return f"{NOT_RUN}: {why}" if why else NOT_RUN


def why_empty(results: Results, corpus: str, system: str | None, is_scored: bool) -> str:
    """Return why a system has no number; `is_scored`: whether it has been scored, without this metric."""
    if system is None:
        return PUBLISHED_ONLY
    return NOT_SCORED if is_scored else not_run(results.settings.why_not_run(corpus, system))


@dataclass(frozen=True, kw_only=True)
class OverSeeds:
    """A metric over seeds: `values` has a number for each seed that was run; `empty` says why there is none.

    `seeds`: the number of seeds of the system, run or not; `signatures`: the different signatures of the values.
    """

    values: tuple[float, ...]
    seeds: int
    empty: str
    signatures: tuple[str, ...]

    @property
    def measured(self) -> float | None:
        """The mean over seeds; none where none was run."""
        return statistics.fmean(self.values) if self.values else None

    @property
    def deviation(self) -> float | None:
        """The standard deviation over seeds (of the sample); none for fewer than two."""
        return statistics.stdev(self.values) if len(self.values) > 1 else None

    @property
    def status(self) -> str:
        """The word "measured", or the reason why there is no number."""
        return "measured" if self.values else self.empty


def over_seeds(runs: Sequence[Run], metric: MetricName, empty: str) -> OverSeeds:
    """Return the metric of the runs of one system on one corpus."""
    measurements = [measured for run in runs if (measured := measurement(run, metric)) is not None]
    return OverSeeds(
        values=tuple(measured.value for measured in measurements),
        seeds=len(runs),
        empty=empty,
        signatures=tuple(dict.fromkeys(measured.signature for measured in measurements)),
    )


def measurement(run: Run, metric: MetricName) -> Measured | None:
    """Return the metric of a run; none where it was not run, or lacks the metric."""
    content = _content(run, metric)
    return None if content is None else metric.find(content)


def runs_with_file(runs: Sequence[Run], metric: MetricName) -> list[Run]:
    """Return the runs whose scores (or record of training, where the metric is in that file) exist."""
    return [run for run in runs if _content(run, metric) is not None]


def _content(run: Run, metric: MetricName) -> dict | None:
    """Return the content of the file that has the metric; none where the run has no such file."""
    return run.scores if metric.metric.source == "scores" else run.record
