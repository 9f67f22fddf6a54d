"""Figures of attention to lexical chains, and what they have in common with those of latent variables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from docmt.kinds.item import Checks, FigureConfig, SystemOnCorpus
from docmt.settings.models import READS_CHAINS


@dataclass(frozen=True, kw_only=True)
class InsideFigure(FigureConfig):
    """What is looked at inside the model of one system."""

    system: str

    def systems_of(self, corpora: Sequence[str]) -> Iterator[SystemOnCorpus]:
        yield self.corpus, self.system

    def reads(self) -> list[str]:
        return ["inside"]

    def check(self, checks: Checks, path: tuple) -> None:
        super().check(checks, path)
        checks.system(self.system, self.corpus, (*path, "system"))


@dataclass(frozen=True, kw_only=True)
class AttentionFigure(InsideFigure):
    """Where a model looks for the translations of a repeated word."""

    kind: Literal["attention"] = "attention"

    def check(self, checks: Checks, path: tuple) -> None:
        super().check(checks, path)
        kind = checks.systems[self.system].model.kind
        what, found = "not a system that reads lexical chains", f"{self.system}, model.kind {kind}"
        checks.require(kind in READS_CHAINS, what, found, (*path, "system"), " or ".join(READS_CHAINS))
