"""The instances of a view as flat arrays, from which batches are framed."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice, pairwise

import numpy as np
import pyarrow as pa

from docmt.base.runs import spans, starts, sums


@dataclass(frozen=True, eq=False)
class RowChains:
    """The lexical chains of instances as flat arrays, in the form in which stage 4 stores them."""

    members: np.ndarray
    """The number of each member among the source words of its instance, chain after chain."""
    lengths: np.ndarray
    """The number of members of each chain."""
    counts: np.ndarray
    """The number of chains of each instance."""

    def take(self, indices: np.ndarray) -> "RowChains":
        """Return the chains of the instances `indices`, in that order."""
        chains = spans(starts(self.counts)[indices], self.counts[indices])
        members = spans(starts(self.lengths)[chains], self.lengths[chains])
        return RowChains(self.members[members], self.lengths[chains], self.counts[indices])

    def words(self, source_words: np.ndarray) -> np.ndarray:
        """Return the number of each member among the source words of all instances.

        `source_words` has the number of source words of each instance.
        """
        instance_of_member = np.repeat(np.repeat(np.arange(len(self.counts)), self.counts), self.lengths)
        return self.members + starts(source_words)[instance_of_member]


@dataclass(frozen=True, eq=False)
class Rows:
    """The word ids of instances, without special symbols; an instance is a row of a SEGMENTS table.

    An instance has the same number of target sentences as source sentences; target sentences may be empty.
    """

    source_ids: np.ndarray
    """The ids of the source words, sentence after sentence."""
    source_lengths: np.ndarray
    """The number of words of each source sentence, instance after instance."""
    target_ids: np.ndarray
    """The ids of the target words, sentence after sentence."""
    target_lengths: np.ndarray
    """The number of words of each target sentence, instance after instance."""
    sentences: np.ndarray
    """The number of sentences of each instance."""
    chains: RowChains | None = None
    """The lexical chains of all instances; None where they were not read."""

    @classmethod
    def from_table(cls, table: pa.Table, chains: pa.Table | None = None) -> "Rows":
        """Return the instances of a SEGMENTS table, or of another table with the same four columns.

        `chains` is the SEGMENT_CHAINS table of the same segments.
        """
        source_ids, _ = _flatten_column(table["source_ids"])
        source_lengths, sentences = _flatten_column(table["source_lengths"])
        target_ids, _ = _flatten_column(table["target_ids"])
        target_lengths, _ = _flatten_column(table["target_lengths"])
        return cls(source_ids, source_lengths, target_ids, target_lengths, sentences, chains and _read_chains(chains))

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
        source_ids, source_lengths, sentences = _flatten_lists(source)
        target_ids, target_lengths, _ = _flatten_lists(target)
        row_chains = None if chains is None else RowChains(*_flatten_lists(chains))
        return cls(source_ids, source_lengths, target_ids, target_lengths, sentences, row_chains)

    def __len__(self) -> int:
        """Return the number of instances."""
        return len(self.sentences)

    def to_lists(self, side: str) -> list[list[list[int]]]:
        """Return the ids of one side, `source` or `target`, as nested lists: instances, sentences, ids."""
        ids, lengths = getattr(self, f"{side}_ids").tolist(), getattr(self, f"{side}_lengths").tolist()
        remaining = (ids[start:end] for start, end in pairwise(accumulate(lengths, initial=0)))
        return [list(islice(remaining, count)) for count in self.sentences.tolist()]

    @cached_property
    def source_words(self) -> np.ndarray:
        """The number of source words of each instance."""
        return sums(self.source_lengths, self.sentences)

    @cached_property
    def target_words(self) -> np.ndarray:
        """The number of target words of each instance."""
        return sums(self.target_lengths, self.sentences)

    @cached_property
    def target_tokens(self) -> np.ndarray:
        """The number of decoder outputs of each instance: its words and one end for each sentence, in any frame."""
        return self.target_words + self.sentences

    @cached_property
    def _first_of_instance(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The first sentence, the first source word and the first target word of each instance."""
        return starts(self.sentences), starts(self.source_words), starts(self.target_words)

    def take(self, indices: np.ndarray | Sequence[int]) -> "Rows":
        """Return the instances `indices`, in that order."""
        indices = np.asarray(indices, dtype=np.int64)
        first_sentence, first_source, first_target = self._first_of_instance
        sentences = spans(first_sentence[indices], self.sentences[indices])
        return Rows(
            self.source_ids[spans(first_source[indices], self.source_words[indices])],
            self.source_lengths[sentences],
            self.target_ids[spans(first_target[indices], self.target_words[indices])],
            self.target_lengths[sentences],
            self.sentences[indices],
            self.chains and self.chains.take(indices),
        )


def _read_chains(table: pa.Table) -> RowChains:
    members, _ = _flatten_column(table["members"])
    return RowChains(members.astype(np.int64), *(part.astype(np.int64) for part in _flatten_column(table["lengths"])))


def _flatten_lists(instances: Sequence[Sequence[Sequence[int]]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the numbers of all lists, the length of each list, and the number of lists of each instance."""
    all_lists = [numbers for lists in instances for numbers in lists]
    parts = [number for numbers in all_lists for number in numbers], map(len, all_lists), map(len, instances)
    return tuple(np.array(list(part), dtype=np.int64) for part in parts)


def _flatten_column(column: pa.ChunkedArray) -> tuple[np.ndarray, np.ndarray]:
    """Return the values of a column of lists one after another, and the length of each list."""
    lists = column.combine_chunks()
    lists = pa.concat_arrays(lists.chunks) if isinstance(lists, pa.ChunkedArray) else lists
    return lists.flatten().to_numpy(zero_copy_only=False), lists.value_lengths().to_numpy().astype(np.int64)
