"""What corpora hold, beside what papers state of them: splits by corpora."""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from docmt.base.parse import parse
from docmt.catalogue.corpus import PublishedCounts
from docmt.catalogue.published import COUNTS, UNCLEAR, stated
from docmt.kinds.counts import CountsTable
from docmt.reporting.over_seeds import not_run
from docmt.reporting.pieces import PieceContent
from docmt.reporting.results import Results, read_card

NOT_COUNTED = "not counted"


@dataclass(frozen=True)
class CountCell:
    """A count of one split (`row`) of a corpus, as its record has it. `published` is as it was printed, if it was.

    `agrees`: whether what was measured, rounded as what was printed, is the same; none where one of the two lacks.
    `status`: "measured", or why it is not; `note`: of a difference that the catalogue explains, or of what is not
    counted.
    """

    row: str
    corpus: str
    metric: str
    published: str | None
    measured: float | None
    agrees: bool | None
    status: str
    note: str

    @property
    def footnote(self) -> str:
        """What is said below the table; empty where nothing needs to be."""
        return self.note if self.agrees is False or self.metric in UNCLEAR else ""


@dataclass(frozen=True)
class CountsContent:
    """A table of counts: `rows` by corpus and split."""

    counts: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[str, tuple[CountCell, ...]], ...]], ...]

    @property
    def notes(self) -> list[str]:
        """What is said below, which cells name by its number."""
        return list(dict.fromkeys(cell.footnote for cell in self.cells if cell.footnote))

    @property
    def cells(self) -> Iterator[CountCell]:
        return (cell for _, splits in self.rows for _, cells in splits for cell in cells)


def content(_: str, table: CountsTable, results: Results) -> PieceContent:
    """With what the corpora's cards say."""

    def counts(corpus: str, split: str) -> tuple[CountCell, ...]:
        return tuple(_count(table, corpus, split, count, results) for count in table.counts)

    corpora = table.corpora or results.settings.study.corpora
    rows = tuple((corpus, tuple((split, counts(corpus, split)) for split in table.splits)) for corpus in corpora)
    counted = CountsContent(table.counts, rows)
    return PieceContent(counted, map(dataclasses.asdict, counted.cells))


def _count(table: CountsTable, corpus: str, split: str, count: str, results: Results) -> CountCell:
    published = _published(table, corpus, results)
    counts = published.counts.get(split) if published else None
    printed = getattr(counts, count) if counts else None
    measured = _measured(results, corpus, split, count)
    agrees = None if printed is None or measured is None else stated(printed).covers(measured)
    why = (published.reason(split, count) or "") if published and printed is not None else ""
    why = UNCLEAR.get(count, why)
    text = None if printed is None else str(printed)
    empty = NOT_COUNTED if count in UNCLEAR else not_run(results.settings.why_not_run(corpus))
    return CountCell(split, corpus, count, text, measured, agrees, empty if measured is None else "measured", why)


def _published(table: CountsTable, corpus: str, results: Results) -> PublishedCounts | None:
    """What the table's paper states in the table's place."""
    for value in results.settings.corpora.get(corpus, {}).get("published", ()):
        one = parse(PublishedCounts, value, f"published counts of {corpus}")
        if (one.paper, one.place) == (table.published, table.paper):
            return one
    return None


def _measured(results: Results, corpus: str, split: str, count: str) -> float | None:
    card = results.settings.cards.get(f"{corpus}/{count}/{split}")
    if card is not None:
        found = _split(read_card(results.folder / card), split)
        return COUNTS[count].value(found) if found else None
    return _split(results.card(corpus), split).get(count)


def _split(card: dict[str, Any] | None, split: str) -> dict[str, Any]:
    return ((card or {}).get("splits") or {}).get(split) or {}
