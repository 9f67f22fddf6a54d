"""Caches of decoding: the keys and values of each layer, and the progress of each hypothesis in its document.

A batch has N = instances * beam hypotheses, in the order of their instances. Each step of decoding appends one token to
each hypothesis.
"""

from typing import Any, Protocol

import numpy as np
import torch

from docmt.base.runs import starts
from docmt.nn.attention import attend_padded, attend_shared
from docmt.nn.device import download, upload
from docmt.nn.segments import Segments, pad_runs
from docmt.nn.shapes import Float, HypothesisHeads, HypothesisTokens, Keys, Numbers, PaddedPairs, Pairs, Tensor
from docmt.nn.streams import Layout, Memory, Scope

FIRST_CAPACITY = 32
"""The number of tokens for which a growing cache first has room."""


class Progress:
    """The number of the sentence that each hypothesis is writing, and the position in this sentence.

    Both are computed once in each step, for all layers. Paper: G-Transformer (Bao et al. 2021), section 4.3: the group
    tag of a token is the number of its sentence, and increases where a sentence ends.
    """

    def __init__(self, layout: Layout, beam: int, openings: tuple[int, ...]) -> None:
        """Begin before the first token of each instance of the source; `layout` has the runs of the source.

        `openings` are the decoder inputs that open a sentence; the first input always opens a sentence.
        """
        device = layout.sentences.device
        self.openings = upload(openings, device)
        counts = layout.sentences_per_instance()
        self.beam, self.steps = beam, 0
        self.first_run = upload(np.repeat(starts(counts), beam), device)
        self.last_number = upload(np.repeat(np.maximum(counts, 1) - 1, beam), device)
        self.sentence = torch.full_like(self.first_run, -1)
        """The number, in its instance, of the sentence that each hypothesis is writing; -1 before the first token."""
        self.cursor = torch.full_like(self.first_run, -1)
        """The place of the newest token of each hypothesis in its sentence, from 0; -1 before the first token."""
        self.longest = 0
        """The number of tokens of the longest sentence that a hypothesis is writing."""
        self.source_run = torch.full_like(self.first_run, -1)
        """The number, in the batch, of the source sentence that the hypothesis at each place of the batch is
        translating; -1 before the first token."""
        self.changed = self.first_run[:0]
        """The places of the batch whose source sentence is another one than in the step before."""
        self.ancestors = self.first_run.new_zeros((len(self.first_run), 0))
        """(N, tokens): the hypothesis that wrote each token; tokens that an instance's hypotheses share are absent."""

    def advance(self, tokens: HypothesisTokens) -> None:
        """Record the newest token of each hypothesis."""
        opens = torch.isin(tokens, self.openings)
        if self.steps == 0:
            opens = torch.ones_like(opens)
        self.steps += 1
        self.sentence = self.sentence + opens
        self.cursor = torch.where(opens, 0, self.cursor + 1)
        # A hypothesis may write more sentences than the source has: further ones attend to the last source sentence.
        source_run = self.first_run + torch.minimum(self.sentence, self.last_number)
        # The host waits for the device once in a step, for what all layers need.
        cursor, changed = download(torch.stack((self.cursor, (source_run != self.source_run).long())))
        self.longest = int(cursor.max()) + 1
        self.source_run, self.changed = source_run, upload(np.flatnonzero(changed), tokens.device)
        newest = torch.arange(len(tokens), device=tokens.device)
        self.ancestors = torch.cat((self.ancestors, newest[:, None]), dim=1)

    def take(self, index: Numbers, instances: Numbers | None) -> int:
        """Select and reorder the hypotheses; return the number of tokens that have become common to each instance.

        `instances` are the remaining instances where some are dropped.
        """
        for name in ("first_run", "last_number", "sentence", "cursor", "ancestors"):
            setattr(self, name, getattr(self, name).index_select(0, index))
        if instances is not None:
            # Where hypotheses only change places, the source sentences stay in their places: see `MemoryCache.take`.
            self.source_run = self.source_run.index_select(0, index)
        if not len(index):
            return 0
        beams = self.ancestors.unflatten(0, (-1, self.beam))
        # A token is common once all hypotheses of its instance descend from the hypothesis that wrote it. All instances
        # of a batch have the same number of common tokens, the smallest of them, since their caches have one length;
        # cumprod ends the count at the first token that is not common.
        common_tokens = int((beams == beams[:, :1]).all(dim=1).all(dim=0).long().cumprod(0).sum())
        self.ancestors = self.ancestors[:, common_tokens:]
        return common_tokens


