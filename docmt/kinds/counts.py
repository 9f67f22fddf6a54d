"""Tables of counts: what corpora hold, beside what papers state of them."""

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from docmt.base.checks import need, setting
from docmt.base.names import SPLITS
from docmt.base.paths import WORDS
from docmt.catalogue.published import COUNTS, StatedCounts
from docmt.kinds.item import Checks, Count, TableConfig

STATED = tuple(field.name for field in dataclasses.fields(StatedCounts))


@dataclass(frozen=True, kw_only=True)
class CountsTable(TableConfig):
    """What corpora hold: splits by corpora, each with the same counts. Published numbers stand in the catalogue."""

    kind: Literal["counts"] = "counts"
    counts: tuple[str, ...] = setting((), "names of `published` of the catalogue, such as sentences, words_per_chain")
    corpora: tuple[str, ...] = setting((), "which; the study's where it is left out")
    splits: tuple[str, ...] = setting(SPLITS, "rows")
    published: str = setting("", "the paper, as the catalogue's `published` calls it, whose place is `paper`")

    def __post_init__(self) -> None:
        need(bool(self.counts), "counts", "nothing", "one count or more")
        need(bool(self.splits), "splits", "nothing", f"some of {', '.join(SPLITS)}")

    def corpora_of(self, corpora: Sequence[str]) -> Sequence[str]:
        return self.corpora or corpora

    def counts_of(self, corpora: Sequence[str]) -> Iterator[Count]:
        for corpus in self.corpora_of(corpora):
            yield from ((corpus, count, split) for count in self.counts for split in self.splits)

    def reads(self) -> list[str]:
        return ["cards"]

    def check(self, checks: Checks, path: tuple) -> None:
        for number, corpus in enumerate(self.corpora):
            checks.corpus(corpus, (*path, "corpora", number))
        for name, values, valid in (("counts", self.counts, STATED), ("splits", self.splits, SPLITS)):
            for number, value in enumerate(values):
                checks.known(name.removesuffix("s"), value, valid, (*path, name, number))
        for number, count in enumerate(self.counts):
            for corpus in self.corpora_of(checks.study_corpora):
                self._check_made(count, corpus, checks, (*path, "counts", number))
        if self.published:
            self._check_published(checks, path)

    def _check_made(self, count: str, corpus: str, checks: Checks, path: tuple) -> None:
        """A count that a later stage gives needs a system whose view that stage cuts."""
        views = {s.view.name for s in checks.systems.values() if corpus in checks.corpora[s.name]}
        for split in self.splits if count in COUNTS else ():
            pattern = COUNTS[count].view_of(split)
            there = pattern == WORDS or any(fnmatchcase(view, pattern) for view in views)
            found, expected = f"{count} of {split} on {corpus}", f"a system there whose view is {pattern}"
            checks.require(there, "nothing counts this", found, path, expected)

    def _check_published(self, checks: Checks, path: tuple) -> None:
        """The paper, and the place of it, are some that the catalogue knows of the table's corpora."""
        stated = [one for name in self.corpora_of(checks.study_corpora) for one in checks.catalogue[name].published]
        places = {one.place for one in stated if one.paper == self.published}
        checks.known("paper", self.published, {one.paper for one in stated}, (*path, "published"))
        checks.known("place of the paper", self.paper, places, (*path, "paper"))
