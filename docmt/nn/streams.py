"""Batches as packed streams: tokens one after another, no padding, cut into sentences and instances."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import torch

from docmt.base.runs import places, spans, starts, sums
from docmt.nn.frames import FRAMES, NOTHING, add_marks, ends
from docmt.nn.noise import drop_words, token_keys
from docmt.nn.rows import RowChains, Rows
from docmt.nn.segments import Segments
from docmt.nn.shapes import Int, Numbers, RowKeys, SourceStates, Tensor, Tokens
from docmt.settings.models import Frame

Scope = Literal["sentence", "instance"]


@dataclass(frozen=True, eq=False)
class Layout:
    """How a stream is cut, twice; sentences nest in instances."""

    sentences: Segments
    instances: Segments

    def runs(self, scope: Scope) -> Segments:
        return self.sentences if scope == "sentence" else self.instances

    def sentences_per_instance(self) -> np.ndarray:
        """How many sentences each instance has; an empty run counts to the instance before it."""
        ends = np.cumsum(self.sentences.lengths), np.cumsum(self.instances.lengths)
        return np.diff(np.searchsorted(ends[0], ends[1], side="right"), prepend=0)

    def to(self, device: torch.device | str) -> "Layout":
        return Layout(self.sentences.to(device), self.instances.to(device))

    def with_shared_rows(self, rows: np.ndarray) -> "Layout":
        """The same where token t is row `rows[t]` of the states (`Segments.with_shared_rows`)."""
        return Layout(self.sentences.with_shared_rows(rows), self.instances.with_shared_rows(rows))


@dataclass(frozen=True, eq=False)
class Chains:
    """The lexical chains of a source stream: the places of a word that a document repeats; a token is in one at most.

    Paper: lexical chains (Lyu et al. 2022), section 3: S_j = (a_k, b_k), k = 1..K.
    """

    tokens: Numbers
    """Chain after chain, the place of each member in the stream."""
    runs: Segments
    """The chains as runs of `tokens`."""
    relevant: Int[Tensor, "_ _"]
    """Numbers of the chains that have a member in each sentence; the number of all chains fills the rest of a row."""

    order: Numbers
    """The members in the order of their sentences."""
    sentences: Segments
    """The members of each sentence as runs of `order`."""

    def to(self, device: torch.device | str) -> "Chains":
        return Chains(**{name: part.to(device) for name, part in vars(self).items()})


@dataclass(frozen=True, eq=False)
class Stream:
    """Tokens of whole instances, one after another."""

    tokens: Tokens
    layout: Layout
    chains: Chains | None = None
    """Of a source stream, where the batch's rows have chains."""
    keys: RowKeys | None = None
    """What makes each token's noise; none = there is none, or torch's generator makes it."""
    padding: int = 0
    """Rows at the end that hold no token (`docmt.nn.compiled`)."""

    @property
    def sentences(self) -> Segments:
        return self.layout.sentences

    @property
    def instances(self) -> Segments:
        return self.layout.instances

    def to(self, device: torch.device | str) -> "Stream":
        chains = None if self.chains is None else self.chains.to(device)
        keys = None if self.keys is None else self.keys.to(device, non_blocking=True)
        return Stream(self.tokens.to(device, non_blocking=True), self.layout.to(device), chains, keys, self.padding)

    def with_keys(self, documents: np.ndarray, side: str) -> "Stream":
        """The same with a key for each token, by the keys of its instances; `side`: source or target."""
        return replace(self, keys=token_keys(documents, self.instances.lengths, side))

    def with_word_dropout(self, share: float) -> "Stream":
        """Word dropout: each word is `<mask>` with probability `share`, by its token's key."""
        return replace(self, tokens=drop_words(self.tokens, share, self.keys))


