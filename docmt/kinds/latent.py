"""Figures of latent variables."""

from dataclasses import dataclass
from typing import Literal

from docmt.kinds.attention import InsideFigure
from docmt.kinds.item import Checks


@dataclass(frozen=True, kw_only=True)
class LatentFigure(InsideFigure):
    """How similar each step of decoding is to the latent variables of its sentence."""

    kind: Literal["latent"] = "latent"

    def check(self, checks: Checks, path: tuple) -> None:
        super().check(checks, path)
        has_latent = getattr(checks.systems[self.system].model, "latent", False)
        checks.require(has_latent, "not a system with latent variables", self.system, (*path, "system"))
