"""Caches of decoding: keys and values of each layer, and the progress of each hypothesis in its document.

There are N = instances * beam hypotheses, in the order of their instances. Each step gives each of them one token.
"""

from typing import Any, Protocol

import numpy as np
import torch

from docmt.base.runs import starts
from docmt.nn.attention import attend_padded, attend_shared
from docmt.nn.segments import Segments, pad_runs
from docmt.nn.shapes import Float, HypothesisHeads, HypothesisTokens, Keys, Numbers, PaddedPairs, Pairs, Tensor
from docmt.nn.streams import Layout, Memory, Scope

FIRST_CAPACITY = 32
"""Number of tokens that a growing cache has room for at first."""


class Progress:
    """The sentence and the position that each hypothesis is writing; it is computed once a step, for all layers.

    Paper: G-Transformer (Bao et al. 2021), section 4.3: the group tag moves on as sentences end.
    """

    def __init__(self, layout: Layout, beam: int, openings: tuple[int, ...]) -> None:
        """Begin before the first token of each instance of `layout`.

        `openings` are the decoder inputs that open a sentence; the first of all inputs always opens one.
        """
        device = layout.sentences.device
        self.openings = torch.tensor(openings, device=device)
        counts = layout.sentences_per_instance()
        self.beam, self.steps = beam, 0
        self.first_run = torch.from_numpy(starts(counts)).to(device).repeat_interleave(beam)
        self.last_number = torch.from_numpy(np.maximum(counts, 1) - 1).to(device).repeat_interleave(beam)
        self.sentence = torch.full_like(self.first_run, -1)
        """Number of the sentence that is being written, within the instance; -1 before the first token."""
        self.cursor = torch.full_like(self.first_run, -1)
        """Place of the newest token within its sentence."""
        self.longest = 0
        """Number of tokens of the longest sentence that is being written."""
        self.source_run = self.first_run
        """Number, in the batch, of the source sentence that each hypothesis is translating."""
        self.ancestors = self.first_run.new_zeros((len(self.first_run), 0))
        """Number of the hypothesis that wrote each token, without the tokens that an instance's hypotheses share."""

    def advance(self, tokens: HypothesisTokens) -> None:
        """Record the newest token of each hypothesis."""
        opens = torch.isin(tokens, self.openings)
        if self.steps == 0:
            opens = torch.ones_like(opens)
        self.steps += 1
        self.sentence = self.sentence + opens
        self.cursor = torch.where(opens, 0, self.cursor + 1)
        self.longest = int(self.cursor.max()) + 1
        # A hypothesis may write more sentences than the source has: all further ones are translations of the last.
        self.source_run = self.first_run + torch.minimum(self.sentence, self.last_number)
        newest = torch.arange(len(tokens), device=tokens.device)
        self.ancestors = torch.cat((self.ancestors, newest[:, None]), dim=1)

    def take(self, index: Numbers) -> int:
        """Select and reorder the hypotheses; return the number of tokens that have become common to each instance."""
        for name in ("first_run", "last_number", "sentence", "cursor", "ancestors"):
            setattr(self, name, getattr(self, name).index_select(0, index))
        if not len(index):
            return 0
        beams = self.ancestors.unflatten(0, (-1, self.beam))
        # A token is common once all hypotheses of each instance descend from the one that wrote it. The minimum over
        # instances, since all caches of a batch have one length; cumprod ends the count at the first token that
        # differs.
        common_tokens = int((beams == beams[:, :1]).all(dim=1).all(dim=0).long().cumprod(0).sum())
        self.ancestors = self.ancestors[:, common_tokens:]
        return common_tokens


