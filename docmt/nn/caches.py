"""What decoding keeps from step to step: keys and values, and where each hypothesis stands.

N = instances * beam hypotheses, instance by instance, advance one token each a step.
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
"""Tokens that a growing cache has room for at first."""


class Progress:
    """Where each hypothesis stands: worked out once a step for all layers.

    Paper: G-Transformer (Bao et al. 2021), section 4.3: the group tag moves on as sentences end.
    """

    def __init__(self, layout: Layout, beam: int, openings: tuple[int, ...]) -> None:
        """`openings`: the inputs that open a sentence; the first of all inputs always does."""
        device = layout.sentences.device
        self.openings = torch.tensor(openings, device=device)
        counts = layout.sentences_per_instance()
        self.beam, self.steps = beam, 0
        self.first_run = torch.from_numpy(starts(counts)).to(device).repeat_interleave(beam)
        self.last_number = torch.from_numpy(np.maximum(counts, 1) - 1).to(device).repeat_interleave(beam)
        self.sentence = torch.full_like(self.first_run, -1)
        """Number of the sentence that is being written, within the instance."""
        self.cursor = torch.full_like(self.first_run, -1)
        """Place of the newest token within its sentence."""
        self.longest = 0
        """Tokens of the longest sentence that is being written."""
        self.source_run = self.first_run
        """The source sentence that each hypothesis is translating."""
        self.ancestors = self.first_run.new_zeros((len(self.first_run), 0))
        """Which hypothesis wrote each token, from the first on that is not common to all hypotheses of an instance."""

    def advance(self, tokens: HypothesisTokens) -> None:
        """Take each hypothesis a token further."""
        opens = torch.isin(tokens, self.openings)
        if self.steps == 0:
            opens = torch.ones_like(opens)
        self.steps += 1
        self.sentence = self.sentence + opens
        self.cursor = torch.where(opens, 0, self.cursor + 1)
        self.longest = int(self.cursor.max()) + 1
        # A hypothesis may write more sentences than the source has: it stays with the last.
        self.source_run = self.first_run + torch.minimum(self.sentence, self.last_number)
        newest = torch.arange(len(tokens), device=tokens.device)
        self.ancestors = torch.cat((self.ancestors, newest[:, None]), dim=1)

    def take(self, index: Numbers) -> int:
        """Choose and order hypotheses; give how many tokens became common."""
        for name in ("first_run", "last_number", "sentence", "cursor", "ancestors"):
            setattr(self, name, getattr(self, name).index_select(0, index))
        if not len(index):
            return 0
        beams = self.ancestors.unflatten(0, (-1, self.beam))
        settled = int((beams == beams[:, :1]).all(dim=1).all(dim=0).long().cumprod(0).sum())
        self.ancestors = self.ancestors[:, settled:]
        return settled


class SentenceCache:
    """Keys and values of the sentence that each hypothesis is writing, for one layer.

    Each hypothesis has its own cursor, which goes back to the start with each sentence; so the cache is as long as
    the longest sentence, not as the document.
    """

    def __init__(self) -> None:
        self.pairs: PaddedPairs | None = None

    def attend(self, q: HypothesisHeads, k: HypothesisHeads, v: HypothesisHeads, progress: Progress) -> HypothesisHeads:
        """Put in the newest tokens, and let each see its sentence up to itself."""
        newest, cursor, longest = torch.stack((k, v)), progress.cursor, progress.longest
        self.pairs = reserve(self.pairs, newest, longest)
        self.pairs[:, torch.arange(len(q), device=q.device), :, cursor] = newest.transpose(0, 1)
        keys, values = self.pairs[:, :, :, :longest].transpose(2, 3)
        may_attend = torch.arange(longest, device=q.device) <= cursor[:, None]
        return attend_padded(q[:, None], keys, values, may_attend)[:, 0]

    def take(self, index: Numbers, *_: object) -> None:
        if self.pairs is not None:
            self.pairs = self.pairs.index_select(1, index)


class InstanceCache:
    """Keys and values of all that each hypothesis has written, for one layer.

    Hypotheses of an instance mostly go back to one ancestor a few tokens ago. What they have in common is held once
    an instance: it is neither moved when hypotheses are reordered nor read once for each of them.
    """

    def __init__(self) -> None:
        self.common: PaddedPairs | None = None
        self.length = 0
        """Tokens in `common`, which has room for more."""
        self.own: PaddedPairs | None = None

    def attend(self, q: HypothesisHeads, k: HypothesisHeads, v: HypothesisHeads, progress: Progress) -> HypothesisHeads:
        """Put in the newest tokens, and let each see all of its hypothesis."""
        newest = torch.stack((k, v))[:, :, :, None]
        self.own = newest if self.own is None else torch.cat((self.own, newest), dim=3)
        if self.common is None:
            self.common = newest[:, :: progress.beam, :, :0]
        return attend_shared(q, self.common[:, :, :, : self.length], self.own)

    def take(self, index: Numbers, instances: Numbers | None, settled: int) -> None:
        if self.own is None:
            return
        self.own = self.own.index_select(1, index)
        if instances is not None:
            self.common = self.common.index_select(1, instances)
        if settled:
            self._settle(settled)

    def _settle(self, count: int) -> None:
        """Move the first tokens of the hypotheses to what they have in common."""
        beam = self.own.shape[1] // self.common.shape[1]
        oldest = self.own[:, ::beam, :, :count]
        self.common = reserve(self.common, oldest[:, :, :, 0], self.length + count)
        self.common[:, :, :, self.length : self.length + count] = oldest
        self.length, self.own = self.length + count, self.own[:, :, :, count:]


def reserve(pairs: PaddedPairs | None, newest: Pairs, length: int) -> Float[Tensor, "2 B H _ K"]:
    """A cache with room for `length` tokens: twice as long where it has to grow."""
    capacity = 0 if pairs is None else pairs.shape[3]
    if length <= capacity:
        return pairs
    _, rows, heads, width = newest.shape
    # Zeros, since what a mask hides still takes part, with weight zero.
    grown = newest.new_zeros((2, rows, heads, max(2 * capacity, length, FIRST_CAPACITY), width))
    if pairs is not None:
        grown[:, :, :, :capacity] = pairs
    return grown


class MemoryCache:
    """Keys and values of the source for one layer, projected once: a row a sentence, or a row an instance."""

    def __init__(self, k: Keys, v: Keys, runs: Segments, scope: Scope) -> None:
        self.scope = scope
        self.rows, self.may_attend = pad_runs(torch.stack((k, v), dim=1), runs)
        self.chosen: Numbers | None = None
        """In the scope of a sentence: the row that each hypothesis sees, and copies of these rows."""
        self.copies = self.rows[:0]

    def attend(self, q: HypothesisHeads, progress: Progress) -> HypothesisHeads:
        """Let each hypothesis see its instance, or the sentence that it is translating."""
        if self.scope == "sentence":
            self._choose(progress.source_run)
            keys, values = self.copies.unbind(2)
            return attend_padded(q[:, None], keys, values, self.may_attend.index_select(0, self.chosen))[:, 0]
        keys, values = self.rows.unbind(2)
        # Hypotheses of an instance share one row.
        return attend_padded(q.unflatten(0, (len(keys), -1)), keys, values, self.may_attend).flatten(0, 1)

    def _choose(self, runs: Numbers) -> None:
        """Copy the rows of those hypotheses that have come to another sentence."""
        if self.chosen is None:
            self.copies = self.rows.index_select(0, runs)
        else:
            moved = (self.chosen != runs).nonzero()[:, 0]
            self.copies.index_copy_(0, moved, self.rows.index_select(0, runs.index_select(0, moved)))
        self.chosen = runs

    def take(self, index: Numbers, instances: Numbers | None, _: int) -> None:
        if instances is None:
            return
        if self.scope == "instance":
            self.rows, self.may_attend = (x.index_select(0, instances) for x in (self.rows, self.may_attend))
        elif self.chosen is not None:
            self.copies, self.chosen = (x.index_select(0, index) for x in (self.copies, self.chosen))


class TwoStreamCache:
    """Two caches for rows in two halves: each hypothesis in the long stream, then each in the short one.

    Paper: long-short term masking (Zhang et al. 2020), section 2.1.
    """

    def __init__(self, long: InstanceCache | MemoryCache, short: SentenceCache | MemoryCache) -> None:
        self.halves = (long, short)

    def attend(self, *heads_and_progress: HypothesisHeads | Progress) -> HypothesisHeads:
        """Let each half see what its own cache lets it see."""
        *heads, progress = heads_and_progress
        parts = zip(*(rows.chunk(2) for rows in heads), strict=True)
        return torch.cat([half.attend(*part, progress) for half, part in zip(self.halves, parts, strict=True)])

    def take(self, index: Numbers, instances: Numbers | None, settled: int) -> None:
        for half in self.halves:
            half.take(index, instances, settled)


class LayerCache(Protocol):
    """What an attention module keeps."""

    def take(self, index: Numbers, instances: Numbers | None, settled: int) -> None:
        """Choose and order hypotheses by `index`; where instances are dropped, `instances` are those that stay.

        `settled`: so many of the oldest tokens have become common to all hypotheses of an instance.
        """


class Cache:
    """All that the next step needs; `layers` holds what each attention module keeps."""

    def __init__(self, memory: Memory, beam: int, openings: tuple[int, ...]) -> None:
        self.memory, self.beam = memory, beam
        self.progress = Progress(memory.layout, beam, openings)
        self.layers: dict[Any, LayerCache] = {}

    def reorder(self, index: Numbers) -> None:
        """Hypothesis n goes on from what was hypothesis index[n], of the same instance."""
        if not torch.equal(index, torch.arange(len(index), device=index.device)):
            self._take(index, None)

    def keep(self, instances: Numbers) -> None:
        """Drop all instances but these, given by their present numbers, in this order."""
        places_of_beam = torch.arange(self.beam, device=instances.device)
        self._take((instances[:, None] * self.beam + places_of_beam).flatten(), instances)

    def _take(self, index: Numbers, instances: Numbers | None) -> None:
        settled = self.progress.take(index)
        for layer in self.layers.values():
            layer.take(index, instances, settled)
