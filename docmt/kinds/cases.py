"""Figures of cases: documents with repeated words on whose translation two systems differ."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from docmt.base.checks import setting
from docmt.kinds.item import Checks, FigureConfig, SystemOnCorpus


@dataclass(frozen=True, kw_only=True)
class CasesFigure(FigureConfig):
    """Documents with repeated words that a system and its baseline translate differently."""

    kind: Literal["cases"] = "cases"
    baseline: str
    system: str
    show: Literal["different", "overcorrected"] = setting(
        "different",
        "documents on whose words only one of the two is consistent, or words that the system translates in one way "
        "and the reference in several",
    )

    def systems_of(self, corpora: Sequence[str]) -> Iterator[SystemOnCorpus]:
        yield from ((self.corpus, self.baseline), (self.corpus, self.system))

    def reads(self) -> list[str]:
        return ["occurrences", "translations", "tokens"]

    def check(self, checks: Checks, path: tuple) -> None:
        super().check(checks, path)
        for key in ("baseline", "system"):
            checks.system(getattr(self, key), self.corpus, (*path, key))
        texts = [checks.systems[name].text for name in (self.system, self.baseline)]
        found = f"{self.system} with text {texts[0]}, {self.baseline} with {texts[1]}"
        checks.require(texts[0] == texts[1], "systems of different words", found, (*path, "system"))
