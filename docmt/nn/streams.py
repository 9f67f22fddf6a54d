"""Batches as packed streams: tokens without padding, one sentence after another, cut into sentences and instances."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import torch

from docmt.base.runs import places, spans, starts, sums
from docmt.nn.frames import FRAMES, NOTHING, add_marks, ends
from docmt.nn.noise import branch_keys, drop_words, narrowed_key_scope, token_keys
from docmt.nn.rows import RowChains, Rows
from docmt.nn.segments import Segments
from docmt.nn.shapes import AnyStates, Int, Numbers, RowKeys, SourceStates, Tensor, Tokens
from docmt.settings.models import Frame

Scope = Literal["sentence", "instance"]
"""The tokens that a token may attend to: those of its sentence or those of its instance."""


@contextmanager
def selected_rows(x: AnyStates, index: Numbers, branches: Numbers | None = None) -> Iterator[AnyStates]:
    """Yield the rows `index` of a stream, whose noise modules find until the end of the block.

    Where `index` has a row several times, `branches` numbers its copies, so that they have different noise.
    """
    with narrowed_key_scope(index, branches):
        yield x.index_select(0, index)


@dataclass(frozen=True, eq=False)
class Layout:
    """The two partitions of a stream, into sentences and into instances; each sentence is inside one instance."""

    sentences: Segments
    instances: Segments

    def runs(self, scope: Scope) -> Segments:
        """Return the sentences or the instances, whichever `scope` names."""
        return self.sentences if scope == "sentence" else self.instances

    def sentences_per_instance(self) -> np.ndarray:
        """Return the number of sentences of each instance; an empty sentence between instances counts to the first."""
        end_offsets = np.cumsum(self.sentences.lengths), np.cumsum(self.instances.lengths)
        return np.diff(np.searchsorted(end_offsets[0], end_offsets[1], side="right"), prepend=0)

    def to(self, device: torch.device | str) -> "Layout":
        """Return the layout on the device."""
        return Layout(self.sentences.to(device), self.instances.to(device))

    def with_shared_rows(self, rows: np.ndarray) -> "Layout":
        """Return the layout of tokens that share rows: token t has row `rows[t]` (`Segments.with_shared_rows`)."""
        return Layout(self.sentences.with_shared_rows(rows), self.instances.with_shared_rows(rows))


@dataclass(frozen=True, eq=False)
class Chains:
    """The lexical chains of a source stream; a chain has the tokens of a word that a document repeats.

    A token is in at most one chain.

    Paper: lexical chains (Lyu et al. 2022), section 3: S_j = (a_k, b_k), k = 1..K.
    """

    tokens: Numbers
    """The place of each member in the stream, chain after chain."""
    runs: Segments
    """The chains as runs of `tokens`."""
    relevant: Int[Tensor, "_ _"]
    """A row for each sentence: the numbers of the chains in it; the number of all chains fills the rest of a row."""

    order: Numbers
    """The members in the order of their sentences, as indices of `tokens`."""
    sentences: Segments
    """Runs of `order`: the members of each sentence."""
    counts: np.ndarray
    """The number of chains of each instance, on the host."""

    def to(self, device: torch.device | str) -> "Chains":
        """Return the chains on the device."""
        tensors = (part.to(device, non_blocking=True) for part in (self.tokens, self.relevant, self.order))
        tokens, relevant, order = tensors
        return Chains(tokens, self.runs.to(device), relevant, order, self.sentences.to(device), self.counts)


@dataclass(frozen=True, eq=False)
class Stream:
    """The tokens of whole instances, one after another."""

    tokens: Tokens
    layout: Layout
    chains: Chains | None = None
    """The lexical chains of a source stream; None where the instances were read without chains."""
    keys: RowKeys | None = None
    """The noise key of each token; None where there is no noise, or where torch's generator draws it."""
    padding: int = 0
    """The number of tokens at the end that only pad the stream (`docmt.nn.compiled`)."""
    on_host: np.ndarray | None = None
    """A copy of `tokens` on the host, where these are on another device (`to`)."""

    def host_tokens(self) -> np.ndarray:
        """Return the tokens on the host, which does not wait for the device."""
        return self.tokens.numpy() if self.on_host is None else self.on_host

    @property
    def sentences(self) -> Segments:
        """The sentences of the stream."""
        return self.layout.sentences

    @property
    def instances(self) -> Segments:
        """The instances of the stream."""
        return self.layout.instances

    def to(self, device: torch.device | str) -> "Stream":
        """Return the stream on the device; the host keeps a copy of the tokens."""
        chains = None if self.chains is None else self.chains.to(device)
        keys = None if self.keys is None else self.keys.to(device, non_blocking=True)
        tokens = self.tokens.to(device, non_blocking=True)
        return Stream(tokens, self.layout.to(device), chains, keys, self.padding, self.host_tokens())

    def with_keys(self, documents: np.ndarray, side: str) -> "Stream":
        """Return the stream with a noise key for each token.

        `documents` has the noise key of each instance; `side` is source or target.
        """
        return replace(self, keys=token_keys(documents, self.instances.lengths, side))

    def twice(self, layout: Layout) -> "Stream":
        """Return the stream as it is and once more, with other noise; `layout` has the runs of both together."""
        keys = None if self.keys is None else torch.cat((self.keys, branch_keys(self.keys, 0)))
        return replace(self, layout=layout, keys=keys)

    def with_word_dropout(self, share: float) -> "Stream":
        """Return the stream with each word replaced by `<mask>` with probability `share`, drawn by the token's key."""
        return replace(self, tokens=drop_words(self.tokens, share, self.keys), on_host=None)


