"""Figures of the latent variables of lexical chains."""

from dataclasses import dataclass
from typing import Literal

from docmt.base.checks import setting
from docmt.kinds.attention import InsideFigure
from docmt.reporting.item import KIND, Checks


@dataclass(frozen=True, kw_only=True)
class LatentFigure(InsideFigure):
    """A figure of the similarity of each decoding step to the latent variables of its sentence."""

    kind: Literal["latent"] = setting("latent", KIND)

    def check(self, checks: Checks, path: tuple) -> None:
        """Raise UserError where the base class does, and where the model of the system has no latent variables."""
        super().check(checks, path)
        has_latent = getattr(checks.systems[self.system].model, "latent", False)
        checks.require(has_latent, "not a system with latent variables", self.system, (*path, "system"))