class SentenceCache:
    """Keys and values, in one layer, of the sentence that each hypothesis is writing.

    Each hypothesis has its own cursor, which returns to 0 when a sentence begins. So the cache is as long as the
    longest sentence, not as the document.
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
        # Places after the cursor hold zeros or tokens of an earlier sentence, which the mask hides.
        may_attend = torch.arange(longest, device=q.device) <= cursor[:, None]
        return attend_padded(q[:, None], keys, values, may_attend)[:, 0]

    def take(self, index: Numbers, *_: object) -> None:
        """Select and reorder the hypotheses by `index`."""
        if self.pairs is not None:
            self.pairs = self.pairs.index_select(1, index)


class InstanceCache:
    """Keys and values, in one layer, of all tokens that each hypothesis has written.

    The hypotheses of an instance mostly descend from one hypothesis of a few tokens ago. The tokens that they share are
    stored once for each instance: they are not moved when hypotheses are reordered, and are read once for all
    hypotheses of the instance.
    """

    def __init__(self) -> None:
        """Begin without keys; the first call of `attend` allocates the cache."""
        self.common: PaddedPairs | None = None
        """Keys and values that all hypotheses of an instance share: a row for each instance."""
        self.length = 0
        """Number of tokens in `common`, which has room for more."""
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
        """Move the first `count` tokens of the hypotheses to the keys and values that they have in common."""
        beam = self.separate.shape[1] // self.common.shape[1]
        # From the first hypothesis of each instance: these tokens are the same in all of them.
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
    # Zeros, since keys and values that a mask hides still take part with weight zero, and zero times nan is nan.
    grown = newest.new_zeros((2, rows, heads, max(2 * capacity, length, FIRST_CAPACITY), width))
    if pairs is not None:
        grown[:, :, :, :capacity] = pairs
    return grown


class MemoryCache:
    """Keys and values of the source in one layer, projected once: a row for each sentence or for each instance."""

    def __init__(self, k: Keys, v: Keys, runs: Segments, scope: Scope) -> None:
        """Pad the keys and values of the source by `runs`, the sentences or the instances, whichever `scope` names."""
        self.scope = scope
        self.rows, self.may_attend = pad_runs(torch.stack((k, v), dim=1), runs)
        self.chosen: Numbers | None = None
        """In the scope of a sentence: the row that each hypothesis attends to; `copies` are copies of these rows."""
        self.copies = self.rows[:0]

    def attend(self, q: HypothesisHeads, progress: Progress) -> HypothesisHeads:
        """Let each hypothesis attend to its instance's source, or to the source sentence that it is translating."""
        if self.scope == "sentence":
            self._choose(progress.source_run)
            keys, values = self.copies.unbind(2)
            return attend_padded(q[:, None], keys, values, self.may_attend.index_select(0, self.chosen))[:, 0]
        keys, values = self.rows.unbind(2)
        # The hypotheses of an instance attend to the same row, so that they are its queries: no row is copied.
        return attend_padded(q.unflatten(0, (len(keys), -1)), keys, values, self.may_attend).flatten(0, 1)

    def _choose(self, runs: Numbers) -> None:
        """Copy the rows of the hypotheses that have begun another sentence."""
        if self.chosen is None:
            self.copies = self.rows.index_select(0, runs)
        else:
            changed = (self.chosen != runs).nonzero()[:, 0]
            # In place, and only the rows that changed: most hypotheses stay in their sentence from one step to the
            # next.
            self.copies.index_copy_(0, changed, self.rows.index_select(0, runs.index_select(0, changed)))
        self.chosen = runs

    def take(self, index: Numbers, instances: Numbers | None, _: int) -> None:
        """Drop the rows of the instances that are dropped."""
        # Hypotheses that change places inside an instance need nothing: its row is shared, and `_choose` compares
        # sentences.
        if instances is None:
            return
        if self.scope == "instance":
            self.rows, self.may_attend = (x.index_select(0, instances) for x in (self.rows, self.may_attend))
        elif self.chosen is not None:
            self.copies, self.chosen = (x.index_select(0, index) for x in (self.copies, self.chosen))


class TwoStreamCache:
    """Two caches for rows in two halves: all hypotheses in the long stream, then all hypotheses in the short one.

    Paper: long-short term masking (Zhang et al. 2020), section 2.1.
    """

    def __init__(self, long: InstanceCache | MemoryCache, short: SentenceCache | MemoryCache) -> None:
        """Take the cache of the long stream and the cache of the short stream."""
        self.halves = (long, short)

    def attend(self, *heads_and_progress: HypothesisHeads | Progress) -> HypothesisHeads:
        """Let each half of the rows attend to the keys of its own cache."""
        *heads, progress = heads_and_progress
        parts = zip(*(rows.chunk(2) for rows in heads), strict=True)
        return torch.cat([half.attend(*part, progress) for half, part in zip(self.halves, parts, strict=True)])

    def take(self, index: Numbers, instances: Numbers | None, new_common: int) -> None:
        """Select and reorder the hypotheses by `index` in both halves."""
        for half in self.halves:
            half.take(index, instances, new_common)


class LayerCache(Protocol):
    """The cache of an attention module."""

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
        # Most steps of a beam, and all steps of greedy search, change nothing; then no cache is copied.
        if not torch.equal(index, torch.arange(len(index), device=index.device)):
            self._take(index, None)

    def keep(self, instances: Numbers) -> None:
        """Drop all instances but `instances`, given by their present numbers, and put these into the given order."""
        places_of_beam = torch.arange(self.beam, device=instances.device)
        self._take((instances[:, None] * self.beam + places_of_beam).flatten(), instances)

    def _take(self, index: Numbers, instances: Numbers | None) -> None:
        new_common = self.progress.take(index)
        for layer in self.layers.values():
            layer.take(index, instances, new_common)
