"""Which small random models stand for pretrained ones behind a number, at a scale that makes such."""

from docmt.reporting.results import Results, Run
from docmt.settings.metrics import MetricName


def random_models(results: Results, run: Run, metric: MetricName) -> tuple[str, ...]:
    """The pretrained models, by the folders that config.yaml and studies name, in whose place random ones were used: to
    start the training from, or to measure by."""
    start = results.settings.random_starts.get(f"{run.entry.corpus}/{run.entry.system.name}")
    judge = _judge(run.scores, metric) if metric.metric.judge else None
    stand_ins = results.settings.stand_ins
    return tuple(dict.fromkeys(stand_ins[folder] for folder in (start, judge) if folder in stand_ins))


def _judge(scores: dict | None, metric: MetricName) -> str | None:
    """The model of `scoring` that the metric was measured by."""
    return (((scores or {}).get("settings") or {}).get(metric.metric.judge) or {}).get("model")