@dataclass(frozen=True, eq=False)
class Memory:
    """An encoded source: its final states and its layout."""

    states: SourceStates
    layout: Layout

    def by_sentence(self) -> "Memory":
        """Return the memory with each sentence as an instance, for models that decode sentences synchronously."""
        return replace(self, layout=Layout(self.layout.sentences, self.layout.sentences))

    def repeat_instances(self, source: Stream, which: np.ndarray) -> "Memory":
        """Return the memory where instance i has the source of the present instance `which[i]`.

        The states are not copied: the new layout says which row of the states each token has. `source` is the stream of
        the sources of the new instances, which gives the layout and the chains. The numbers in `which` begin with 0,
        never fall, and omit no instance.
        """
        lengths = np.asarray(self.layout.instances.lengths)
        return replace(self, layout=source.layout.with_shared_rows(spans(starts(lengths)[which], lengths[which])))


@dataclass(frozen=True, eq=False)
class Batch:
    """The input of a pass of the model, and `target_out`, whose token t is predicted from `target_in` up to token t.

    Where the input streams are padded, `target_out` is shorter than `target_in`: the padding has no output.
    """

    source: Stream
    target_in: Stream
    target_out: Tokens

    def to(self, device: torch.device | str) -> "Batch":
        """Return the batch on the device."""
        return Batch(self.source.to(device), self.target_in.to(device), self.target_out.to(device, non_blocking=True))

    def with_keys(self, documents: np.ndarray) -> "Batch":
        """Return the batch with noise keys; `documents` has the key of each instance (`noise.document_keys`)."""
        return replace(
            self,
            source=self.source.with_keys(documents, "source"),
            target_in=self.target_in.with_keys(documents, "target"),
        )

    def with_word_dropout(self, share: float) -> "Batch":
        """Return the batch with word dropout on the source and on the decoder's input; `target_out` is unchanged."""
        return replace(
            self, source=self.source.with_word_dropout(share), target_in=self.target_in.with_word_dropout(share)
        )


def frame_batch(rows: Rows, frame: Frame) -> Batch:
    """Return the source, decoder input and decoder output of instances, with the symbols of the frame."""
    target_in, target_out = frame_target(rows, frame)
    return Batch(frame_source(rows, frame), target_in, target_out)


def frame_source(rows: Rows, frame: Frame) -> Stream:
    """Return the source stream of instances, with their lexical chains where `rows` has them."""
    marks = FRAMES[frame]
    first, last = ends(rows.sentences)
    before, after = marks.source_before.at(first), marks.source_after.at(last)
    tokens, lengths, words = add_marks(rows.source_ids, rows.source_lengths, before, after)
    stream = _stream(tokens, lengths, rows.sentences)
    if rows.chains is None:
        return stream
    members = words[rows.chains.words(rows.source_words)]
    return replace(stream, chains=chains_of(rows.chains, members, lengths))


def chains_of(rows: RowChains, members: np.ndarray, sentence_lengths: np.ndarray) -> Chains:
    """Return lexical chains as places in a stream.

    `members` has the place of each member in the stream; `sentence_lengths` has the number of tokens of each sentence
    of the stream.
    """
    chain_count, sentences = len(rows.lengths), len(sentence_lengths)
    sentence_of_member = np.searchsorted(np.cumsum(sentence_lengths), members, side="right")
    # A chain may have several members in a sentence; `pairs` has each pair of a sentence and a chain once, sorted.
    pairs = np.unique(np.stack((sentence_of_member, np.repeat(np.arange(chain_count), rows.lengths))), axis=1)
    chains_per_sentence = np.bincount(pairs[0], minlength=sentences)
    relevant = np.full((sentences, chains_per_sentence.max(initial=0)), chain_count)
    relevant[pairs[0], places(chains_per_sentence)] = pairs[1]
    # The sort is stable, so that the members of a sentence are in the order of their chains.
    order = np.argsort(sentence_of_member, kind="stable")
    return Chains(
        torch.from_numpy(members),
        Segments.from_lengths(rows.lengths.tolist()),
        torch.from_numpy(relevant),
        torch.from_numpy(order),
        Segments.from_lengths(np.bincount(sentence_of_member, minlength=sentences).tolist()),
        rows.counts,
    )


def frame_target(rows: Rows, frame: Frame) -> tuple[Stream, Tokens]:
    """Return the decoder's input as a stream, and the tokens of the decoder's output."""
    marks = FRAMES[frame]
    first, last = ends(rows.sentences)
    before, after = marks.input_before.at(first), marks.input_after.at(last)
    tokens, lengths, _ = add_marks(rows.target_ids, rows.target_lengths, before, after)
    output, lengths_with_marks = rows.target_ids, rows.target_lengths
    nothing = np.full(len(lengths_with_marks), NOTHING)
    for mark in marks.output_after:
        output, lengths_with_marks, _ = add_marks(output, lengths_with_marks, nothing, mark.at(last))
    return _stream(tokens, lengths, rows.sentences), torch.from_numpy(output.astype(np.int64))


def output_lengths(rows: Rows, frame: Frame) -> np.ndarray:
    """Return the number of outputs of each target sentence: its words and the symbols after them.

    The sentences of the decoder's input may have other lengths: with the frame `unmarked` the first word of a sentence
    is predicted from the last token of the sentence before it.
    """
    _, last = ends(rows.sentences)
    return rows.target_lengths + sum((mark.at(last) != NOTHING).astype(np.int64) for mark in FRAMES[frame].output_after)


def _stream(tokens: np.ndarray, lengths: np.ndarray, sentences: np.ndarray) -> Stream:
    instances = sums(lengths, sentences)
    layout = Layout(Segments.from_lengths(lengths.tolist()), Segments.from_lengths(instances.tolist()))
    return Stream(torch.from_numpy(tokens), layout)
