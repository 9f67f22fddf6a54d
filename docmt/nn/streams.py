"""Batches as packed streams: tokens one after another, no padding, cut into sentences and instances.

A *frame* says which special symbols stand around the sentences w1..wn of an instance:

| | wrapped | joined |
| --- | --- | --- |
| source | `<s> w1 </s>` `<s> w2 </s>` | `w1` `<sep> w2 </s>` |
| decoder input | `<s> w1` `<s> w2` | `<s> w1` `<sep> w2` |
| decoder output | `w1 </s>` `w2 </s>` | `w1 <sep>` `w2 </s>` |

So the runs of the three correspond, sentence by sentence; a run is what G-Transformer calls a group.

Paper: G-Transformer (Bao et al. 2021), section 4, for `wrapped`; long-short term masking (Zhang et al. 2020),
    appendix A.2, for `joined`: the separator belongs to the sentence that follows it.
Departs: the G-Transformer code also has a step from `</s>` to the next `<s>`, which it forces; it is no step here.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch

from docmt.core.vocabulary import BOS, EOS, SEP
from docmt.nn.rows import Rows
from docmt.nn.segments import Segments, starts
from docmt.nn.shapes import SourceStates, Tokens

Frame = Literal["wrapped", "joined"]
Scope = Literal["sentence", "instance"]

OPENING = (BOS, SEP)
"""The symbols that a sentence of the decoder's input begins with, in either frame."""


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


@dataclass(frozen=True, eq=False)
class Stream:
    """Tokens of whole instances, one after another."""

    tokens: Tokens
    layout: Layout

    @property
    def sentences(self) -> Segments:
        return self.layout.sentences

    @property
    def instances(self) -> Segments:
        return self.layout.instances

    def to(self, device: torch.device | str) -> "Stream":
        return Stream(self.tokens.to(device, non_blocking=True), self.layout.to(device))


@dataclass(frozen=True, eq=False)
class Memory:
    """An encoded source."""

    states: SourceStates
    layout: Layout


@dataclass(frozen=True, eq=False)
class Batch:
    """What one pass of the model needs; `target_out[t]` is the token to be predicted from `target_in` up to t."""

    source: Stream
    target_in: Stream
    target_out: Tokens

    def to(self, device: torch.device | str) -> "Batch":
        return Batch(self.source.to(device), self.target_in.to(device), self.target_out.to(device, non_blocking=True))


def frame_batch(rows: Rows, frame: Frame) -> Batch:
    """Source, decoder input and decoder output of the instances, by the table above."""
    target_in, target_out = frame_target(rows, frame)
    return Batch(frame_source(rows, frame), target_in, target_out)


def frame_source(rows: Rows, frame: Frame) -> Stream:
    if frame == "wrapped":
        return _stream(rows.source_ids, rows.source_lengths, rows.sentences, before=BOS, after=EOS)
    first, last = _ends(rows.sentences)
    before, after = np.where(first, NOTHING, SEP), np.where(last, EOS, NOTHING)
    return _stream(rows.source_ids, rows.source_lengths, rows.sentences, before, after)


def frame_target(rows: Rows, frame: Frame) -> tuple[Stream, Tokens]:
    first, last = _ends(rows.sentences)
    before = BOS if frame == "wrapped" else np.where(first, BOS, SEP)
    after = EOS if frame == "wrapped" else np.where(last, EOS, SEP)
    target_in = _stream(rows.target_ids, rows.target_lengths, rows.sentences, before=before, after=NOTHING)
    target_out, _ = _framed(rows.target_ids, rows.target_lengths, before=NOTHING, after=after)
    return target_in, torch.from_numpy(target_out)


NOTHING = -1
"""No symbol stands there."""


def _ends(sentences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whether a sentence is the first of its instance, and whether it is the last."""
    first, last = np.zeros((2, sentences.sum()), dtype=bool)
    filled = sentences[sentences > 0]
    first[starts(filled)] = True
    last[starts(filled) + filled - 1] = True
    return first, last


def _stream(
    words: np.ndarray,
    lengths: np.ndarray,
    sentences: np.ndarray,
    before: np.ndarray | int,
    after: np.ndarray | int,
) -> Stream:
    tokens, framed = _framed(words, lengths, before, after)
    bounds = np.concatenate(([0], np.cumsum(framed)))
    instances = np.diff(bounds[np.concatenate(([0], np.cumsum(sentences)))])
    layout = Layout(Segments.from_lengths(framed.tolist()), Segments.from_lengths(instances.tolist()))
    return Stream(torch.from_numpy(tokens), layout)


def _framed(
    words: np.ndarray, lengths: np.ndarray, before: np.ndarray | int, after: np.ndarray | int
) -> tuple[np.ndarray, np.ndarray]:
    """Sentences with their symbols, one after another, and their lengths with the symbols."""
    before, after = np.broadcast_to(before, lengths.shape), np.broadcast_to(after, lengths.shape)
    opened, closed = before != NOTHING, after != NOTHING
    framed = lengths + opened + closed
    begin = starts(framed)
    tokens = np.empty(framed.sum(), dtype=np.int64)
    is_word = np.ones(len(tokens), dtype=bool)
    for where, symbols in ((begin[opened], before[opened]), ((begin + framed - 1)[closed], after[closed])):
        tokens[where] = symbols
        is_word[where] = False
    tokens[is_word] = words
    return tokens, framed
