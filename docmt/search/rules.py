"""The constraints of the frames on the outputs of a beam search.

Axes: B instances, K hypotheses of each instance (the beam), V target vocabulary. The rules set log-probabilities to
minus infinity in place, so that all other outputs keep the model's probability. `<unk>` is allowed, as in the reference
implementation. No other special symbol is ever an output, but for the ends of sentences; the frame `closed` also has
the symbols that it forces, and `<mask>`, which its reference implementation does not bar.
"""

import math
from itertools import islice, pairwise

import numpy as np
import torch
from torch import Tensor

from docmt.base.vocabulary import BOS, CLS, EOS, MASK, PAD, SEP
from docmt.nn.frames import FRAMES
from docmt.nn.rows import Rows
from docmt.search.hypotheses import Hypotheses
from docmt.settings.decode import DecodeConfig
from docmt.settings.models import Frame

BARRED = -math.inf
"""The log-probability of an output that is not allowed."""


def instance_limits(rows: Rows, config: DecodeConfig, counted_besides: int = 0) -> list[list[int]]:
    """Return the maximum number of words of each translated sentence, for each instance.

    The maximum is max_length_a * (source pieces + counted_besides) + max_length_b; the frame sets `counted_besides`.
    """
    counted = np.maximum(rows.source_lengths + counted_besides, 0).tolist()
    limits = (int(config.max_length_a * pieces + config.max_length_b) for pieces in counted)
    return [list(islice(limits, count)) for count in rows.sentences.tolist()]


class WrappedRules:
    """The rules of `<s> a </s> <s> b </s>`: as many target sentences as source sentences, each of bounded length.

    `</s>` is barred before a sentence's first word and forced at the sentence's maximum length. The last sentence's
    `</s>` ends the hypothesis; after any other `</s>` the decoder's input is `<s>`.

    Paper: G-Transformer, section 4.3.
    Departs: a forced `</s>` keeps the model's probability (the code adds 0), so that a beam's score is the forced score
    of its text. The step from `</s>` to `<s>`, which the code forces at probability 1, does not exist here.
    """

    separator = EOS
    """The output after which the next sentence starts."""
    after_end = BOS
    """The decoder's input after the output `</s>`."""
    never_output = (PAD, BOS, SEP, MASK, CLS)
    """The special symbols that are always barred."""
    counted_besides = 0
    """The number that is added to a sentence's source pieces for its maximum length."""
    end_outputs = 1
    """The number of outputs from a sentence's end to the next sentence's first word."""

    def __init__(self, limits: list[list[int]], device: torch.device) -> None:
        """Prepare the rules; `limits` has the maximum number of words of each sentence, for each instance."""
        self.never = torch.tensor(self.never_output, device=device)
        longest = max(map(len, limits))
        self.limits = torch.tensor([row + [0] * (longest - len(row)) for row in limits], device=device)
        self.sentences = torch.tensor([len(row) for row in limits], device=device)
        self.capacity = max(sum(row) + self.end_outputs * len(row) for row in limits)

    def keep(self, instances: Tensor) -> None:
        """Remove all instances but those with these numbers in the batch."""
        self.limits, self.sentences = self.limits[instances], self.sentences[instances]

    def bar(self, scores: Tensor, hypotheses: Hypotheses) -> None:
        """Bar in the log-probabilities (B, K, V) all outputs that must not follow the hypotheses."""
        scores.index_fill_(-1, self.never, BARRED)
        scores[..., EOS].masked_fill_(hypotheses.words == 0, BARRED)
        force_end(scores, hypotheses.words >= self.limits.gather(1, hypotheses.sentence))

    def finishing(self, tokens: Tensor, sentence: Tensor) -> Tensor:
        """Return which continuations (B, any) end their hypothesis, which is at sentence number `sentence` (B, any)."""
        return (tokens == EOS) & (sentence + 1 == self.sentences[:, None])

    def inputs(self, tokens: Tensor) -> Tensor:
        """Return the decoder's inputs after these outputs."""
        return tokens.masked_fill(tokens == EOS, self.after_end)

    @staticmethod
    def split(tokens: list[int]) -> list[list[int]]:
        """Return the words of each sentence of a finished hypothesis."""
        return split_after(tokens, EOS)

    @staticmethod
    def forced_ends(sentences: list[list[int]], limits: list[int]) -> int:
        """Return the number of sentences with their maximum length, whose end was forced."""
        return sum(len(words) >= limit for words, limit in zip(sentences, limits, strict=True))


class FairseqRules(WrappedRules):
    """The rules of `a </s> b </s>`: `WrappedRules` with `</s>` also as the input that opens a sentence.

    A sentence's maximum length counts the source's `</s>` too, as in fairseq.
    Departs: where sentences are translated together, fairseq has one maximum for all of them, by the longest source
    sentence. fairseq does not bar `<s>`, which its models are never trained to output.
    """

    after_end = EOS
    counted_besides = 1


