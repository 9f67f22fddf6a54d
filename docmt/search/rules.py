"""What may come next: the constraints of the frames on the outputs of a beam.

Axes: B instances, K hypotheses of each (the beam), V target vocabulary. The rules set log-probabilities to minus
infinity in place, so that what remains keeps the model's own probability.
`<unk>` is allowed, as in the reference; no other special symbol but the ends of sentences is ever an output (in the
frame `closed` also those that it forces, and `<mask>`, which the reference does not bar).
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


def instance_limits(rows: Rows, config: DecodeConfig, counted_besides: int = 0) -> list[list[int]]:
    """The most words that the translation of each instance's sentences may have: a * source pieces + b.

    `counted_besides` is added to the pieces: see the rules of the frames.
    """
    counted = np.maximum(rows.source_lengths + counted_besides, 0).tolist()
    limits = (int(config.max_length_a * pieces + config.max_length_b) for pieces in counted)
    return [list(islice(limits, count)) for count in rows.sentences.tolist()]


class WrappedRules:
    """`<s> a </s> <s> b </s>`: as many target sentences as the source has, each of bounded length.

    `</s>` is barred before a sentence's first word and forced at its maximum; the one of the last sentence ends
    the hypothesis, any other is followed by the input `<s>`.

    Paper: G-Transformer, section 4.3.
    Departs: a forced `</s>` keeps the model's probability (the code adds 0), so that a beam's score is the forced
    score of its text; the step from `</s>` to `<s>`, which the code forces at probability 1, is none.
    """

    separator = EOS
    after_end = BOS
    """The decoder's input after the output `</s>`."""
    never_output = (PAD, BOS, SEP, MASK, CLS)
    counted_besides = 0
    """What counts for a sentence's maximum beside its source pieces."""
    end_outputs = 1
    """Outputs from a sentence's end on, before the next one's first word."""

    def __init__(self, limits: list[list[int]], device: torch.device) -> None:
        self.never = torch.tensor(self.never_output, device=device)
        longest = max(map(len, limits))
        self.limits = torch.tensor([row + [0] * (longest - len(row)) for row in limits], device=device)
        self.sentences = torch.tensor([len(row) for row in limits], device=device)
        self.capacity = max(sum(row) + self.end_outputs * len(row) for row in limits)

    def keep(self, instances: Tensor) -> None:
        self.limits, self.sentences = self.limits[instances], self.sentences[instances]

    def bar(self, scores: Tensor, hypotheses: Hypotheses) -> None:
        """Bar in the log-probabilities (B, K, V) whatever must not follow the hypotheses."""
        scores.index_fill_(-1, self.never, BARRED)
        scores[..., EOS].masked_fill_(hypotheses.words == 0, BARRED)
        force_end(scores, hypotheses.words >= self.limits.gather(1, hypotheses.sentence))

    def finishing(self, tokens: Tensor, sentence: Tensor) -> Tensor:
        """Which continuations (B, any) of hypotheses that are at sentence number `sentence` end the hypothesis."""
        return (tokens == EOS) & (sentence + 1 == self.sentences[:, None])

    def inputs(self, tokens: Tensor) -> Tensor:
        """The decoder's inputs after these outputs."""
        return tokens.masked_fill(tokens == EOS, self.after_end)

    @staticmethod
    def split(tokens: list[int]) -> list[list[int]]:
        return split_after(tokens, EOS)

    @staticmethod
    def forced_ends(sentences: list[list[int]], limits: list[int]) -> int:
        """How many sentences have their maximum length, so that their end was forced."""
        return sum(len(words) >= limit for words, limit in zip(sentences, limits, strict=True))


class FairseqRules(WrappedRules):
    """`a </s> b </s>`: as `WrappedRules`, with `</s>` also as the input that opens a sentence.

    A sentence's maximum counts the source's `</s>` too, as in fairseq.
    Departs: where sentences are translated together, fairseq has one maximum for all, by the longest source; and it
    does not bar `<s>`, which its models are never trained to give.
    """

    after_end = EOS
    counted_besides = 1


