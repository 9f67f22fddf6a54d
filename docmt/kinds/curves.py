"""Figures of curves: what trainings tell while they go on."""

from dataclasses import dataclass
from typing import Literal

from docmt.base.checks import need, setting
from docmt.kinds.item import FigureConfig, LabelledSystem

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
"""What a training tells while it goes on."""


@dataclass(frozen=True, kw_only=True)
class CurvesFigure(FigureConfig):
    """What trainings tell while they go on: losses together, everything else in a panel of its own."""

    kind: Literal["curves"] = "curves"
    systems: tuple[LabelledSystem, ...]
    values: tuple[CurveValue, ...]
    x: Literal["updates", "tokens"] = setting("updates", "updates, or the target tokens that these are of")

    def __post_init__(self) -> None:
        need(bool(self.values), "values", "nothing", "one value or more")

    def reads(self) -> list[str]:
        return ["records", "curves"]