class ClosedRules(WrappedRules):
    """The rules of `a </s> <s> b </s> <sep>`: as in G-Transformer's code, symbols between sentences are outputs.

    `</s>` is barred before a sentence's first word. At the sentence's maximum length it is forced at log-probability 0;
    so are `<s>` after it and, after the last sentence, `<sep>`, which ends the hypothesis. All of these outputs count
    in the hypothesis' length.

    Paper: G-Transformer, section 4.3, as implemented in its code. As there, a sentence's maximum length leaves out one
    source piece.
    """

    separator = BOS
    after_end = EOS
    never_output = (PAD, BOS, SEP, CLS)
    counted_besides = -1
    end_outputs = 2

    def bar(self, scores: Tensor, hypotheses: Hypotheses) -> None:
        """Bar in the log-probabilities (B, K, V) all outputs that must not follow.

        An output that must follow gets log-probability 0.
        """
        scores.index_fill_(-1, self.never, BARRED)
        scores[..., EOS].masked_fill_(hypotheses.words == 0, BARRED)
        ended = hypotheses.last == EOS
        is_last = hypotheses.sentence + 1 == self.sentences[:, None]
        symbols = torch.where(ended, torch.where(is_last, SEP, BOS), EOS)
        force_certain(scores, ended | (hypotheses.words >= self.limits.gather(1, hypotheses.sentence)), symbols)

    def finishing(self, tokens: Tensor, sentence: Tensor) -> Tensor:
        """Return which continuations (B, any) end their hypothesis: `<sep>` alone, wherever it occurs."""
        return tokens == SEP

    @staticmethod
    def split(tokens: list[int]) -> list[list[int]]:
        """Return the words of each sentence of a finished hypothesis."""
        forced_outputs = FRAMES["closed"].forced_outputs
        return split_after([token for token in tokens if token not in forced_outputs], EOS)


class JoinedRules:
    """The rules of `a <sep> b </s>`: the model chooses the number of sentences; the length of the whole is bounded.

    `<sep>` and `</s>` are barred before a sentence's first word. At the maximum length `</s>` is forced. The maximum
    length is the sum of the sentences' maxima, plus one for each separator between them.
    """

    separator = SEP
    """The output after which the next sentence starts."""
    never_output = (PAD, BOS, MASK, CLS)
    counted_besides = 0

    def __init__(self, limits: list[list[int]], device: torch.device) -> None:
        """Prepare the rules; `limits` has the maximum number of words of each sentence, for each instance."""
        self.never = torch.tensor(self.never_output, device=device)
        totals = [window_limit(row) for row in limits]
        self.totals = torch.tensor(totals, device=device)[:, None]
        self.capacity = max(totals) + 1

    def keep(self, instances: Tensor) -> None:
        """Remove all instances but those with these numbers in the batch."""
        self.totals = self.totals[instances]

    def bar(self, scores: Tensor, hypotheses: Hypotheses) -> None:
        """Bar in the log-probabilities (B, K, V) all outputs that must not follow the hypotheses."""
        empty = hypotheses.words == 0
        scores.index_fill_(-1, self.never, BARRED)
        scores[..., EOS].masked_fill_(empty, BARRED)
        # A separator at the last position would leave an empty sentence before the forced end.
        scores[..., SEP].masked_fill_(empty | (hypotheses.length + 1 >= self.totals), BARRED)
        force_end(scores, (hypotheses.length >= self.totals).expand_as(empty))

    def finishing(self, tokens: Tensor, sentence: Tensor) -> Tensor:
        """Return which continuations (B, any) end their hypothesis: `</s>`, after any number of sentences."""
        return tokens == EOS

    def inputs(self, tokens: Tensor) -> Tensor:
        """Return the decoder's inputs after these outputs, which are the outputs themselves."""
        return tokens

    @staticmethod
    def split(tokens: list[int]) -> list[list[int]]:
        """Return the words of each sentence of a finished hypothesis."""
        return split_after([*tokens[:-1], SEP], SEP)

    @staticmethod
    def forced_ends(sentences: list[list[int]], limits: list[int]) -> int:
        """Return 1 where the window has its maximum length, so that its end was forced, else 0."""
        return int(sum(map(len, sentences)) + len(sentences) - 1 >= window_limit(limits))


class UnmarkedRules(JoinedRules):
    """The rules of `a b </s>`: a run of words without marks between sentences, bounded like a joined window.

    Our reading: G-Transformer's paper does not say how long the outputs of its document Transformer may be.
    """

    never_output = (*JoinedRules.never_output, SEP)


Rules = WrappedRules | JoinedRules
RULES: dict[Frame, type[Rules]] = {
    "wrapped": WrappedRules,
    "summarised": WrappedRules,
    "joined": JoinedRules,
    "unmarked": UnmarkedRules,
    "closed": ClosedRules,
    "fairseq": FairseqRules,
}
"""The rules of each frame."""


def window_limit(limits: list[int]) -> int:
    """Return the maximum number of outputs of a joined window before its `</s>`."""
    return sum(limits) + len(limits) - 1


def force_end(scores: Tensor, forced: Tensor) -> None:
    """Bar all continuations but `</s>` where `forced` (B, K) is true."""
    if forced.any():
        end = scores[..., EOS].clone()
        scores.masked_fill_(forced[..., None], BARRED)
        scores[..., EOS] = end


def force_certain(scores: Tensor, forced: Tensor, symbols: Tensor) -> None:
    """Bar all continuations but `symbols` (B, K), with log-probability 0, where `forced` (B, K) is true."""
    scores.masked_fill_(forced[..., None], BARRED)
    symbol_scores = scores.gather(-1, symbols[..., None]).masked_fill(forced[..., None], 0)
    scores.scatter_(-1, symbols[..., None], symbol_scores)


def split_after(tokens: list[int], separator: int) -> list[list[int]]:
    """Return the runs of tokens that end with a separator, without the separator."""
    ends = [-1, *(place for place, token in enumerate(tokens) if token == separator)]
    return [tokens[start + 1 : end] for start, end in pairwise(ends)]
