"""The place of the newest token of each hypothesis of a search, with the caches of each layer."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol, runtime_checkable

import torch
from torch import nn

from docmt.nn.frames import FRAMES
from docmt.nn.growing_caches import CachePart, InstanceCache, Progress, SentenceCache, attend_newest
from docmt.nn.segments import Scope, Segments, pad_runs
from docmt.nn.shapes import (
    Float,
    HeadRows,
    HypothesisHeads,
    HypothesisStates,
    HypothesisTokens,
    Int,
    Keys,
    Numbers,
    Tensor,
)
from docmt.nn.streams import Memory
from docmt.settings.models import Frame, TransformerConfig

MemoryRows = tuple[Float[Tensor, "_ H K L"], Float[Tensor, "_ H L K"]]  # Keys and values of the source


@runtime_checkable
class LayerCache(Protocol):
    """The methods of the cache of an attention module."""

    def take(self, index: Numbers, instances: Numbers | None, new_common: Int[Tensor, "I C"]) -> None:
        """Select and reorder the hypotheses by `index`; `instances` are the remaining instances where some are dropped.

        C is the number of the oldest tokens that have become common to all hypotheses of an instance, and `new_common`
        has the slot of the beam in which each of them was written.
        """


class Cache:
    """The place of the newest token of each hypothesis of a search (`docmt.nn.attention.Place`).

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
        runs, (k, v) = self.memory.layout.runs(attention.scope), attention.kv(self.memory.states)
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
        # The hypotheses at the places `changed` have begun another sentence.
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
