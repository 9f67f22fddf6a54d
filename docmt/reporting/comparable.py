"""The reasons why a measured number is not comparable with the published number beside it."""

from docmt.reporting.item import published_number
from docmt.kinds.systems import SystemsTable
from docmt.reporting.results import Results, Run
from docmt.settings.metrics import MetricName, base_of
from docmt.settings.pretrained import random_model


def why_not_comparable(results: Results, corpus: str, system: str | None, metric: str) -> tuple[str, ...]:
    """Return the reasons why a number is not comparable with a published one.

    `system`: the system on the corpus, whose training may start from a small random model; None for a count.
    """
    settings = results.settings
    by_metric = settings.not_comparable.get(corpus, {})
    start = settings.random_starts.get(f"{corpus}/{system}")
    starts = [random_model(settings.stand_ins[start])] if start in settings.stand_ins else []
    return tuple(dict.fromkeys([*by_metric.get("", ()), *by_metric.get(base_of(metric), ()), *starts]))


def reasons_of_cell(
    results: Results, table: SystemsTable, metric: str, corpus: str, system: str | None, published: object
) -> tuple[str, ...]:
    """Return the reasons why the number of a cell is not comparable; none where it is beside no published number."""
    if system is None or published_number(published) is None:
        return ()
    stated = table.not_comparable.get(metric)
    return ((stated,) if stated else ()) + why_not_comparable(results, corpus, system, metric)


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
