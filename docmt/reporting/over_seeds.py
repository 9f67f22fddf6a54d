"""A metric of a system over its seeds, and what is said of it: the content of cells of tables and points of figures."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from docmt.base.scores import Score
from docmt.reporting.results import Results, Run
from docmt.settings.external import ExternalConfig
from docmt.settings.metrics import MetricName, base_of
from docmt.settings.pretrained import random_model
from docmt.settings.system import ExternalSystem

NOT_RUN = "not run"
NOT_SCORED = "not scored"
PUBLISHED_ONLY = "published only"
DOCUMENTS_ONLY = "documents only"
NO_MODEL = "no model"  # The reasons why a cell has no number.


def external_source(runs: Sequence[Run]) -> ExternalConfig | None:
    """Return where the translations of an external system come from; None for the runs of a trained system."""
    systems = (run.entry.system for run in runs)
    return next((system.source for system in systems if isinstance(system, ExternalSystem)), None)


def not_run(why: str | None) -> str:
    """Return the status of a system that was not run; `why` says why it was left out, where it was."""
    return f"{NOT_RUN}: {why}" if why else NOT_RUN


def not_scored(why: str) -> str:
    """Return the status of a system without a score; `why` says why the metric is not computed, or is empty."""
    return f"{NOT_SCORED}: {why}" if why else NOT_SCORED


def why_empty(results: Results, corpus: str, system: str | None, metric: MetricName, is_scored: bool) -> str:
    """Return why a system has no number for a metric.

    `is_scored`: whether the file that could have the metric exists. `system`: None for a row that is only published.
    """
    if system is None:
        return PUBLISHED_ONLY
    source = external_source(results.of(corpus, system))
    if source is not None and metric.of_model:
        return f"{NO_MODEL}: {source.about}"
    if is_scored:
        return not_scored(results.settings.why_not_scored(corpus, metric.metric.judge))
    return not_run(results.settings.why_not_run(corpus, system))


def why_not_comparable(results: Results, corpus: str, system: str | None, metric: str) -> tuple[str, ...]:
    """Return the reasons why a number is not comparable with a published one.

    `system`: the system on the corpus, whose training may start from a small random model; None for a count.
    """
    settings = results.settings
    by_metric = settings.not_comparable.get(corpus, {})
    start = settings.random_starts.get(f"{corpus}/{system}")
    starts = [random_model(settings.stand_ins[start])] if start in settings.stand_ins else []
    return tuple(dict.fromkeys([*by_metric.get("", ()), *by_metric.get(base_of(metric), ()), *starts]))


@dataclass(frozen=True, kw_only=True)
class OverSeeds:
    """A metric over the seeds of a system."""

    values: tuple[float, ...]  # A number for each seed that was run and has the metric.
    seeds: int  # The number of seeds of the system, run or not.
    empty: str  # Why there are no values.
    signatures: tuple[str, ...]  # The different signatures of the values.
    intervals: tuple[Score, ...] = ()  # The scores that have a confidence interval.

    @property
    def measured(self) -> float | None:
        """The mean over seeds; None without any value."""
        return statistics.fmean(self.values) if self.values else None

    @property
    def deviation(self) -> float | None:
        """The standard deviation of the sample of seeds; None for fewer than two values."""
        return statistics.stdev(self.values) if len(self.values) > 1 else None

    @property
    def low(self) -> float | None:
        """The lower end of the confidence interval, the mean over seeds; None without any interval."""
        return statistics.fmean(score.low for score in self.intervals) if self.intervals else None

    @property
    def high(self) -> float | None:
        """The upper end of the confidence interval, the mean over seeds; None without any interval."""
        return statistics.fmean(score.high for score in self.intervals) if self.intervals else None

    @property
    def status(self) -> str:
        """The word "measured", or the reason why there is no value."""
        return "measured" if self.values else self.empty

    @property
    def word(self) -> str:
        """The status without the reason that may follow it."""
        return word_of(self.status)

    @property
    def footnote(self) -> str:
        """The status where a reason follows its word, which a page states once for all such cells; empty elsewhere."""
        return footnote_of(self.status)


def word_of(status: str) -> str:
    """Return a status without the reason that may follow it."""
    return status.partition(": ")[0]


def footnote_of(status: str) -> str:
    """Return a status where a reason follows its word; empty elsewhere."""
    return "" if word_of(status) == status else status


def over_seeds(runs: Sequence[Run], metric: MetricName, empty: str) -> OverSeeds:
    """Return the metric over the runs of one system on one corpus; `empty` is the reason for having no value."""
    scores = [score for run in runs if (score := score_of_run(run, metric)) is not None]
    return OverSeeds(
        values=tuple(score.value for score in scores),
        seeds=len(runs),
        empty=empty,
        signatures=tuple(dict.fromkeys(score.signature for score in scores)),
        intervals=tuple(score for score in scores if score.interval is not None),
    )


def score_of_run(run: Run, metric: MetricName) -> Score | None:
    """Return the score of a run; None where it was not run, or where it lacks the metric."""
    return (_scores(run, metric) or {}).get(metric.name)


def runs_with_file(runs: Sequence[Run], metric: MetricName) -> list[Run]:
    """Return the runs whose file with the metric exists: `scores.parquet`, or the `record.json` of a training."""
    return [run for run in runs if _scores(run, metric) is not None]


def _scores(run: Run, metric: MetricName) -> dict[str, Score] | None:
    return run.scores if metric.metric.source == "scores" else run.of_record
