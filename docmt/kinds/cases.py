"""Figures of the kind `cases`: documents with repeated words that a system and its baseline translate differently."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from docmt.base.checks import needed, setting
from docmt.reporting.item import KIND, Checks, FigureConfig, PieceContent, SystemOnCorpus
from docmt.reporting.results import Results

if TYPE_CHECKING:
    from docmt.reporting.case_studies import Case


@dataclass(frozen=True, kw_only=True)
class CasesFigure(FigureConfig):
    """A figure of documents with repeated words that a system and its baseline translate differently."""

    kind: Literal["cases"] = setting("cases", KIND)
    baseline: str = needed("the system that the other one is compared with")
    system: str = needed("name of the study's system")
    show: Literal["different", "overcorrected"] = setting(
        "different",
        "different: documents with repeated words that only one of the two systems translates consistently; "
        "overcorrected: repeated words that the system translates in one way and the reference in several ways",
    )

    def systems_of(self, corpora: Sequence[str]) -> Iterator[SystemOnCorpus]:
        """Yield the baseline, then the system, on the figure's corpus."""
        yield from ((self.corpus, self.baseline), (self.corpus, self.system))

    def reads(self) -> list[str]:
        """Return the inputs of the figure: occurrences of lexical chains, translations, and tokens of the corpus."""
        return ["occurrences", "translations", "tokens"]

    def check(self, checks: Checks, path: tuple) -> None:
        """Raise UserError where the study lacks a system on the corpus, or the two have other presets of text."""
        super().check(checks, path)
        for key in ("baseline", "system"):
            checks.system(getattr(self, key), self.corpus, (*path, key))
        # Chains of two systems can be compared only where both read the same source words.
        texts = [checks.systems[name].text for name in (self.system, self.baseline)]
        description = f"{self.system} with text {texts[0]}, {self.baseline} with {texts[1]}"
        checks.require(texts[0] == texts[1], "systems with different texts", description, (*path, "system"))

    def content(self, name: str, results: Results) -> PieceContent:
        """Return the case study of the item's two systems, the cases that the item shows, and their flat records.

        There is no content where one of the two systems has no scored chains, or where no chains are scored.
        """
        from docmt.reporting.case_studies import chain_study

        runs = [results.first(self.corpus, system) for system in (self.baseline, self.system)]
        is_left_out = results.settings.why_not_scored(self.corpus, "aligner")
        if is_left_out or not all(run.occurrences.exists() for run in runs):
            return PieceContent(None, ())
        study = chain_study(results, runs)
        if self.show == "different":
            cases = study.cases
        else:
            cases = tuple(case for case in study.overcorrections if self.system in case.overcorrecting)
        return PieceContent((study, cases), _records(cases))


def _records(cases: Sequence["Case"]) -> Iterator[dict]:
    for case in cases:
        for word, chain in zip(case.words, case.chains, strict=True):
            for side, rendering in (("reference", chain.reference), *chain.systems.items()):
                yield {
                    "document": case.document,
                    "word": word,
                    "side": side,
                    "translations": ", ".join(f"{text or '-'} x {count}" for text, count in rendering.counts),
                    "consistent": rendering.is_consistent,
                }
