"""Caches of decoding: the keys and values of each layer.

A batch has N = instances * beam hypotheses, in the order of their instances. Each step of decoding appends one token to
each hypothesis.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol, runtime_checkable

import torch
from torch import nn

from docmt.nn.attention import CachePart, attend_newest
from docmt.nn.frames import FRAMES
from docmt.nn.progress import Progress
from docmt.nn.segments import Segments, pad_runs
from docmt.nn.shapes import (
    Float,
    HeadRows,
    HypothesisHeads,
    HypothesisStates,
    HypothesisTokens,
    Int,
    Keys,
    Numbers,
    PaddedPairs,
    Pairs,
    Tensor,
)
from docmt.nn.streams import Memory, Scope
from docmt.settings.models import Frame, TransformerConfig

GROWTH = 32
"""The number of tokens for which a growing cache gets room at a time; a step reads as much as it copies in `GROWTH`."""


class Window:
    """Keys and values, in one layer, of the newest tokens of all hypotheses, in the order in which they were written.

    The tokens of all slots of a beam lie side by side, and stay where they are when hypotheses are reordered: a bias
    hides the slots that did not write the tokens of a hypothesis (`Progress.bias`).
    """

    def __init__(self) -> None:
        """Begin without tokens."""
        self.room: Float[Tensor, "2 I H L B K"] | None = None
        self.first = self.end = 0
        """The places of the oldest token and after the newest token, along the axis L."""

    def append(self, k: HypothesisHeads, v: HypothesisHeads, beam: int) -> None:
        """Store the newest token of each hypothesis."""
        newest = torch.stack((k, v)).unflatten(1, (-1, beam)).transpose(2, 3)
        if self.room is None:
            self.room = newest.new_empty((*newest.shape[:3], GROWTH, *newest.shape[3:]))
        elif self.end == self.room.shape[3]:
            held = self._held()
            self._move(held, max(GROWTH, 2 * held.shape[3]))
        self.room[:, :, :, self.end] = newest
        self.end += 1

    def _held(self) -> Float[Tensor, "2 I H _ B K"]:
        """Return the tokens, without the free places."""
        return self.room[:, :, :, self.first : self.end]

    def _move(self, held: Float[Tensor, "2 I H _ B K"], capacity: int) -> None:
        """Put the tokens `held` at the front of a new room for `capacity` tokens."""
        self.room = held.new_empty((*held.shape[:3], capacity, *held.shape[4:]))
        self.first, self.end = 0, held.shape[3]
        self.room[:, :, :, : self.end] = held

    def drop(self, count: int) -> None:
        """Forget the oldest `count` tokens."""
        self.first += count

    def part(self, bias: Float[Tensor, "I 1 B L"]) -> CachePart:
        """Return the keys and values: a row for each instance, with the slots of each token side by side."""
        keys, values = self._held().flatten(3, 4)
        return CachePart(keys.transpose(2, 3), values, bias)

    def written(self, slots: Int[Tensor, "I C"]) -> PaddedPairs:
        """Return the keys and values of the oldest C tokens of each instance, each from the slot that wrote it."""
        instances, tokens = (torch.arange(size, device=slots.device) for size in slots.shape)
        room_ILBxHK = self.room.permute(1, 3, 4, 0, 2, 5)
        return room_ILBxHK[instances[:, None], self.first + tokens, slots].permute(2, 0, 3, 1, 4)

    def keep(self, instances: Numbers) -> None:
        """Drop all instances but `instances`."""
        if self.room is not None:
            self._move(self._held().index_select(1, instances), self.room.shape[3])


class SentenceCache:
    """Keys and values, in one layer, of the sentence that each hypothesis is writing.

    The cache is as long as the longest of these sentences, and not as the document.
    """

    def __init__(self) -> None:
        """Begin without tokens."""
        self.window = Window()

    def attend(self, q: HypothesisHeads, k: HypothesisHeads, v: HypothesisHeads, progress: Progress) -> HypothesisHeads:
        """Store the newest keys and values, and let each newest token attend to its sentence up to itself."""
        self.window.append(k, v, progress.beam)
        self.window.drop(self.window.end - self.window.first - progress.longest)
        return attend_newest(q, self.window.part(progress.bias("sentence", q.dtype)))

    def take(self, _: Numbers, instances: Numbers | None, *__: object) -> None:
        """Drop the rows of all instances but `instances`."""
        if instances is not None:
            self.window.keep(instances)


class InstanceCache:
    """Keys and values, in one layer, of all tokens that each hypothesis has written.

    All hypotheses of an instance usually have the same tokens, but for the last few. Tokens that all of them share are
    stored once for each instance.
    """

    def __init__(self) -> None:
        """Begin without tokens."""
        self.common: PaddedPairs | None = None
        """Keys and values that all hypotheses of an instance share: a row for each instance."""
        self.length = 0
        """The number of tokens in `common`, which has room for more tokens."""
        self.free: Float[Tensor, "1 1 1 C"] | None = None
        """What is added to the scores of `common`: 0 for a token, minus infinity for a free place."""
        self.window = Window()

    def attend(self, q: HypothesisHeads, k: HypothesisHeads, v: HypothesisHeads, progress: Progress) -> HypothesisHeads:
        """Store the newest keys and values, and let each newest token attend to all tokens of its hypothesis."""
        self.window.append(k, v, progress.beam)
        newest = self.window.part(progress.bias("instance", q.dtype))
        return attend_newest(q, self._common_part(), newest) if self.length else attend_newest(q, newest)

    def _common_part(self) -> CachePart:
        """Return the common tokens with the free places, since kernels are compiled for each number of places."""
        keys, values = self.common
        return CachePart(keys.transpose(2, 3), values, self.free, is_steady=True)

    def take(self, _: Numbers, instances: Numbers | None, new_common: Int[Tensor, "I C"]) -> None:
        """Drop the rows of all instances but `instances`, and move the tokens that have become common."""
        if self.window.room is None:
            return
        if instances is not None:
            self.window.keep(instances)
            self.common = None if self.common is None else self.common.index_select(1, instances)
        count = new_common.shape[1]
        if count:
            oldest = self.window.written(new_common)
            self.common = reserve(self.common, oldest[:, :, :, 0], self.length + count)
            self.common[:, :, :, self.length : self.length + count] = oldest
            self.length += count
            self.free = oldest.new_zeros((1, 1, 1, self.common.shape[3]))
            self.free[..., self.length :] = -torch.inf
            self.window.drop(count)


def reserve(pairs: PaddedPairs | None, newest: Pairs, length: int) -> Float[Tensor, "2 B H _ K"]:
    """Return a cache with room for `length` tokens, which is a multiple of `GROWTH`."""
    capacity = 0 if pairs is None else pairs.shape[3]
    if length <= capacity:
        return pairs
    _, rows, heads, width = newest.shape
    # New room is filled with zeros: masked keys and values are still multiplied by weight 0, and 0 times NaN is NaN.
    grown = newest.new_zeros((2, rows, heads, -(-length // GROWTH) * GROWTH, width))
    if pairs is not None:
        grown[:, :, :, :capacity] = pairs
    return grown


MemoryRows = tuple[Float[Tensor, "_ H K L"], Float[Tensor, "_ H L K"]]
"""Keys and values of the source."""


class MemoryCache:
    """Keys and values of the source in one layer, computed once: a row for each source sentence or instance."""

    def __init__(self, k: Keys, v: Keys, runs: Segments, scope: Scope) -> None:
        """Pad the keys and values of the source by `runs`, the sentences or the instances, whichever `scope` names."""
        self.scope = scope
        rows, may_attend = pad_runs(torch.stack((k, v), dim=1), runs)
        # A run without keys gives zeros, since its values are zeros; so no score is minus infinity here.
        k_RLHK, v_RLHK = rows.masked_fill(~may_attend[:, :, None, None, None], 0).unbind(2)
        # In this order of the axes, products read the rows where they are; other orders would be copied each time.
        self.rows: MemoryRows = k_RLHK.permute(0, 2, 3, 1).contiguous(), v_RLHK.transpose(1, 2).contiguous()
        lowest = torch.finfo(k.dtype).min
        self.bias = may_attend.new_zeros(may_attend.shape, dtype=k.dtype).masked_fill_(~may_attend, lowest)
        self.copies: MemoryRows | None = None
        """Copies of the row that each hypothesis attends to, where `scope` is "sentence"."""

    def attend(self, q: HypothesisHeads, progress: Progress) -> HypothesisHeads:
        """Let each hypothesis attend to its instance's source, or to the source sentence that it is translating."""
        if self.scope == "sentence":
            self._choose(progress.source_run, progress.changed)
            rows, bias = self.copies, self.bias.index_select(0, progress.source_run)
        else:
            # All hypotheses of an instance attend to the same row, as several queries of this row: no row is copied.
            rows, bias = self.rows, self.bias
        return attend_newest(q, CachePart(*rows, bias[:, None, None], is_steady=True))

    def _choose(self, runs: Numbers, changed: Numbers) -> None:
        """Copy the source rows `runs` of the hypotheses at the places `changed`, which have begun another sentence."""
        if self.copies is None:
            self.copies = _select(self.rows, runs)
        elif len(changed):
            # Only the rows that changed are copied: most hypotheses stay in their sentence from one step to the next.
            chosen = runs.index_select(0, changed)
            for copy, x in zip(self.copies, self.rows, strict=True):
                copy.index_copy_(0, changed, x.index_select(0, chosen))

    def take(self, index: Numbers, instances: Numbers | None, _: object) -> None:
        """Drop the rows of all instances but `instances`; None: no instance is dropped."""
        # Where hypotheses only change places inside an instance, nothing moves: either they share the row of their
        # instance, or `_choose` copies the rows of the sentences that changed.
        if instances is None:
            return
        if self.scope == "instance":
            self.rows, self.bias = _select(self.rows, instances), self.bias.index_select(0, instances)
        elif self.copies is not None:
            self.copies = _select(self.copies, index)


