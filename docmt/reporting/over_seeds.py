"""A metric of a system over the seeds that were run: what cells of tables have in common."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from docmt.reporting.results import Results, Run
from docmt.settings.metrics import Measured, MetricName

NOT_RUN = "not run"
NOT_SCORED = "not scored"
PUBLISHED_ONLY = "published only"
DOCUMENTS_ONLY = "documents only"
"""Why a cell has no number."""


def not_run(why: str | None) -> str:
    """Of a cell or a line; `why`: why it was left out, empty or none where it was not."""
    return f"{NOT_RUN}: {why}" if why else NOT_RUN


def why_empty(results: Results, corpus: str, system: str | None, is_scored: bool) -> str:
    """Why there is no number of a system; `is_scored`: it is there, and lacks this metric."""
    if system is None:
        return PUBLISHED_ONLY
    return NOT_SCORED if is_scored else not_run(results.settings.why_not_run(corpus, system))


@dataclass(frozen=True, kw_only=True)
class OverSeeds:
    """`values` has one number a seed that was run; `empty` says why there is none."""

    values: tuple[float, ...]
    seeds: int
    empty: str
    signatures: tuple[str, ...]

    @property
    def measured(self) -> float | None:
        return statistics.fmean(self.values) if self.values else None

    @property
    def deviation(self) -> float | None:
        """Standard deviation over seeds (of the sample); none for fewer than two."""
        return statistics.stdev(self.values) if len(self.values) > 1 else None

    @property
    def status(self) -> str:
        return "measured" if self.values else self.empty


def over_seeds(runs: Sequence[Run], metric: MetricName, empty: str) -> OverSeeds:
    """Of the runs of one system on one corpus."""
    found = [measured for run in runs if (measured := measurement(run, metric)) is not None]
    return OverSeeds(
        values=tuple(measured.value for measured in found),
        seeds=len(runs),
        empty=empty,
        signatures=tuple(dict.fromkeys(measured.signature for measured in found)),
    )


def measurement(run: Run, metric: MetricName) -> Measured | None:
    """The metric of a run; none where it was not run, or lacks it."""
    content = _content(run, metric)
    return None if content is None else metric.find(content)


def runs_with_file(runs: Sequence[Run], metric: MetricName) -> list[Run]:
    """Those whose file with the metric, if they have it, is there."""
    return [run for run in runs if _content(run, metric) is not None]


def _content(run: Run, metric: MetricName) -> dict | None:
    return run.scores if metric.metric.source == "scores" else run.record
