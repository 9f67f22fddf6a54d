"""What the hypotheses of a search have written: their progress in the document, and the keys and values of each layer.

A batch has N = instances * beam hypotheses, in the order of their instances. Each step of decoding appends one token to
each hypothesis. The progress is computed once in each step for all layers.
"""

from typing import NamedTuple

import numpy as np
import torch

from docmt.base.ragged import starts
from docmt.nn import onednn
from docmt.nn.segments import Layout, Scope, upload
from docmt.nn.shapes import (
    Float,
    HypothesisHeads,
    HypothesisTokens,
    Int,
    Numbers,
    PaddedPairs,
    Pairs,
    Tensor,
)

GROWTH = 32
"""The number of tokens for which a growing cache gets room at a time; a step reads as much as it copies in `GROWTH`."""


class Progress:
    """The number of the sentence that each hypothesis is writing, the position in it, and who wrote its tokens.

    The beam of an instance has `beam` slots. A hypothesis writes a token in its slot, and another hypothesis that
    continues it may be in another slot.

    Paper: G-Transformer (Bao et al. 2021), section 4.3: the group tag of a token is the number of its sentence, and
    increases where a sentence ends.
    """

    def __init__(self, layout: Layout, beam: int, openings: tuple[int, ...]) -> None:
        """Begin before the first token of each instance of the source; `layout` has the runs of the source.

        `openings` are the decoder inputs that open a sentence; the first input always opens a sentence.
        """
        device = layout.sentences.device
        self.openings = upload(openings, device)
        counts = layout.sentences_per_instance()
        self.beam, self.steps = beam, 0
        self.tokens = self.openings[:0]  # The newest token of each hypothesis
        self.first_run = upload(np.repeat(starts(counts), beam), device)
        self.last_number = upload(np.repeat(np.maximum(counts, 1) - 1, beam), device)
        self.sentence = torch.full_like(self.first_run, -1)
        """The number, in its instance, of the sentence that each hypothesis is writing; -1 before the first token."""
        self.cursor = torch.full_like(self.first_run, -1)
        """The place of the newest token of each hypothesis in its sentence, from 0; -1 before the first token."""
        self.longest = 0  # The number of tokens of the longest sentence that a hypothesis is writing
        self.source_run = torch.full_like(self.first_run, -1)
        """The number, in the batch, of the source sentence that the hypothesis at each place of the batch is
        translating; -1 before the first token."""
        self.changed = self.first_run[:0]
        """The places of the batch whose source sentence is another one than in the step before."""
        self.common = 0  # The number of the first tokens that all hypotheses of an instance share, in each instance
        self.writers: Int[Tensor, "N L"] = self.first_run.new_zeros((len(self.first_run), 0))
        """The slot in which each of the newest tokens of a hypothesis was written. They are at least the tokens that
        are not common, and those of the longest sentence."""
        self._biases: dict[tuple[Scope, torch.dtype], Float[Tensor, "I 1 B L"]] = {}

    def advance(self, tokens: HypothesisTokens) -> None:
        """Record the newest token of each hypothesis."""
        opens = torch.isin(tokens, self.openings)
        if self.steps == 0:
            opens = torch.ones_like(opens)
        self.steps += 1
        self.tokens = tokens
        self.sentence = self.sentence + opens
        self.cursor = torch.where(opens, 0, self.cursor + 1)
        # A hypothesis may write more sentences than the source has: further ones attend to the last source sentence.
        source_run = self.first_run + torch.minimum(self.sentence, self.last_number)
        # The host waits for the device once in a step, for what all layers need.
        cursor, changed = torch.stack((self.cursor, (source_run != self.source_run).long())).cpu().numpy()
        self.longest = int(cursor.max()) + 1
        changed = torch.from_numpy(np.flatnonzero(changed))
        self.source_run, self.changed = source_run, changed.to(tokens.device, non_blocking=True)
        slots = torch.arange(len(tokens), device=tokens.device) % self.beam
        self.writers = torch.cat((self.writers, slots[:, None]), dim=1)
        self._biases = {}

    def bias(self, scope: Scope, number_type: torch.dtype) -> Float[Tensor, "I 1 B L"]:
        """Return what is added to the scores of tokens: 0 for a token that a hypothesis sees, else minus infinity.

        The keys of an instance are the tokens of all its slots, token by token: the tokens that are not common or, for
        the scope "sentence", the last `longest` tokens.
        """
        if (scope, number_type) not in self._biases:
            self._biases[scope, number_type] = self._bias(scope, number_type)
        return self._biases[scope, number_type]

    def _bias(self, scope: Scope, number_type: torch.dtype) -> Float[Tensor, "I 1 B L"]:
        tokens = self.longest if scope == "sentence" else self.steps - self.common
        writers = self.writers[:, self.writers.shape[1] - tokens :, None]
        sees = writers == torch.arange(self.beam, device=writers.device)
        if scope == "sentence":
            ages = torch.arange(tokens - 1, -1, -1, device=writers.device)
            sees &= (ages <= self.cursor[:, None])[..., None]
        bias = torch.zeros(sees.shape, dtype=number_type, device=writers.device).masked_fill_(~sees, -torch.inf)
        return bias.flatten(1).unflatten(0, (-1, 1, self.beam))

    def take(self, index: Numbers, instances: Numbers | None) -> Int[Tensor, "I C"]:
        """Select and reorder the hypotheses; return the slots that wrote the tokens that have become common.

        `instances` are the remaining instances where some are dropped.
        """
        for name in ("first_run", "last_number", "sentence", "cursor", "writers"):
            setattr(self, name, getattr(self, name).index_select(0, index))
        if instances is not None:
            # Where hypotheses only change places, the source sentences stay in their places: see `MemoryCache.take`.
            self.source_run = self.source_run.index_select(0, index)
        separate = self.writers[:, self.writers.shape[1] - (self.steps - self.common) :].unflatten(0, (-1, self.beam))
        count = self._count_common(separate) if len(index) else 0
        self.common += count
        self.writers = self.writers[:, -max(self.steps - self.common, self.longest, 1) :]
        return separate[:, 0, :count]

    @staticmethod
    def _count_common(separate: Int[Tensor, "I B L"]) -> int:
        # A token is common once all hypotheses of its instance continue the hypothesis that wrote it. All instances of
        # a batch have the same number of common tokens, the smallest of them, since their caches have one length;
        # cumprod ends the count at the first token that is not common.
        return int((separate == separate[:, :1]).all(dim=1).all(dim=0).long().cumprod(0).sum())


