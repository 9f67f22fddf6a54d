"""Figures of curves over training: all losses share one panel, and every other quantity has a panel of its own."""

from collections.abc import Iterator, Sequence
from typing import Any

from docmt.kinds.curves import CurvesFigure
from docmt.reporting.drawn import DrawnFigure, by_reason, identifier
from docmt.reporting.figures import UPDATES, Curve, curves, thin
from docmt.reporting.look import styles_of_lines
from docmt.reporting.over_seeds import not_run
from docmt.reporting.pieces import PieceContent
from docmt.reporting.plots import ATTENTION, ENTROPY, training_curves
from docmt.reporting.reached import hours, reached
from docmt.reporting.results import Results, Run

TRAINING = "training, beside dev"
"""The explanation in the legend of dotted curves: training losses are dotted where the panel has dev losses too."""

AXES = {"updates": UPDATES, "tokens": "target tokens, millions", "hours": "device hours"}
"""The label of the horizontal axis, by the `x` of a figure."""

CURVES: dict[str, tuple[str, str, str, str]] = {
    "dev_loss": ("loss", "loss, label-smoothed", "nats a token", "loss"),
    "train_loss": ("loss", "loss, label-smoothed", "nats a token", "loss"),
    "dev_nll": ("nll", "dev cross-entropy", "nats a token", "nll"),
    "dev_perplexity": ("perplexity", "dev perplexity", "perplexity", "perplexity"),
    "kl": ("kl", "KL divergence of latent variables", "nats a chain", "kl"),
    **{
        f"{kind}_attention_entropy": (kind, f"entropy of {name}", "bits", ENTROPY + kind)
        for kind, name in ATTENTION.items()
    },
}
"""The key of the panel, the title of the panel, the unit, and the logged key of each quantity."""


def content(name: str, figure: CurvesFigure, results: Results) -> PieceContent:
    """Return a figure with a curve for each system, seed and quantity, and the points of the curves as flat records."""
    look = styles_of_lines({labelled.name: (labelled.system,) for labelled in figure.systems}, results.look)
    runs = [(labelled.name, run) for labelled in figure.systems for run in results.of(figure.corpus, labelled.system)]
    panels, records = [], []
    for key in dict.fromkeys(CURVES[value][0] for value in figure.values):
        values = [value for value in CURVES if CURVES[value][0] == key and value in figure.values]
        _, title, unit, _ = CURVES[values[0]]
        curves_of_runs = [(pair, value, list(_curves(*pair, value, figure))) for value in values for pair in runs]
        drawn = [curve for *_, group in curves_of_runs for curve in group]
        if drawn:
            panels.append(curves(identifier(name, key), title, drawn, look, unit=unit, x=AXES[figure.x], steps=None))
        records += [
            record
            for (_, run), value, group in curves_of_runs
            for curve in group
            for record in _records(run, value, curve)
        ]
    missing = by_reason(_missing(figure, records, results))
    marks = tuple(_reached(figure, results))
    return DrawnFigure(tuple(panels), look, marks, missing, tuple(records), shows_numbers=False).content


def _reached(figure: CurvesFigure, results: Results) -> Iterator[str]:
    """Yield a sentence for each system about its time to the lowest dev loss of the figure's baseline, if any."""
    baseline = next((labelled for labelled in figure.systems if labelled.system == figure.baseline), None)
    for labelled in figure.systems if baseline else ():
        if labelled != baseline:
            runs, others = (results.of(figure.corpus, curve.system) for curve in (labelled, baseline))
            yield from reached(labelled.name, runs, baseline.name, others)


def _missing(figure: CurvesFigure, records: Sequence[dict], results: Results) -> Iterator[tuple[str, str]]:
    """Yield the reason and the name of each quantity of a system without a curve."""
    logged = {(record["label"], record["value"]) for record in records}
    for labelled in figure.systems:
        has_run = any(run.curve for run in results.of(figure.corpus, labelled.system))
        left_out = results.settings.why_not_run(figure.corpus, labelled.system)
        why = "its training tells no such value" if has_run else not_run(left_out)
        for value in figure.values:
            if (labelled.name, value) not in logged:
                yield why, f"{value.replace('_', ' ')} of {labelled.name}"


def _curves(label: str, run: Run, value: str, figure: CurvesFigure) -> Iterator[Curve]:
    """Yield the curves of a quantity in a run, with at most CURVE_POINTS points each (docmt.reporting.figures)."""
    second = TRAINING if value == "train_loss" and "dev_loss" in figure.values else ""
    per_update = run.entry.system.train.tokens_per_update / 1e6
    logged = hours(run)
    at = {"updates": lambda update: update, "tokens": lambda update: update * per_update, "hours": logged.get}[figure.x]
    for curve in training_curves(run, "train" if value == "train_loss" else "dev", CURVES[value][3]):
        points = [(at(update), y) for update, y in zip(curve.x, curve.y, strict=True) if at(update) is not None]
        if points:
            x, y = zip(*points, strict=True)
            yield Curve(label, thin(x), thin(y), curve.dotted or second)


def _records(run: Run, value: str, curve: Curve) -> Iterator[dict[str, Any]]:
    """Yield the points of a curve as flat records, for JSON and CSV."""
    names = {"label": curve.system, "system": run.entry.system.name, "seed": run.seed, "value": value}
    for x, y in zip(curve.x, curve.y, strict=True):
        yield {**names, "second": curve.dotted, "x": x, "y": y}