class ClosedRules(WrappedRules):
    """`a </s> <s> b </s> <sep>`: the steps of G-Transformer's code, where the symbols between sentences are outputs.

    `</s>` is barred before a sentence's first word; at its maximum it is forced at log-probability 0, and so are
    `<s>` after it and, after the last sentence, `<sep>`, which ends the hypothesis. All of them count in its length.

    Paper: G-Transformer, section 4.3, as its code has it. A sentence's maximum leaves out one source piece, as there.
    """

    separator = BOS
    after_end = EOS
    never_output = (PAD, BOS, SEP, CLS)
    counted_besides = -1
    end_outputs = 2

    def bar(self, scores: Tensor, hypotheses: Hypotheses) -> None:
        """Bar in the log-probabilities (B, K, V) whatever must not follow, and make certain what must."""
        scores.index_fill_(-1, self.never, BARRED)
        scores[..., EOS].masked_fill_(hypotheses.words == 0, BARRED)
        ended = hypotheses.last == EOS
        is_last = hypotheses.sentence + 1 == self.sentences[:, None]
        symbols = torch.where(ended, torch.where(is_last, SEP, BOS), EOS)
        force_certain(scores, ended | (hypotheses.words >= self.limits.gather(1, hypotheses.sentence)), symbols)

    def finishing(self, tokens: Tensor, sentence: Tensor) -> Tensor:
        """Which continuations (B, any) end the hypothesis."""
        return tokens == SEP

    @staticmethod
    def split(tokens: list[int]) -> list[list[int]]:
        certain = FRAMES["closed"].forced_outputs
        return split_after([token for token in tokens if token not in certain], EOS)


class JoinedRules:
    """`a <sep> b </s>`: the number of sentences is the model's choice, the length of the whole is bounded.

    `<sep>` and `</s>` are barred before a sentence's first word; at the maximum (the sum of the sentences' maxima
    and a separator between each two) `</s>` is forced.
    """

    separator = SEP
    never_output = (PAD, BOS, MASK, CLS)
    counted_besides = 0

    def __init__(self, limits: list[list[int]], device: torch.device) -> None:
        self.never = torch.tensor(self.never_output, device=device)
        totals = [window_limit(row) for row in limits]
        self.totals = torch.tensor(totals, device=device)[:, None]
        self.capacity = max(totals) + 1

    def keep(self, instances: Tensor) -> None:
        self.totals = self.totals[instances]

    def bar(self, scores: Tensor, hypotheses: Hypotheses) -> None:
        """Bar in the log-probabilities (B, K, V) whatever must not follow the hypotheses."""
        empty = hypotheses.words == 0
        scores.index_fill_(-1, self.never, BARRED)
        scores[..., EOS].masked_fill_(empty, BARRED)
        # A separator at the last place would leave an empty sentence before the forced end.
        scores[..., SEP].masked_fill_(empty | (hypotheses.length + 1 >= self.totals), BARRED)
        force_end(scores, (hypotheses.length >= self.totals).expand_as(empty))

    def finishing(self, tokens: Tensor, sentence: Tensor) -> Tensor:
        """Which continuations (B, any) end the hypothesis."""
        return tokens == EOS

    def inputs(self, tokens: Tensor) -> Tensor:
        """The decoder's inputs after these outputs."""
        return tokens

    @staticmethod
    def split(tokens: list[int]) -> list[list[int]]:
        return split_after([*tokens[:-1], SEP], SEP)

    @staticmethod
    def forced_ends(sentences: list[list[int]], limits: list[int]) -> int:
        """1 where the window has its maximum length, so that its end was forced."""
        return int(sum(map(len, sentences)) + len(sentences) - 1 >= window_limit(limits))


class UnmarkedRules(JoinedRules):
    """`a b </s>`: one run of words of any number of sentences, its length bounded as that of a joined window.

    Our reading: G-Transformer's paper does not say how long its document Transformer's outputs may be.
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


def window_limit(limits: list[int]) -> int:
    """The most outputs of a joined window before its `</s>`."""
    return sum(limits) + len(limits) - 1


def force_end(scores: Tensor, forced: Tensor) -> None:
    """Leave `</s>` as the only continuation where `forced` (B, K) is True."""
    if forced.any():
        end = scores[..., EOS].clone()
        scores.masked_fill_(forced[..., None], BARRED)
        scores[..., EOS] = end


def force_certain(scores: Tensor, forced: Tensor, symbols: Tensor) -> None:
    """Leave `symbols` (B, K) as the only continuations, at log-probability 0, where `forced` (B, K) is True."""
    scores.masked_fill_(forced[..., None], BARRED)
    kept = scores.gather(-1, symbols[..., None]).masked_fill(forced[..., None], 0)
    scores.scatter_(-1, symbols[..., None], kept)


def split_after(tokens: list[int], separator: int) -> list[list[int]]:
    """The runs that end with a separator, without it."""
    ends = [-1, *(place for place, token in enumerate(tokens) if token == separator)]
    return [tokens[start + 1 : end] for start, end in pairwise(ends)]
