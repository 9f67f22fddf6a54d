"""The instances of a view as ragged arrays, from which batches are framed."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np
import pyarrow as pa

from docmt.base.ragged import Ragged, starts


@dataclass(frozen=True, eq=False)
class RowChains:
    """The lexical chains of instances, in the form in which stage 4 stores them."""

    members: Ragged
    """The numbers of the members of each instance's chains among its source words, chain after chain."""
    lengths: Ragged
    """The number of members of each chain of each instance."""

    def words(self, source_words: np.ndarray) -> np.ndarray:
        """Return the number of each member among the source words of all instances.

        `source_words` has the number of source words of each instance.
        """
        return self.members.flat() + np.repeat(starts(source_words), self.members.lengths)


@dataclass(frozen=True, eq=False)
class Rows:
    """The word ids of instances, without special symbols; an instance is a row of a SEGMENTS table.

    An instance has the same number of target sentences as source sentences; target sentences may be empty.
    """

    source_ids: Ragged
    """The ids of the source words of each instance, sentence after sentence."""
    source_lengths: Ragged
    """The number of words of each source sentence of each instance."""
    target_ids: Ragged
    target_lengths: Ragged
    chains: RowChains | None = None
    """The lexical chains of all instances; None where they were not read."""

    @classmethod
    def from_table(cls, table: pa.Table, chains: pa.Table | None = None) -> "Rows":
        """Return the instances of a SEGMENTS table, or of another table with the same four columns.

        `chains` is the SEGMENT_CHAINS table of the same segments.
        """
        names = ("source_ids", "source_lengths", "target_ids", "target_lengths")
        members = [] if chains is None else [Ragged.from_arrow(chains[name]) for name in ("members", "lengths")]
        return cls(*(Ragged.from_arrow(table[name]) for name in names), RowChains(*members) if members else None)

    @classmethod
    def from_lists(
        cls,
        source: Sequence[Sequence[Sequence[int]]],
        target: Sequence[Sequence[Sequence[int]]] | None = None,
        chains: Sequence[Sequence[Sequence[int]]] | None = None,
    ) -> "Rows":
        """Return instances from nested lists: instances, their sentences, and the ids of these.

        Without `target` all target sentences are empty. `chains` has a list of chains for each instance; a chain is the
        list of the numbers of its members among the source words of the instance.
        """
        target = [[[] for _ in sentences] for sentences in source] if target is None else target
        row_chains = None if chains is None else RowChains(*_from_nested(chains))
        return cls(*_from_nested(source), *_from_nested(target), row_chains)

    def __len__(self) -> int:
        """Return the number of instances."""
        return len(self.source_ids)

    def to_lists(self, side: str) -> list[list[list[int]]]:
        """Return the ids of one side, `source` or `target`, as nested lists: instances, sentences, ids."""
        ids, lengths = getattr(self, f"{side}_ids"), getattr(self, f"{side}_lengths")
        remaining = (sentence.tolist() for sentence in Ragged.of(ids.flat(), lengths.flat()))
        return [list(islice(remaining, count)) for count in self.sentences.tolist()]

    @property
    def sentences(self) -> np.ndarray:
        """The number of sentences of each instance."""
        return self.source_lengths.lengths

    @property
    def source_words(self) -> np.ndarray:
        """The number of source words of each instance."""
        return self.source_ids.lengths

    @property
    def target_words(self) -> np.ndarray:
        """The number of target words of each instance."""
        return self.target_ids.lengths

    @property
    def target_tokens(self) -> np.ndarray:
        """The number of decoder outputs of each instance: its words and one end for each sentence, in any frame."""
        return self.target_words + self.sentences

    def take(self, indices: np.ndarray | Sequence[int]) -> "Rows":
        """Return the instances `indices`, in that order."""
        chosen = np.asarray(indices, dtype=np.int64)
        sides = (self.source_ids, self.source_lengths, self.target_ids, self.target_lengths)
        chains = self.chains and RowChains(self.chains.members.take(chosen), self.chains.lengths.take(chosen))
        return Rows(*(part.take(chosen) for part in sides), chains)


def _from_nested(instances: Sequence[Sequence[Sequence[int]]]) -> tuple[Ragged, Ragged]:
    """Return the numbers of the lists of each instance, and the lengths of these lists."""
    counts = np.array([len(lists) for lists in instances], np.int64)
    return Ragged.from_lists(list(chain.from_iterable(instances))).grouped(counts)
