"""Figures of latent variables: the similarity of each decoding step to the latent variables of its sentence."""

from dataclasses import dataclass
from typing import Literal

from docmt.base.checks import setting
from docmt.kinds.attention import InsideFigure, inside_maps, strip_records
from docmt.reporting.item import KIND, Checks, PieceContent
from docmt.reporting.results import Results


@dataclass(frozen=True, kw_only=True)
class LatentFigure(InsideFigure):
    """A figure of the similarity of each decoding step to the latent variables of its sentence."""

    kind: Literal["latent"] = setting("latent", KIND)

    def check(self, checks: Checks, path: tuple) -> None:
        """Raise UserError where the base class does, and where the model of the system has no latent variables."""
        super().check(checks, path)
        has_latent = getattr(checks.systems[self.system].model, "latent", False)
        checks.require(has_latent, "not a system with latent variables", self.system, (*path, "system"))

    def content(self, name: str, results: Results) -> PieceContent:
        """Return the map of similarity of the item's system, and its cells as flat records; no content without one."""
        maps = inside_maps(results, self.corpus, self.system)
        similarity = maps.similarity if maps else ()
        return PieceContent(maps if similarity else None, strip_records("similarity", similarity))
