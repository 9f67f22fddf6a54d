"""Tables of counts: the sizes of corpora beside the sizes that papers state, with a row per corpus and split."""

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

from docmt.base.checks import setting, some
from docmt.base.names import SPLITS
from docmt.base.parse import parse
from docmt.catalogue.corpus import PublishedCounts
from docmt.catalogue.published import COUNTS, WORDS, StatedCounts, readings_of, stated
from docmt.reporting.item import KIND, BesidePublished, Checks, Count, PieceContent, TableConfig
from docmt.reporting.over_seeds import footnote_of, not_run, why_not_comparable, word_of
from docmt.reporting.results import Results, read_card
from docmt.settings.system import TrainedSystem

# The names of all counts that the catalogue can state for a split.
STATED = tuple(field.name for field in dataclasses.fields(StatedCounts))


@dataclass(frozen=True, kw_only=True)
class CountsTable(TableConfig):
    """A table of counts: a row per corpus and split, a column per count.

    The published numbers come from the catalogue, not from the study.
    """

    kind: Literal["counts"] = setting("counts", KIND)
    counts: tuple[str, ...] = setting(
        (),
        "names of `published` of the catalogue, such as sentences, words_per_chain",
        some("one count or more", found="nothing"),
    )
    corpora: tuple[str, ...] = setting((), "corpora of the table; the study's where it is left out")
    splits: tuple[str, ...] = setting(
        SPLITS, "splits of the corpora, each in a row", some(f"some of {', '.join(SPLITS)}", found="nothing")
    )
    published: str = setting("", "name of the paper in the catalogue's `published`; `paper` is the place in it")

    def corpora_of(self, corpora: Sequence[str]) -> Sequence[str]:
        """Return the corpora that the table states or, where it states none, `corpora`, those of the study."""
        return self.corpora or corpora

    def counts_of(self, corpora: Sequence[str]) -> Iterator[Count]:
        """Yield every cell of the table as (corpus, count, split), corpus by corpus."""
        for corpus in self.corpora_of(corpora):
            yield from ((corpus, count, split) for count in self.counts for split in self.splits)

    def beside_published(self, corpora: Sequence[str]) -> Iterator[BesidePublished]:
        """Yield the corpus and the name of every count, where the catalogue has published ones."""
        if self.published:
            yield from ((corpus, None, count) for corpus in self.corpora_of(corpora) for count in self.counts)

    def reads(self) -> list[str]:
        """Return the one input of the table, the cards with the counts of corpora."""
        return ["cards"]

    def check(self, checks: Checks, path: tuple) -> None:
        """Raise UserError for an unknown corpus, count, split or paper, and for a count that no stage computes."""
        for number, corpus in enumerate(self.corpora):
            checks.corpus(corpus, (*path, "corpora", number))
        for name, values, valid in (("counts", self.counts, STATED), ("splits", self.splits, SPLITS)):
            for number, value in enumerate(values):
                checks.known(name.removesuffix("s"), value, valid, (*path, name, number))
        for number, count in enumerate(self.counts):
            for corpus in self.corpora_of(checks.study_corpora):
                self._check_counted(count, corpus, checks, (*path, "counts", number))
        if self.published:
            self._check_published(checks, path)

    def _check_counted(self, count: str, corpus: str, checks: Checks, path: tuple) -> None:
        """Raise UserError where a count needs a view that no system on the corpus has."""
        systems = [system for system in checks.systems.values() if isinstance(system, TrainedSystem)]
        views = {system.view.name for system in systems if corpus in checks.corpora[system.name]}
        for split in self.splits if count in COUNTS else ():
            pattern = COUNTS[count].view_of(split)
            is_counted = pattern == WORDS or any(fnmatchcase(view, pattern) for view in views)
            cell, expected = f"{count} of {split} on {corpus}", f"a system there whose view is {pattern}"
            checks.require(is_counted, "no stage counts this", cell, path, expected)

    def _check_published(self, checks: Checks, path: tuple) -> None:
        """Raise UserError where the catalogue has no counts of the paper, or none from the stated table in it."""
        counts = [
            stated for name in self.corpora_of(checks.study_corpora) for stated in checks.catalogue[name].published
        ]
        places = {stated.place for stated in counts if stated.paper == self.published}
        checks.known("paper", self.published, {stated.paper for stated in counts}, (*path, "published"))
        checks.known("place of the paper", self.paper, places, (*path, "paper"))

    def content(self, name: str, results: Results) -> PieceContent:
        """Return the table with the counts from the cards of its corpora, and its cells as flat records."""
        columns = [(count, reading) for count in self.counts for reading in readings_of(count)]

        def counts(corpus: str, split: str) -> tuple[CountCell, ...]:
            return tuple(_count(self, corpus, split, *column, results) for column in columns)

        corpora = self.corpora or results.settings.study.corpora
        rows = tuple((corpus, tuple((split, counts(corpus, split)) for split in self.splits)) for corpus in corpora)
        filled = CountsContent(tuple(": ".join(filter(None, column)) for column in columns), rows)
        return PieceContent(filled, map(dataclasses.asdict, filled.cells))


@dataclass(frozen=True)
class CountCell:
    """A count of a split (`row`) of a corpus."""

    row: str
    corpus: str
    metric: str
    reading: str  # Which of the possible readings of the paper's count was measured; empty where there is one.
    published: str | None  # The number in its printed form, or None.
    measured: float | None
    # Whether the measured number, rounded like the printed number, equals it; None where one of the numbers is missing.
    agrees: bool | None
    status: str  # "measured", or the reason why the count was not measured.
    note: str  # The catalogue's explanation of a difference, or what the paper leaves open.
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


def _count(table: CountsTable, corpus: str, split: str, count: str, reading: str, results: Results) -> CountCell:
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
    return ((card or {}).get("splits") or {}).get(split) or {}