def _select(rows: MemoryRows, index: Numbers) -> MemoryRows:
    keys, values = rows
    return keys.index_select(0, index), values.index_select(0, index)


class Halves:
    """The caches of an attention of two streams: the first half of the rows is long, the second half short."""

    def __init__(self, long: InstanceCache | MemoryCache, short: SentenceCache | MemoryCache) -> None:
        """Take the cache of the long stream and the cache of the short stream."""
        self.halves = (long, short)

    def attend(self, *heads_and_progress: HeadRows | Progress) -> HeadRows:
        """Let the rows of each stream attend to the keys of the cache of this stream."""
        *heads, progress = heads_and_progress
        parts = zip(*(rows.chunk(2) for rows in heads), strict=True)
        return torch.cat([half.attend(*part, progress) for half, part in zip(self.halves, parts, strict=True)])

    def take(self, *changes: object) -> None:
        """Select and reorder the hypotheses in both halves."""
        for half in self.halves:
            half.take(*changes)


@runtime_checkable
class LayerCache(Protocol):
    """The methods of the cache of an attention module."""

    def take(self, index: Numbers, instances: Numbers | None, new_common: Int[Tensor, "I C"]) -> None:
        """Select and reorder the hypotheses by `index`; `instances` are the remaining instances where some are dropped.

        C is the number of the oldest tokens that have become common to all hypotheses of an instance, and `new_common`
        has the slot of the beam in which each of them was written.
        """


