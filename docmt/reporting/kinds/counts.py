"""Tables of counts: the sizes of corpora beside the sizes that papers state, with a row per corpus and split."""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from docmt.base.parse import parse
from docmt.catalogue.corpus import PublishedCounts
from docmt.catalogue.published import COUNTS, readings_of, stated
from docmt.kinds.counts import CountsTable
from docmt.reporting.comparable import why_not_comparable
from docmt.reporting.over_seeds import footnote_of, not_run, word_of
from docmt.reporting.pieces import PieceContent
from docmt.reporting.results import Results, read_card


@dataclass(frozen=True)
class CountCell:
    """A count of a split (`row`) of a corpus.

    `published`: the number in its printed form, or None. `agrees`: whether the measured number, rounded like the
    printed number, equals it; None where one of the numbers is missing. `status`: "measured", or the reason why the
    count was not measured. `reading`: which of the possible readings of the paper's count was measured; empty where
    there is one. `note`: the catalogue's explanation of a difference, or what the paper leaves open.
    """

    row: str
    corpus: str
    metric: str
    reading: str
    published: str | None
    measured: float | None
    agrees: bool | None
    status: str
    note: str
    not_comparable: str = ""

    @property
    def footnote(self) -> str:
        """The note below the table: why the count was not measured, or why it differs from the paper's; else empty."""
        if self.measured is None:
            return footnote_of(self.status)
        return self.note if self.agrees is False else ""

    @property
    def word(self) -> str:
        """The status without the reason that may follow it."""
        return word_of(self.status)


@dataclass(frozen=True)
class CountsContent:
    """The content of a table of counts; `columns` has the names of counts, with the reading where there are several.

    `rows` has a pair (corpus, splits) for each corpus; `splits` has a pair (split, cells) for each split; `cells` has a
    cell for each count.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[str, tuple[CountCell, ...]], ...]], ...]

    @property
    def notes(self) -> list[str]:
        """The notes below the table, each once; a cell refers to its note by a number."""
        return list(dict.fromkeys(cell.footnote for cell in self.cells if cell.footnote))

    @property
    def reasons(self) -> list[str]:
        """The reasons why measured counts are not comparable with published ones, each once."""
        cells = [cell for cell in self.cells if cell.measured is not None and cell.not_comparable]
        return list(dict.fromkeys(cell.not_comparable for cell in cells))

    @property
    def cells(self) -> Iterator[CountCell]:
        """The cells of all corpora and splits."""
        return (cell for _, splits in self.rows for _, cells in splits for cell in cells)


def content(_: str, table: CountsTable, results: Results) -> PieceContent:
    """Return the table with the counts from the cards of its corpora, and its cells as flat records."""

    columns = [(count, reading) for count in table.counts for reading in readings_of(count)]

    def counts(corpus: str, split: str) -> tuple[CountCell, ...]:
        """Return the cells of a split of a corpus."""
        return tuple(_count(table, corpus, split, *column, results) for column in columns)

    corpora = table.corpora or results.settings.study.corpora
    rows = tuple((corpus, tuple((split, counts(corpus, split)) for split in table.splits)) for corpus in corpora)
    filled = CountsContent(tuple(": ".join(filter(None, column)) for column in columns), rows)
    return PieceContent(filled, map(dataclasses.asdict, filled.cells))


def _count(table: CountsTable, corpus: str, split: str, count: str, reading: str, results: Results) -> CountCell:
    """Return the cell of a reading of a count, with its published and its measured number."""
    published = _published(table, corpus, results)
    counts = published.counts.get(split) if published else None
    printed = getattr(counts, count) if counts else None
    measured = _measured(results, corpus, split, count, reading)
    reasons = "; ".join(why_not_comparable(results, corpus, None, count)) if printed is not None else ""
    agrees = None if printed is None or measured is None or reasons else stated(printed).covers(measured)
    why = (published.reason(split, count) or "") if published and printed is not None else ""
    note = why or (COUNTS[count].unclear if count in COUNTS else "")
    text = None if printed is None else str(printed)
    status = not_run(results.settings.why_not_run(corpus)) if measured is None else "measured"
    return CountCell(split, corpus, count, reading, text, measured, agrees, status, note, reasons)


def _published(table: CountsTable, corpus: str, results: Results) -> PublishedCounts | None:
    """Return the counts of a corpus in the paper, and at the place in it, that the table names; None without any."""
    for value in results.settings.corpora.get(corpus, {}).get("published", ()):
        counts = parse(PublishedCounts, value, f"published counts of {corpus}")
        if (counts.paper, counts.place) == (table.published, table.paper):
            return counts
    return None


def _measured(results: Results, corpus: str, split: str, count: str, reading: str) -> float | None:
    """Return a reading of a count from the card of the stage that counts; None where this stage has not run."""
    card = results.settings.cards.get(f"{corpus}/{count}/{split}")
    if card is not None:
        later = read_card(results.folders.file(card))
        return COUNTS[count].values[reading](later, split) if later and later.get("splits") else None
    return _split(results.card(corpus), split).get(count)


def _split(card: dict[str, Any] | None, split: str) -> dict[str, Any]:
    """Return the counts of a split in a card; empty where there is no card, or no such split in it."""
    return ((card or {}).get("splits") or {}).get(split) or {}
