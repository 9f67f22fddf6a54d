"""The progress of each hypothesis in its document, which decoding computes once in each step for all layers."""

import numpy as np
import torch

from docmt.base.runs import starts
from docmt.nn.device import download, upload
from docmt.nn.shapes import Float, HypothesisTokens, Int, Numbers, Tensor
from docmt.nn.streams import Layout, Scope


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
        self.tokens = self.openings[:0]
        """The newest token of each hypothesis."""
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
        self.common = 0
        """The number of the first tokens that all hypotheses of an instance share, in each instance."""
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
        cursor, changed = download(torch.stack((self.cursor, (source_run != self.source_run).long())))
        self.longest = int(cursor.max()) + 1
        self.source_run, self.changed = source_run, upload(np.flatnonzero(changed), tokens.device)
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
