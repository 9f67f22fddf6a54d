"""Tables of counts: the sizes of corpora beside the sizes that papers state, with a row per corpus and split."""

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
    """A count of a split (`row`) of a corpus.

    `published`: the number in its printed form, or None. `agrees`: whether the measured number, rounded like the
    printed number, equals it; None where one of the numbers is missing. `status`: "measured", or the reason why the
    count was not measured. `note`: the catalogue's explanation of a difference, or the explanation why a count cannot
    be measured.
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
        """The note below the table; empty where the count can be measured and does not differ from the paper's."""
        return self.note if self.agrees is False or self.metric in UNCLEAR else ""


@dataclass(frozen=True)
class CountsContent:
    """The content of a table of counts; `counts` has the names of the columns.

    `rows` has a pair (corpus, splits) for each corpus; `splits` has a pair (split, cells) for each split; `cells` has a
    cell for each count.
    """

    counts: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[str, tuple[CountCell, ...]], ...]], ...]

    @property
    def notes(self) -> list[str]:
        """The notes below the table, each once; a cell refers to its note by a number."""
        return list(dict.fromkeys(cell.footnote for cell in self.cells if cell.footnote))

    @property
    def cells(self) -> Iterator[CountCell]:
        """The cells of all corpora and splits."""
        return (cell for _, splits in self.rows for _, cells in splits for cell in cells)


def content(_: str, table: CountsTable, results: Results) -> PieceContent:
    """Return the table with the counts from the cards of its corpora, and its cells as flat records."""

    def counts(corpus: str, split: str) -> tuple[CountCell, ...]:
        """Return the cells of a split of a corpus."""
        return tuple(_count(table, corpus, split, count, results) for count in table.counts)

    corpora = table.corpora or results.settings.study.corpora
    rows = tuple((corpus, tuple((split, counts(corpus, split)) for split in table.splits)) for corpus in corpora)
    filled = CountsContent(table.counts, rows)
    return PieceContent(filled, map(dataclasses.asdict, filled.cells))


def _count(table: CountsTable, corpus: str, split: str, count: str, results: Results) -> CountCell:
    """Return the cell of a count, with its published and its measured number."""
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
    """Return the counts of a corpus in the paper, and at the place in it, that the table names; None without any."""
    for value in results.settings.corpora.get(corpus, {}).get("published", ()):
        counts = parse(PublishedCounts, value, f"published counts of {corpus}")
        if (counts.paper, counts.place) == (table.published, table.paper):
            return counts
    return None


def _measured(results: Results, corpus: str, split: str, count: str) -> float | None:
    """Return a count from the card of the stage that writes it; None where this stage has not run."""
    card = results.settings.cards.get(f"{corpus}/{count}/{split}")
    if card is not None:
        later = read_card(results.folder / card)
        return COUNTS[count].value(later, split) if later and later.get("splits") else None
    return _split(results.card(corpus), split).get(count)


def _split(card: dict[str, Any] | None, split: str) -> dict[str, Any]:
    """Return the counts of a split in a card; empty where there is no card, or no such split in it."""
    return ((card or {}).get("splits") or {}).get(split) or {}
