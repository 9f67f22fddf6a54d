"""Counts of words: all that learning needs to know of the training split, and small enough to be passed on."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

import pyarrow as pa

from docmt.base.columns import read_arrow, write_arrow
from docmt.text.casing import Keep, shown_cases, with_openings

COUNTS = pa.schema([("side", pa.string()), ("kind", pa.string()), ("word", pa.string()), ("count", pa.int64())])


@dataclass
class WordCounts:
    """Of one side's training sentences, before their case is changed.

    Where case is not learnt, all are `words`.
    """

    words: Counter[str] = field(default_factory=Counter)
    """Those that do not open a sentence."""

    openings: Counter[str] = field(default_factory=Counter)
    """Those that open one."""

    shown: Counter[str] = field(default_factory=Counter)
    """Those that show their case: what a truecaser learns from."""

    def count(self, lines: Iterable[str], is_case_learnt: bool) -> None:
        """`lines`: tokens joined by single spaces."""
        for line in lines:
            tokens = line.split(" ")
            if is_case_learnt:
                self._count_cases(tokens)
            else:
                self.words.update(tokens)

    def _count_cases(self, tokens: Sequence[str]) -> None:
        kinds: tuple[list[str], list[str]] = ([], [])
        for word, opens in with_openings(tokens):
            kinds[opens].append(word)
        self.words.update(kinds[False])
        self.openings.update(kinds[True])
        self.shown.update(shown_cases(tokens))

    def add(self, other: "WordCounts") -> None:
        for kind in fields(self):
            getattr(self, kind.name).update(getattr(other, kind.name))

    def cased(self, casing: Keep) -> Counter[str]:
        """The words as `casing` writes them."""
        counts: Counter[str] = Counter()
        for opens, words in ((False, self.words), (True, self.openings)):
            for word, count in words.items():
                counts[casing.cased(word, opens)] += count
        return counts


def save_counts(counts: Mapping[str, WordCounts], path: Path) -> None:
    """`counts`: by side."""
    tables = []
    for side, own in counts.items():
        for kind in fields(own):
            words = dict(sorted(getattr(own, kind.name).items()))
            columns = [[side] * len(words), [kind.name] * len(words), list(words), list(words.values())]
            tables.append(pa.table(columns, schema=COUNTS))
    write_arrow(path, pa.concat_tables(tables))


def load_counts(path: Path, into: Mapping[str, WordCounts]) -> None:
    """Add what `save_counts` wrote. Raises UserError where the file is missing or damaged."""
    for batch in read_arrow(path, COUNTS).to_batches(max_chunksize=1 << 16):
        for side, kind, word, count in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            getattr(into[side], kind)[word] += count