class CachePart(NamedTuple):
    """Keys and values of a cache, with a row for each instance."""

    keys: Float[Tensor, "I H K _"]
    values: Float[Tensor, "I H _ K"]
    bias: Float[Tensor, "I 1 _ _"] | None = None
    """What is added to the scores of each hypothesis; None: nothing."""
    is_steady: bool = False
    """Whether the next steps of decoding have as many keys, so that oneDNN's kernels are worth their compilation."""


def attend_newest(q: HypothesisHeads, *parts: CachePart) -> HypothesisHeads:
    """Let the newest token of each hypothesis attend, in one softmax, to the keys of one or several parts of a cache.

    All hypotheses of an instance read a row of keys at once; they are in the order of their instances.
    """
    # The hypotheses of an instance are the queries of a row: axes I H Q K.
    # Eq. 1: softmax(Q K^T / sqrt(d_k)) V, over the keys of all parts.
    # The fused kernel is slower for so few queries (benchmarks/decoding.md).
    q_IHQK = (q * q.shape[-1] ** -0.5).unflatten(0, (len(parts[0].keys), -1)).transpose(1, 2)
    scores = [_product(q_IHQK, part.keys, part) for part in parts]
    scores = [x if part.bias is None else x + part.bias for x, part in zip(scores, parts, strict=True)]
    # One softmax covers all parts, so that the result does not depend on the parts in which the keys are stored.
    joined = torch.cat(scores, dim=3) if len(scores) > 1 else scores[0]
    weights = joined.softmax(3, dtype=torch.promote_types(q.dtype, torch.float32)).to(q.dtype)
    shares = weights.split([x.shape[3] for x in scores], dim=3)
    first, *others = (_product(share, part.values, part) for share, part in zip(shares, parts, strict=True))
    return sum(others, first).transpose(1, 2).flatten(0, 1)


def _product(x: Float[Tensor, "I H Q _"], y: Float[Tensor, "I H _ _"], part: CachePart) -> Float[Tensor, "I H Q _"]:
    if part.is_steady and onednn.supports_product(x, y):
        return onednn.batched_product(x, y)
    return x @ y


class Window:
    """Keys and values, in one layer, of the newest tokens of all hypotheses, in the order in which they were written.

    The tokens of all slots of a beam lie side by side, and stay where they are when hypotheses are reordered: a bias
    hides the slots that did not write the tokens of a hypothesis (`Progress.bias`).
    """

    def __init__(self) -> None:
        """Begin without tokens."""
        self.room: Float[Tensor, "2 I H L B K"] | None = None
        self.first = self.end = 0  # The places of the oldest token and after the newest token, along the axis L

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
        return self.room[:, :, :, self.first : self.end]

    def _move(self, held: Float[Tensor, "2 I H _ B K"], capacity: int) -> None:
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
        self.length = 0  # The number of tokens in `common`, which has room for more tokens
        self.free: Float[Tensor, "1 1 1 C"] | None = None
        """What is added to the scores of `common`: 0 for a token, minus infinity for a free place."""
        self.window = Window()

    def attend(self, q: HypothesisHeads, k: HypothesisHeads, v: HypothesisHeads, progress: Progress) -> HypothesisHeads:
        """Store the newest keys and values, and let each newest token attend to all tokens of its hypothesis."""
        self.window.append(k, v, progress.beam)
        newest = self.window.part(progress.bias("instance", q.dtype))
        return attend_newest(q, self._common_part(), newest) if self.length else attend_newest(q, newest)

    def _common_part(self) -> CachePart:
        keys, values = self.common
        # The free places are read too, since kernels are compiled for each number of places.
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
