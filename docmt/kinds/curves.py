"""Figures of curves: the quantities that trainings log at updates and validations."""

from dataclasses import dataclass
from typing import Literal

from docmt.base.checks import needed, setting, some
from docmt.reporting.item import KIND, Checks, FigureConfig, LabelledSystem

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
"""A quantity that a training logs while it runs."""


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
