"""Figures of cases: documents with repeated words that a system and its baseline translate differently."""

from collections.abc import Iterator, Sequence

from docmt.kinds.cases import CasesFigure
from docmt.reporting.case_studies import Case, chain_study
from docmt.reporting.pieces import PieceContent
from docmt.reporting.results import Results


def content(_: str, item: CasesFigure, results: Results) -> PieceContent:
    """Return the case study of the item's two systems, the cases that the item shows, and their flat records.

    There is no content where one of the two systems has no scored chains, or where no chains are scored.
    """
    runs = [results.first(item.corpus, system) for system in (item.baseline, item.system)]
    is_left_out = results.settings.why_not_scored(item.corpus, "aligner")
    if is_left_out or not all(run.occurrences.exists() for run in runs):
        return PieceContent(None, ())
    study = chain_study(results, runs)
    if item.show == "different":
        cases = study.cases
    else:
        cases = tuple(case for case in study.overcorrections if item.system in case.overcorrecting)
    return PieceContent((study, cases), _records(cases))


def _records(cases: Sequence[Case]) -> Iterator[dict]:
    """Yield a flat record of the translations of each chain by the reference and by each system."""
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
