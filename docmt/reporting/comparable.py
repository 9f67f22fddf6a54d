"""The reasons why a measured number is not comparable with the published number beside it."""

from docmt.kinds.systems import SystemsTable
from docmt.reporting.results import Results, Run
from docmt.settings.metrics import MetricName


def why_not_comparable(table: SystemsTable, metric: str) -> tuple[str, ...]:
    """Return the reasons for a metric of a table; the measured number then has a mark instead of a difference."""
    stated = table.not_comparable.get(metric)
    return (stated,) if stated else ()


def random_models(results: Results, run: Run, metric: MetricName) -> tuple[str, ...]:
    """Return the pretrained models that small random models replaced in a run with this metric.

    The random model is the start of the training, or the model by which the metric is computed. The result has the
    folders of the pretrained models.
    """
    start = results.settings.random_starts.get(f"{run.entry.corpus}/{run.entry.system.name}")
    judge = _judge(run.scores, metric) if metric.metric.judge else None
    stand_ins = results.settings.stand_ins
    return tuple(dict.fromkeys(stand_ins[folder] for folder in (start, judge) if folder in stand_ins))


def _judge(scores: dict | None, metric: MetricName) -> str | None:
    """Return the folder of the model by which the metric was computed; None where its computation needs no model."""
    return (((scores or {}).get("settings") or {}).get(metric.metric.judge) or {}).get("model")
