"""Tables of counts: the sizes of corpora, beside the sizes that papers report."""

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from docmt.base.checks import setting, some
from docmt.base.names import SPLITS
from docmt.catalogue.published import COUNTS, WORDS, StatedCounts
from docmt.reporting.item import KIND, BesidePublished, Checks, Count, TableConfig
from docmt.settings.system import TrainedSystem

STATED = tuple(field.name for field in dataclasses.fields(StatedCounts))
"""The names of all counts that the catalogue can state for a split."""


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
        """Raise UserError where a later stage computes the count from a view that no system on the corpus has.

        Other counts need no view.
        """
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
