"""Segments of a view as flat arrays: what batches are framed from."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice, pairwise

import numpy as np
import pyarrow as pa

from docmt.base.runs import spans, starts, sums


@dataclass(frozen=True, eq=False)
class RowChains:
    """The chains of instances as flat arrays, as stage 4 has them."""

    members: np.ndarray
    """Chain after chain, each member's number among the source words of its instance."""
    lengths: np.ndarray
    """Members of each chain."""
    counts: np.ndarray
    """Chains of each instance."""

    def take(self, indices: np.ndarray) -> "RowChains":
        """The chains of the instances `indices`, in that order."""
        chains = spans(starts(self.counts)[indices], self.counts[indices])
        members = spans(starts(self.lengths)[chains], self.lengths[chains])
        return RowChains(self.members[members], self.lengths[chains], self.counts[indices])

    def words(self, source_words: np.ndarray) -> np.ndarray:
        """Each member's number among the source words of all instances, which have so many each."""
        instance = np.repeat(np.repeat(np.arange(len(self.counts)), self.counts), self.lengths)
        return self.members + starts(source_words)[instance]


@dataclass(frozen=True, eq=False)
class Rows:
    """Instances, one a row of a SEGMENTS table: word ids of all sentences one after another, no special symbols.

    Each instance has as many target sentences as source sentences; target sentences may be empty.
    """

    source_ids: np.ndarray
    source_lengths: np.ndarray
    """Words of each sentence, over all instances."""
    target_ids: np.ndarray
    target_lengths: np.ndarray
    sentences: np.ndarray
    """Sentences of each instance."""
    chains: RowChains | None = None
    """Where they were read, the lexical chains of each instance."""

    @classmethod
    def from_table(cls, table: pa.Table, chains: pa.Table | None = None) -> "Rows":
        """From the columns of a SEGMENTS table, or of another that has the same four; `chains`: SEGMENT_CHAINS."""
        source_ids, _ = _flat(table["source_ids"])
        source_lengths, sentences = _flat(table["source_lengths"])
        target_ids, _ = _flat(table["target_ids"])
        target_lengths, _ = _flat(table["target_lengths"])
        return cls(source_ids, source_lengths, target_ids, target_lengths, sentences, chains and _chains(chains))

    @classmethod
    def from_lists(
        cls,
        source: Sequence[Sequence[Sequence[int]]],
        target: Sequence[Sequence[Sequence[int]]] | None = None,
        chains: Sequence[Sequence[Sequence[int]]] | None = None,
    ) -> "Rows":
        """From lists of sentences of instances; without `target` every target sentence is empty.

        `chains`: of each instance its chains, a chain being the numbers of its members among the source words.
        """
        target = [[[] for _ in sentences] for sentences in source] if target is None else target
        source_ids, source_lengths, sentences = _listed(source)
        target_ids, target_lengths, _ = _listed(target)
        of_rows = None if chains is None else RowChains(*_listed(chains))
        return cls(source_ids, source_lengths, target_ids, target_lengths, sentences, of_rows)

    def __len__(self) -> int:
        return len(self.sentences)

    def to_lists(self, side: str) -> list[list[list[int]]]:
        """The ids of each instance's sentences on a side, `source` or `target`."""
        ids, lengths = getattr(self, f"{side}_ids").tolist(), getattr(self, f"{side}_lengths").tolist()
        flat = (ids[start:end] for start, end in pairwise(accumulate(lengths, initial=0)))
        return [list(islice(flat, count)) for count in self.sentences.tolist()]

    @cached_property
    def source_words(self) -> np.ndarray:
        """Source words of each instance."""
        return sums(self.source_lengths, self.sentences)

    @cached_property
    def target_words(self) -> np.ndarray:
        """Target words of each instance."""
        return sums(self.target_lengths, self.sentences)

    @cached_property
    def _first(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where each instance begins: its sentences, its source words, its target words."""
        return starts(self.sentences), starts(self.source_words), starts(self.target_words)

    def take(self, indices: np.ndarray | Sequence[int]) -> "Rows":
        """The instances `indices`, in that order."""
        indices = np.asarray(indices, dtype=np.int64)
        first_sentence, first_source, first_target = self._first
        sentences = spans(first_sentence[indices], self.sentences[indices])
        return Rows(
            self.source_ids[spans(first_source[indices], self.source_words[indices])],
            self.source_lengths[sentences],
            self.target_ids[spans(first_target[indices], self.target_words[indices])],
            self.target_lengths[sentences],
            self.sentences[indices],
            self.chains and self.chains.take(indices),
        )


def _chains(table: pa.Table) -> RowChains:
    members, _ = _flat(table["members"])
    return RowChains(members.astype(np.int64), *(part.astype(np.int64) for part in _flat(table["lengths"])))


def _listed(instances: Sequence[Sequence[Sequence[int]]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The numbers of all lists of all instances, the lengths of these lists, and how many each instance has."""
    flat = [one for lists in instances for one in lists]
    parts = [number for one in flat for number in one], map(len, flat), map(len, instances)
    return tuple(np.array(list(part), dtype=np.int64) for part in parts)


def _flat(column: pa.ChunkedArray) -> tuple[np.ndarray, np.ndarray]:
    """A column of lists as the values one after another and the lists' lengths."""
    lists = column.combine_chunks()
    lists = pa.concat_arrays(lists.chunks) if isinstance(lists, pa.ChunkedArray) else lists
    return lists.flatten().to_numpy(zero_copy_only=False), lists.value_lengths().to_numpy().astype(np.int64)
