"""A study's figures of points, of positions and of curves: their panels, and the numbers that are drawn."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from docmt.kinds.curves import CurvesFigure
from docmt.kinds.item import published_number
from docmt.kinds.points import PointsFigure
from docmt.kinds.positions import PositionsFigure
from docmt.reporting.figures import DOTTED, LEVEL_DASH, Curve, Panel, Style, draw, styles, thin
from docmt.reporting.over_seeds import measured_of
from docmt.reporting.painting import UPDATES, Line, paint_points, paint_positions, paint_trainings
from docmt.reporting.plots import GLOBAL, GROUP, OWN_SENTENCE
from docmt.reporting.results import Results, Run
from docmt.reporting.tables import NOT_SCORED, not_run
from docmt.settings.metrics import parse_metric


@dataclass(frozen=True)
class Drawn:
    """A figure: `look` by the labels of its lines.

    `notes`: what other lines are, and their dashes; `marks`: what points and bars are; `missing`: what is declared and
    not there, and why; `records`: every number, for JSON and CSV.
    """

    panels: tuple[Panel, ...]
    look: dict[str, Style]
    notes: tuple[tuple[str, str], ...]
    marks: tuple[str, ...]
    missing: tuple[str, ...]
    records: tuple[dict, ...]


HOLLOW = "Hollow: published"
BARS = "Bars: from the smallest to the largest seed"
TRAINING = "training, beside dev"


def draw_points(name: str, figure: PointsFigure, results: Results) -> Drawn:
    """A panel a metric."""
    look = styles([series.label for series in figure.series])
    records = [record for metric in figure.metrics for record in _points(figure, metric, results)]
    panels = []
    for number, metric in enumerate(figure.metrics):
        lines = [_line(one.label, [r for r in records if r["metric"] == metric]) for one in figure.series]
        unit = parse_metric(metric).metric.unit
        paint = partial(paint_points, lines=lines, look=look, x=figure.x, unit=unit)
        panels.append(_panel(f"{name}-{number}", metric, paint, look))
    bars = (BARS,) if any(len(record["values"]) > 1 for record in records) else ()
    return Drawn(tuple(panels), look, (), (*bars, *_hollow(records)), _missing(records), tuple(records))


def _points(figure: PointsFigure, metric: str, results: Results) -> Iterator[dict]:
    for series in figure.series:
        for x in sorted({*series.points, *series.published}):
            published = series.published.get(x, {}).get(metric)
            yield _record(series.label, x, series.points.get(x), figure.corpus, metric, published, results)


def draw_positions(name: str, figure: PositionsFigure, results: Results) -> Drawn:
    """One panel; positions are those at which a window of the systems may have a sentence."""
    look = styles([series.label for series in figure.series])
    records = list(_positions(figure, results))
    numbers = {level.label: published_number(level.published) for level in figure.levels}
    levels = {label: number for label, number in numbers.items() if number is not None}
    lines = [_line(series.label, records) for series in figure.series]
    unit = parse_metric(figure.metric).metric.unit
    paint = partial(paint_positions, lines=lines, levels=levels, look=look, unit=unit)
    notes = tuple((f"{label}: {number:g}", LEVEL_DASH) for label, number in levels.items())
    unread = [f"{level.label}: {level.published}" for level in figure.levels if level.label not in levels]
    published = [
        {"label": level.label, "metric": figure.metric, "published": level.published} for level in figure.levels
    ]
    panels = (_panel(name, figure.metric, paint, look),)
    marks = (*_hollow(records), *unread)
    return Drawn(panels, look, notes, marks, _missing(records), (*records, *published))


def _positions(figure: PositionsFigure, results: Results) -> Iterator[dict]:
    for series in figure.series:
        windows = [e for e in results.settings.entries if (e.corpus, e.system.name) == (figure.corpus, series.system)]
        last = max((entry.system.view.test.window or 1 for entry in windows), default=0)
        for j in sorted({*map(float, range(1, last + 1)), *series.published}):
            system, metric, published = series.system, f"{figure.metric}@j{j:g}", series.published.get(j)
            yield _record(series.label, j, system, figure.corpus, metric, published, results)


def _record(
    label: str, x: float, system: str | None, corpus: str, metric: str, published: Any, results: Results
) -> dict[str, Any]:
    """A point: all seeds of its system, and what was published there."""
    runs = results.of(corpus, system) if system else []
    found = [one for run in runs if (one := measured_of(run, parse_metric(metric))) is not None]
    values = [one.value for one in found]
    return {
        "label": label,
        "x": x,
        "system": system,
        "corpus": corpus,
        "metric": metric,
        "published": published,
        "measured": sum(values) / len(values) if values else None,
        "values": values,
        "seeds": len(runs),
        "status": "measured" if values else _why_empty(corpus, system, runs, results),
        "signature": " ; ".join(dict.fromkeys(one.signature for one in found)),
    }


def _why_empty(corpus: str, system: str | None, runs: Sequence[Run], results: Results) -> str:
    if system is None:
        return "published only"
    if any(run.scores is not None for run in runs):
        return NOT_SCORED
    left_out = results.settings.why_not_run(corpus, system)
    return not_run(left_out)


def _line(label: str, records: Sequence[dict]) -> Line:
    own = [record for record in records if record["label"] == label]
    published = [(record["x"], published_number(record["published"])) for record in own]
    return Line(
        label,
        tuple((record["x"], tuple(record["values"])) for record in own if record["values"]),
        tuple((x, value) for x, value in published if value is not None),
    )


CURVES: dict[str, tuple[str, str, str, str]] = {
    "dev_loss": ("loss", "loss, label-smoothed", "nats a token", "loss"),
    "train_loss": ("loss", "loss, label-smoothed", "nats a token", "loss"),
    "dev_nll": ("nll", "dev cross-entropy", "nats a token", "nll"),
    "dev_perplexity": ("perplexity", "dev perplexity", "perplexity", "perplexity"),
    "kl": ("kl", "KL divergence of latent variables", "nats a chain", "kl"),
    "cross_attention_entropy": ("cross", "entropy of cross-attention", "bits", "entropy.cross"),
    "encoder_self_attention_entropy": (
        "encoder_self", "entropy of encoder self-attention", "bits", "entropy.encoder_self"
    ),
    "decoder_self_attention_entropy": (
        "decoder_self", "entropy of decoder self-attention", "bits", "entropy.decoder_self"
    ),
}  # fmt: skip
"""By the name of a value: its panel, what that is called, its unit, and the key that trainings write."""


def draw_curves(name: str, figure: CurvesFigure, results: Results) -> Drawn:
    """A panel for losses, and one for every other value."""
    look = styles([shown.name for shown in figure.systems])
    runs = [(shown.name, run) for shown in figure.systems for run in results.of(figure.corpus, shown.system)]
    panels, records = [], []
    for panel in dict.fromkeys(CURVES[value][0] for value in figure.values):
        values = [value for value in CURVES if CURVES[value][0] == panel and value in figure.values]
        _, title, unit, _ = CURVES[values[0]]
        told = [
            (value, run, curve)
            for value in values
            for label, run in runs
            for curve in _curves(label, run, value, figure)
        ]
        x = UPDATES if figure.x == "updates" else "target tokens, millions"
        paint = partial(paint_trainings, curves=[curve for *_, curve in told], look=look, x=x, unit=unit)
        panels.append(_panel(f"{name}-{panel}", title, paint, look))
        records += [record for one in told for record in _curve_records(*one)]
    notes = dict.fromkeys((record["second"], DOTTED) for record in records if record["second"])
    return Drawn(tuple(panels), look, tuple(notes), (), tuple(_untold(figure, records, results)), tuple(records))


def _untold(figure: CurvesFigure, records: Sequence[dict], results: Results) -> Iterator[str]:
    """What of the figure no training has told: it was not run, or its model has no such value."""
    told = {(record["label"], record["value"]) for record in records}
    for shown in figure.systems:
        has_run = any(run.curve for run in results.of(figure.corpus, shown.system))
        left_out = results.settings.why_not_run(figure.corpus, shown.system)
        why = "its training tells no such value" if has_run else not_run(left_out)
        for value in figure.values:
            if (shown.name, value) not in told:
                yield f"{shown.name}, {value.replace('_', ' ')}: {why}"


def _curves(label: str, run: Run, value: str, figure: CurvesFigure) -> Iterator[Curve]:
    """One, or, of attention that a model has to its own sentence and to the document, two. Long ones are thinned."""
    key, kind = CURVES[value][3], "train" if value == "train_loss" else "dev"
    second = TRAINING if value == "train_loss" and "dev_loss" in figure.values else ""
    for suffix, what in (("", second), (GLOBAL, ""), (GROUP, OWN_SENTENCE)):
        rows = [row for row in run.curve if row.get("kind") == kind and row.get(key + suffix) is not None]
        if rows:
            x, y = thin([_x(row, run, figure) for row in rows]), thin([row[key + suffix] for row in rows])
            yield Curve(label, x, y, what)


def _x(row: dict, run: Run, figure: CurvesFigure) -> float:
    tokens = run.entry.system.train.tokens_per_update
    return row["update"] if figure.x == "updates" else row["update"] * tokens / 1e6


def _curve_records(value: str, run: Run, curve: Curve) -> Iterator[dict[str, Any]]:
    names = {"label": curve.system, "system": run.entry.system.name, "seed": run.seed, "value": value}
    for x, y in zip(curve.x, curve.y, strict=True):
        yield {**names, "second": curve.dotted, "x": x, "y": y}


def _panel(identifier: str, title: str, paint: Callable[..., None], look: dict[str, Style]) -> Panel:
    safe = "".join(letter if letter.isalnum() else "-" for letter in identifier)
    return Panel(title, draw(f"figure-{safe}", title, paint), tuple(look))


def _hollow(records: Sequence[dict]) -> tuple[str, ...]:
    return (HOLLOW,) if any(published_number(record["published"]) is not None for record in records) else ()


def _missing(records: Sequence[dict]) -> tuple[str, ...]:
    """What is declared and not measured."""
    empty = [r for r in records if r["system"] is not None and not r["values"]]
    return tuple(f"{r['label']} at {r['x']:g}: {r['status']}" for r in empty)
