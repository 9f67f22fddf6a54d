"""Figures of attention to lexical chains, and their common base with figures of latent variables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from docmt.base.checks import needed, setting
from docmt.reporting.item import KIND, Checks, FigureConfig, SystemOnCorpus
from docmt.settings.models import READS_CHAINS


@dataclass(frozen=True, kw_only=True)
class InsideFigure(FigureConfig):
    """A figure of quantities inside the model of one system, which `docmt inspect` writes."""

    system: str = needed("name of the study's system")

    def systems_of(self, corpora: Sequence[str]) -> Iterator[SystemOnCorpus]:
        """Yield the one system of the figure, on the figure's corpus."""
        yield self.corpus, self.system

    def reads(self) -> list[str]:
        """Return the inputs of the figure: the output of `docmt inspect`, and the logged values of the training."""
        return ["curves", "inside"]

    def check(self, checks: Checks, path: tuple) -> None:
        """Raise UserError where the study does not have the system on the figure's corpus."""
        super().check(checks, path)
        checks.system(self.system, self.corpus, (*path, "system"))
        checks.model(self.system, (*path, "system"))


@dataclass(frozen=True, kw_only=True)
class AttentionFigure(InsideFigure):
    """A figure of a model's attention between a repeated source word and its translations."""

    kind: Literal["attention"] = setting("attention", KIND)

    def check(self, checks: Checks, path: tuple) -> None:
        """Raise UserError where the base class does, and where the model of the system reads no lexical chains."""
        super().check(checks, path)
        kind = checks.systems[self.system].model.kind
        what, description = "not a system that reads lexical chains", f"{self.system}, model.kind {kind}"
        checks.require(kind in READS_CHAINS, what, description, (*path, "system"), " or ".join(READS_CHAINS))