class SentenceCache:
    """Keys and values, in one layer, of the sentence that each hypothesis is writing.

    The cursor of a hypothesis returns to 0 when a sentence begins, and new tokens overwrite those of the last sentence.
    Therefore the cache is as long as the longest sentence, and not as the document.
    """

    def __init__(self) -> None:
        """Begin without keys; the first call of `attend` allocates the cache."""
        self.pairs: PaddedPairs | None = None

    def attend(self, q: HypothesisHeads, k: HypothesisHeads, v: HypothesisHeads, progress: Progress) -> HypothesisHeads:
        """Store the newest keys and values, and let each newest token attend to its sentence up to itself."""
        newest, cursor, longest = torch.stack((k, v)), progress.cursor, progress.longest
        self.pairs = reserve(self.pairs, newest, longest)
        self.pairs[:, torch.arange(len(q), device=q.device), :, cursor] = newest.transpose(0, 1)
        keys, values = self.pairs[:, :, :, :longest].transpose(2, 3)
        # The mask hides the places after the cursor, which hold zeros or tokens of an earlier sentence.
        may_attend = torch.arange(longest, device=q.device) <= cursor[:, None]
        return attend_padded(q[:, None], keys, values, may_attend)[:, 0]

    def take(self, index: Numbers, *_: object) -> None:
        """Select and reorder the hypotheses by `index`."""
        if self.pairs is not None:
            self.pairs = self.pairs.index_select(1, index)


class InstanceCache:
    """Keys and values, in one layer, of all tokens that each hypothesis has written.

    All hypotheses of an instance usually have the same tokens, but for the last few. Tokens that all of them share are
    stored once for each instance: they are not moved when hypotheses are reordered, and are read once for all
    hypotheses of the instance.
    """

    def __init__(self) -> None:
        """Begin without keys; the first call of `attend` allocates the cache."""
        self.common: PaddedPairs | None = None
        """Keys and values that all hypotheses of an instance share: a row for each instance."""
        self.length = 0
        """The number of tokens in `common`, which has room for more tokens."""
        self.separate: PaddedPairs | None = None
        """Keys and values of the later tokens: a row for each hypothesis."""

    def attend(self, q: HypothesisHeads, k: HypothesisHeads, v: HypothesisHeads, progress: Progress) -> HypothesisHeads:
        """Store the newest keys and values, and let each newest token attend to all tokens of its hypothesis."""
        newest = torch.stack((k, v))[:, :, :, None]
        self.separate = newest if self.separate is None else torch.cat((self.separate, newest), dim=3)
        if self.common is None:
            self.common = newest[:, :: progress.beam, :, :0]
        return attend_shared(q, self.common[:, :, :, : self.length], self.separate)

    def take(self, index: Numbers, instances: Numbers | None, new_common: int) -> None:
        """Select and reorder the hypotheses by `index`, drop instances, and move `new_common` tokens to `common`."""
        if self.separate is None:
            return
        self.separate = self.separate.index_select(1, index)
        if instances is not None:
            self.common = self.common.index_select(1, instances)
        if new_common:
            self._move_to_common(new_common)

    def _move_to_common(self, count: int) -> None:
        """Move the keys and values of the first `count` tokens in `separate` to `common`."""
        beam = self.separate.shape[1] // self.common.shape[1]
        # The first hypothesis of each instance stands for all: these tokens are the same in all of them.
        oldest = self.separate[:, ::beam, :, :count]
        self.common = reserve(self.common, oldest[:, :, :, 0], self.length + count)
        self.common[:, :, :, self.length : self.length + count] = oldest
        self.length, self.separate = self.length + count, self.separate[:, :, :, count:]


def reserve(pairs: PaddedPairs | None, newest: Pairs, length: int) -> Float[Tensor, "2 B H _ K"]:
    """Return a cache with room for `length` tokens; where it has to grow, its capacity at least doubles."""
    capacity = 0 if pairs is None else pairs.shape[3]
    if length <= capacity:
        return pairs
    _, rows, heads, width = newest.shape
    # New room is filled with zeros: masked keys and values are still multiplied by weight 0, and 0 times NaN is NaN.
    grown = newest.new_zeros((2, rows, heads, max(2 * capacity, length, FIRST_CAPACITY), width))
    if pairs is not None:
        grown[:, :, :, :capacity] = pairs
    return grown