class Cache:
    """The place of the newest token of each hypothesis of a search (`docmt.nn.streams.Place`).

    `layers` holds the cache of each attention module, which its first token opens.
    """

    def __init__(self, memory: Memory, beam: int, frame: Frame) -> None:
        """Begin decoding the encoded source `memory` with `beam` hypotheses of each instance."""
        self.memory, self.beam = memory, beam
        self.progress = Progress(memory.layout, beam, FRAMES[frame].openings)
        self.layers: dict[nn.Module, LayerCache] = {}

    @property
    def tokens(self) -> HypothesisTokens:
        """The newest token of each hypothesis."""
        return self.progress.tokens

    def positions(self, config: TransformerConfig) -> tuple[Numbers, int]:
        """Return the position of each newest token, and a number above all positions."""
        progress = self.progress
        if config.positions == "running":
            return torch.full_like(progress.tokens, progress.steps - 1), progress.steps
        if table := config.learned_positions:
            # The rules of the search end each sentence in time, but a slot without a hypothesis may write on.
            return progress.cursor.clamp(max=table.rows - 1), min(progress.longest, table.rows)
        return progress.cursor, progress.longest

    def sentence_numbers(self) -> Numbers:
        """Return the number, from 0, of the sentence that each hypothesis is writing."""
        return self.progress.sentence

    def noise(self) -> AbstractContextManager:
        """Return no scope, since a search has no noise."""
        return nullcontext()

    def twice(self) -> "Cache":
        """Return the place of both streams; `Memory.both` tells that there are two."""
        return self

    def tokens_to_rows(self, x: HypothesisStates) -> HypothesisStates:
        """Return the states, of which a hypothesis shares none."""
        return x

    def rows_to_tokens(self, x: HypothesisStates) -> HypothesisStates:
        """Return the states, of which a hypothesis shares none."""
        return x

    def advance(self, tokens: HypothesisTokens) -> None:
        """Take the newest token of each hypothesis."""
        self.progress.advance(tokens)

    def attend(
        self, attention: nn.Module, q: HypothesisHeads, k: HypothesisHeads, v: HypothesisHeads
    ) -> HypothesisHeads:
        """Let each newest token attend to its sentence or its instance up to itself, and store its key and value."""
        return self.opened(attention, self.self_cache).attend(q, k, v, self.progress)

    def attend_source(self, attention: nn.Module, q: HypothesisHeads) -> HypothesisHeads:
        """Let each hypothesis attend to the source sentence that it is translating, or to its source instance."""
        return self.opened(attention, self.source_cache).attend(q, self.progress)

    def self_cache(self, attention: nn.Module) -> LayerCache:
        """Return an empty cache of the sentence that each hypothesis is writing, or of its instance."""
        if self.memory.both is not None:
            return Halves(InstanceCache(), SentenceCache())
        return SentenceCache() if attention.scope == "sentence" else InstanceCache()

    def source_cache(self, attention: nn.Module) -> LayerCache:
        """Return a cache of the keys and values of the source, which do not change during decoding."""
        runs, (k, v) = self.memory.layout.runs(attention.scope), attention.keys_values(self.memory.states)
        if self.memory.both is None:
            return MemoryCache(k, v, runs, attention.scope)
        halves = zip(k.chunk(2), v.chunk(2), strict=True)
        return Halves(*(MemoryCache(*pair, runs, attention.scope) for pair in halves))

    def opened(self, module: nn.Module, make: Callable[[nn.Module], LayerCache]) -> Any:
        """Return the cache of a module, which `make` returns for its first token."""
        if module not in self.layers:
            self.layers[module] = make(module)
        return self.layers[module]

    def by_source_sentence(self, x: Float[Tensor, "N _"]) -> tuple[Float[Tensor, "N 1 _"], Numbers]:
        """Return the row of each hypothesis by itself, and the source sentence that the hypothesis is translating."""
        return x[:, None], self.progress.source_run

    def from_source_sentence(self, x: Float[Tensor, "N 1 _"]) -> Float[Tensor, "N _"]:
        """Return a row for each hypothesis."""
        return x[:, 0]

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