@dataclass(frozen=True, eq=False)
class Memory:
    """An encoded source."""

    states: SourceStates
    layout: Layout

    def by_sentence(self) -> "Memory":
        """The same with each sentence an instance: what a model needs that translates sentences synchronously."""
        return replace(self, layout=Layout(self.layout.sentences, self.layout.sentences))

    def repeat_instances(self, source: Stream, which: np.ndarray) -> "Memory":
        """The same for other instances, number i of which has the source of number `which[i]` here.

        States stay as they are: the layout says where each token's are. `source`: the instances' sources as a stream,
        of which the cuts and the chains are taken; `which` rises from 0, and leaves out none.
        """
        lengths = np.asarray(self.layout.instances.lengths)
        return replace(self, layout=source.layout.with_shared_rows(spans(starts(lengths)[which], lengths[which])))


@dataclass(frozen=True, eq=False)
class Batch:
    """What one pass of the model needs; `target_out[t]` is the token to be predicted from `target_in` up to t.

    Where the input is padded there is no output to its last rows.
    """

    source: Stream
    target_in: Stream
    target_out: Tokens

    def to(self, device: torch.device | str) -> "Batch":
        return Batch(self.source.to(device), self.target_in.to(device), self.target_out.to(device, non_blocking=True))

    def with_keys(self, documents: np.ndarray) -> "Batch":
        """The same with its noise made by the keys of its instances (`docmt.nn.noise.document_keys`)."""
        return replace(
            self,
            source=self.source.with_keys(documents, "source"),
            target_in=self.target_in.with_keys(documents, "target"),
        )

    def with_word_dropout(self, share: float) -> "Batch":
        """Word dropout on the source and on the decoder's input; its output stays."""
        return replace(
            self, source=self.source.with_word_dropout(share), target_in=self.target_in.with_word_dropout(share)
        )


def frame_batch(rows: Rows, frame: Frame) -> Batch:
    """Source, decoder input and decoder output of the instances, by the table of `docmt.nn.frames`."""
    target_in, target_out = frame_target(rows, frame)
    return Batch(frame_source(rows, frame), target_in, target_out)


def frame_source(rows: Rows, frame: Frame) -> Stream:
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
    """`members`: the place of each in the stream; `sentence_lengths`: tokens of each sentence of the stream."""
    count, sentences = len(rows.lengths), len(sentence_lengths)
    sentence = np.searchsorted(np.cumsum(sentence_lengths), members, side="right")
    pairs = np.unique(np.stack((sentence, np.repeat(np.arange(count), rows.lengths))), axis=1)
    met = np.bincount(pairs[0], minlength=sentences)
    relevant = np.full((sentences, met.max(initial=0)), count)
    relevant[pairs[0], places(met)] = pairs[1]
    order = np.argsort(sentence, kind="stable")
    return Chains(
        torch.from_numpy(members),
        Segments.from_lengths(rows.lengths.tolist()),
        torch.from_numpy(relevant),
        torch.from_numpy(order),
        Segments.from_lengths(np.bincount(sentence, minlength=sentences).tolist()),
    )


def frame_target(rows: Rows, frame: Frame) -> tuple[Stream, Tokens]:
    marks = FRAMES[frame]
    first, last = ends(rows.sentences)
    before, after = marks.input_before.at(first), marks.input_after.at(last)
    tokens, lengths, _ = add_marks(rows.target_ids, rows.target_lengths, before, after)
    output, output_lengths = rows.target_ids, rows.target_lengths
    nothing = np.full(len(output_lengths), NOTHING)
    for mark in marks.output_after:
        output, output_lengths, _ = add_marks(output, output_lengths, nothing, mark.at(last))
    return _stream(tokens, lengths, rows.sentences), torch.from_numpy(output.astype(np.int64))


def output_lengths(rows: Rows, frame: Frame) -> np.ndarray:
    """Outputs of each target sentence: its words and what follows them.

    The input runs are no measure of that: an unmarked sentence's first word is output in the run before.
    """
    _, last = ends(rows.sentences)
    return rows.target_lengths + sum((mark.at(last) != NOTHING).astype(np.int64) for mark in FRAMES[frame].output_after)


def _stream(tokens: np.ndarray, lengths: np.ndarray, sentences: np.ndarray) -> Stream:
    instances = sums(lengths, sentences)
    layout = Layout(Segments.from_lengths(lengths.tolist()), Segments.from_lengths(instances.tolist()))
    return Stream(torch.from_numpy(tokens), layout)
