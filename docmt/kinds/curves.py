"""Figures of curves over training: all losses share one panel, and every other quantity has a panel of its own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Literal

from docmt.base.checks import needed, setting, some
from docmt.reporting.drawn import DrawnFigure, by_reason, identifier
from docmt.reporting.figures import UPDATES, Curve, curves, thin
from docmt.reporting.item import KIND, Checks, FigureConfig, LabelledSystem, PieceContent
from docmt.reporting.look import styles_of_lines
from docmt.reporting.over_seeds import not_run
from docmt.reporting.plots import ATTENTION, ENTROPY, training_curves
from docmt.reporting.results import Results, Run

# A quantity that a training logs while it runs.
CurveValue = Literal[
    "train_loss",
    "dev_loss",
    "dev_nll",
    "dev_perplexity",
    "kl",
    "cross_attention_entropy",
    "encoder_self_attention_entropy",
    "decoder_self_attention_entropy",
]

Share = tuple[float, float]  # Shares of the updates and of the device hours of another training.

# The explanation in the legend of dotted curves: training losses are dotted where the panel has dev losses too.
TRAINING = "training, beside dev"

# The label of the horizontal axis, by the `x` of a figure.
AXES = {"updates": UPDATES, "tokens": "target tokens, millions", "hours": "device hours"}

# The key of the panel, the title of the panel, the unit, and the logged key of each quantity.
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


@dataclass(frozen=True, kw_only=True)
class CurvesFigure(FigureConfig):
    """A figure of quantities over training: one panel has all losses, and each other quantity has its own panel."""

    kind: Literal["curves"] = setting("curves", KIND)
    systems: tuple[LabelledSystem, ...] = needed("systems, each a curve of every panel")
    values: tuple[CurveValue, ...] = needed("quantities that trainings log", some("one value or more", found="nothing"))
    x: Literal["updates", "tokens", "hours"] = setting(
        "updates", "horizontal axis: updates, the target tokens in them, or device hours"
    )
    baseline: str | None = setting(
        None, "a system of the figure; lines below say in what share of its time others reach its lowest dev loss"
    )

    def check(self, checks: Checks, path: tuple) -> None:
        """Raise UserError for an unknown or external system or corpus, and for a baseline that the figure lacks."""
        super().check(checks, path)
        for number, labelled in enumerate(self.systems):
            checks.model(labelled.system, (*path, "systems", number, "system"))
        if self.baseline is not None:
            checks.known("system", self.baseline, [curve.system for curve in self.systems], (*path, "baseline"))

    def reads(self) -> list[str]:
        """Return the inputs of the figure: the records and the logged metrics of trainings."""
        return ["records", "curves"]

    def content(self, name: str, results: Results) -> PieceContent:
        """Return a figure with a curve for each system, seed and quantity, and its points as flat records."""
        look = styles_of_lines({labelled.name: (labelled.system,) for labelled in self.systems}, results.look)
        runs = [(labelled.name, run) for labelled in self.systems for run in results.of(self.corpus, labelled.system)]
        panels, records = [], []
        for key in dict.fromkeys(CURVES[value][0] for value in self.values):
            values = [value for value in CURVES if CURVES[value][0] == key and value in self.values]
            _, title, unit, _ = CURVES[values[0]]
            curves_of_runs = [(pair, value, list(_curves(*pair, value, self))) for value in values for pair in runs]
            drawn = [curve for *_, group in curves_of_runs for curve in group]
            if drawn:
                panels.append(curves(identifier(name, key), title, drawn, look, unit=unit, x=AXES[self.x], steps=None))
            records += [
                record
                for (_, run), value, group in curves_of_runs
                for curve in group
                for record in _records(run, value, curve)
            ]
        missing = by_reason(_missing(self, records, results))
        marks = tuple(_reached(self, results))
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
    second = TRAINING if value == "train_loss" and "dev_loss" in figure.values else ""
    per_update = run.entry.system.train.tokens_per_update / 1e6
    logged = _hours(run)
    at = {"updates": lambda update: update, "tokens": lambda update: update * per_update, "hours": logged.get}[figure.x]
    for curve in training_curves(run, "train" if value == "train_loss" else "dev", CURVES[value][3]):
        points = [(at(update), y) for update, y in zip(curve.x, curve.y, strict=True) if at(update) is not None]
        if points:
            x, y = zip(*points, strict=True)
            yield Curve(label, thin(x), thin(y), curve.dotted or second)


def _records(run: Run, value: str, curve: Curve) -> Iterator[dict[str, Any]]:
    names = {"label": curve.system, "system": run.entry.system.name, "seed": run.seed, "value": value}
    for x, y in zip(curve.x, curve.y, strict=True):
        yield {**names, "second": curve.dotted, "x": x, "y": y}


def _hours(run: Run) -> dict[int, float]:
    """Return the device hours of a training so far, by the update; 0 before the first update."""
    logged = (row for row in run.curve if row.get("kind") == "train" and row.get("device_hours") is not None)
    # Trainings log the hours with the means over updates, at the latest right before each validation.
    return {0: 0.0} | {row["update"]: row["device_hours"] for row in logged}


def reached(label: str, runs: Sequence[Run], baseline: str, baselines: Sequence[Run]) -> Iterator[str]:
    """Yield a sentence about the time that a system takes to the lowest dev loss of a baseline, as a mean over seeds.

    `label`, `baseline`: the labels of the two systems. Only seeds that both have trained are compared. There is no
    sentence without such a seed.
    """
    of_seeds = {run.seed: run for run in baselines}
    pairs = [(run, of_seeds[run.seed]) for run in runs if run.seed in of_seeds]
    compared = [(run, other) for run, other in pairs if _losses(run) and _lowest(other)]
    if not compared:
        return
    shares = [share for pair in compared if (share := _share(*pair)) is not None]
    if not shares:
        yield f"{label} does not reach the lowest dev loss of {baseline}"
        return
    updates, times = (100 * fmean(column) for column in zip(*shares, strict=True))
    seeds = f" ({len(shares)} of {len(compared)} seeds reach it)" if len(compared) > 1 else ""
    yield (
        f"{label} reaches the lowest dev loss of {baseline} in {updates:.0f} % of its updates "
        f"and {times:.0f} % of its hours{seeds}"
    )


def _losses(run: Run) -> list[tuple[int, float]]:
    """Return (update, dev loss) of each validation at which the training has logged its hours."""
    dev = [(row["update"], row["loss"]) for row in run.curve if row.get("kind") == "dev" and "loss" in row]
    logged = _hours(run)
    return [(update, loss) for update, loss in dev if update in logged]


def _lowest(run: Run) -> tuple[int, float] | None:
    """Return the update and the value of the lowest dev loss after the first update; None without any."""
    losses = [(loss, update) for update, loss in _losses(run) if update > 0]
    loss, update = min(losses, default=(0.0, 0))
    return (update, loss) if losses else None


def _share(run: Run, other: Run) -> Share | None:
    """Return the share of the other training's time to its lowest dev loss; None where a run does not reach it."""
    last, lowest = _lowest(other)
    update = next((update for update, loss in _losses(run) if loss <= lowest), None)
    return None if update is None else (update / last, _hours(run)[update] / _hours(other)[last])