class MemoryCache:
    """Keys and values of the source in one layer, computed once: a row for each source sentence or instance."""

    def __init__(self, k: Keys, v: Keys, runs: Segments, scope: Scope) -> None:
        """Pad the keys and values of the source by `runs`, the sentences or the instances, whichever `scope` names."""
        self.scope = scope
        self.rows, self.may_attend = pad_runs(torch.stack((k, v), dim=1), runs)
        self.copies: Float[Tensor, "N L 2 H K"] | None = None
        """A copy of the row that each hypothesis attends to, where `scope` is "sentence"."""

    def attend(self, q: HypothesisHeads, progress: Progress) -> HypothesisHeads:
        """Let each hypothesis attend to its instance's source, or to the source sentence that it is translating."""
        if self.scope == "sentence":
            self._choose(progress.source_run, progress.changed)
            keys, values = self.copies.unbind(2)
            return attend_padded(q[:, None], keys, values, self.may_attend.index_select(0, progress.source_run))[:, 0]
        keys, values = self.rows.unbind(2)
        # All hypotheses of an instance attend to the same row, as several queries of this row: no row is copied.
        return attend_padded(q.unflatten(0, (len(keys), -1)), keys, values, self.may_attend).flatten(0, 1)

    def _choose(self, runs: Numbers, changed: Numbers) -> None:
        """Copy the source rows `runs` of the hypotheses at the places `changed`, which have begun another sentence."""
        if self.copies is None:
            self.copies = self.rows.index_select(0, runs)
        elif len(changed):
            # Only the rows that changed are copied: most hypotheses stay in their sentence from one step to the next.
            self.copies.index_copy_(0, changed, self.rows.index_select(0, runs.index_select(0, changed)))

    def take(self, index: Numbers, instances: Numbers | None, _: int) -> None:
        """Drop the rows of all instances but `instances`; None: no instance is dropped."""
        # Where hypotheses only change places inside an instance, nothing moves: either they share the row of their
        # instance, or `_choose` copies the rows of the sentences that changed.
        if instances is None:
            return
        if self.scope == "instance":
            self.rows, self.may_attend = (x.index_select(0, instances) for x in (self.rows, self.may_attend))
        elif self.copies is not None:
            self.copies = self.copies.index_select(0, index)


class TwoStreamCache:
    """Two caches for a model with two streams: the first half of the rows is the long stream, the second the short one.

    Paper: long-short term masking (Zhang et al. 2020), section 2.1.
    """

    def __init__(self, long: InstanceCache | MemoryCache, short: SentenceCache | MemoryCache) -> None:
        """Take the cache of the long stream and the cache of the short stream."""
        self.halves = (long, short)

    def attend(self, *heads_and_progress: HypothesisHeads | Progress) -> HypothesisHeads:
        """Let the rows of each stream attend to the keys of the cache of this stream."""
        *heads, progress = heads_and_progress
        parts = zip(*(rows.chunk(2) for rows in heads), strict=True)
        return torch.cat([half.attend(*part, progress) for half, part in zip(self.halves, parts, strict=True)])

    def take(self, index: Numbers, instances: Numbers | None, new_common: int) -> None:
        """Select and reorder the hypotheses by `index` in both halves."""
        for half in self.halves:
            half.take(index, instances, new_common)


class LayerCache(Protocol):
    """The methods of the cache of an attention module."""

    def take(self, index: Numbers, instances: Numbers | None, new_common: int) -> None:
        """Select and reorder the hypotheses by `index`; `instances` are the remaining instances where some are dropped.

        `new_common` is the number of the oldest tokens that have become common to all hypotheses of an instance.
        """


class Cache:
    """The state of decoding between two steps; `layers` holds the cache of each attention module."""

    def __init__(self, memory: Memory, beam: int, openings: tuple[int, ...]) -> None:
        """Begin decoding the encoded source `memory` with `beam` hypotheses of each instance.

        `openings` are the decoder inputs that open a sentence.
        """
        self.memory, self.beam = memory, beam
        self.progress = Progress(memory.layout, beam, openings)
        self.layers: dict[Any, LayerCache] = {}

    def reorder(self, index: Numbers) -> None:
        """Let hypothesis n continue hypothesis index[n], which is of the same instance."""
        # A single hypothesis continues itself.
        if self.beam == 1:
            return
        # Most steps of beam search, and all steps of greedy search, keep the order; then no cache is copied.
        if not torch.equal(index, torch.arange(len(index), device=index.device)):
            self._take(index, None)

    def keep(self, instances: Numbers) -> None:
        """Drop all instances but `instances` (numbers in the batch), and put the remaining ones into this order."""
        places_of_beam = torch.arange(self.beam, device=instances.device)
        self._take((instances[:, None] * self.beam + places_of_beam).flatten(), instances)

    def _take(self, index: Numbers, instances: Numbers | None) -> None:
        new_common = self.progress.take(index, instances)
        for layer in self.layers.values():
            layer.take(index, instances, new_common)
