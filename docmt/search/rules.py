"""The rules of each frame for beam search: which outputs may follow a hypothesis.

Axes: B instances, K hypotheses of each instance (the beam), V target vocabulary. A rule bars an output by setting its
log-probability to minus infinity in place, so that all other outputs keep the log-probability of the model. The special
symbols that a model may output are `<unk>`, as in the code of G-Transformer, and the symbols that end sentences. The
frame `closed` also allows the symbols that its rules force, and `<mask>`, as the code of G-Transformer does.

Each output needs a row of a learned table of positions. The rules end sentences so early that every hypothesis can be
finished within the table; hypotheses that never come near its end are the same as without a limit.
"""

import math
from itertools import accumulate, islice, pairwise
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from torch import Tensor

from docmt.base.vocabulary import BOS, CLS, EOS, MASK, PAD, SEP, SPECIALS, UNK
from docmt.nn.frames import FRAMES
from docmt.nn.rows import Rows
from docmt.nn.segments import upload
from docmt.settings.decode import DecodeConfig
from docmt.settings.models import Frame, PositionTable

BARRED = -math.inf  # The log-probability of an output that is not allowed


def instance_limits(
    rows: Rows, config: DecodeConfig, counted_besides: int = 0, most: float = math.inf
) -> list[list[int]]:
    """Return the maximum length, in pieces, of the translation of each sentence of each instance.

    With `max_length_of: batch`, the source pieces are those of the longest sentence of `rows`. No maximum is above
    `most`.
    """
    counted = np.maximum(rows.source_lengths.flat() + counted_besides, 0)
    if config.max_length_of == "batch":
        counted = np.full_like(counted, counted.max(initial=0))
    # max_length_a * (source pieces + counted_besides) + max_length_b, where the frame sets `counted_besides`.
    limits = (min(int(config.max_length_a * pieces + config.max_length_b), most) for pieces in counted.tolist())
    return [list(islice(limits, count)) for count in rows.sentences.tolist()]


@runtime_checkable
class Written(Protocol):
    """What the rules read of the hypotheses of a search (`docmt.search.beam.Hypotheses`)."""

    sentence: Tensor
    """The number of the sentence that each hypothesis is writing (B, K)."""
    words: Tensor
    """The number of outputs of this sentence so far (B, K)."""
    length: int
    """The number of outputs of each hypothesis."""
    last: Tensor
    """The last outputs (B, K)."""


class WrappedRules:
    """The rules of `<s> a </s> <s> b </s>`: as many target sentences as source sentences, each of bounded length.

    Paper: G-Transformer (Bao et al. 2021), section 4.3.
    Departs: in the authors' code a forced `</s>` has log-probability 0. Here it has the log-probability of the model,
    so that the score of a hypothesis equals the forced score of its text (`docmt.search.forced`). The authors' code
    also has a step from `</s>` to `<s>` with probability 1, which does not exist here.
    """

    separator = EOS
    """The output after which the next sentence starts."""
    after_end = BOS
    """The decoder's input after the output `</s>`."""
    never_output = (PAD, BOS, SEP, MASK, CLS)
    """The special symbols that are always barred."""
    counted_besides = 0
    """The number that is added to the source pieces of a sentence for its maximum length."""
    end_outputs = 1
    """The number of special symbols that the decoder outputs after the last piece of a sentence."""

    def __init__(self, limits: list[list[int]], device: torch.device, table: PositionTable | None = None) -> None:
        """Prepare the rules; `limits` has the maximum length, in pieces, of each sentence of each instance.

        `table` is the model's learned table of positions, or None where positions have no limit.
        """
        self.never, self.most = upload(self.never_output, device), most_outputs(table)
        longest = max(map(len, limits))
        self.limits = upload([row + [0] * (longest - len(row)) for row in limits], device)
        self.latest = upload([[*self.latest_ends(row), *[0] * (longest - len(row))] for row in limits], device)
        self.sentences = upload([len(row) for row in limits], device)
        self.capacity = max(map(self.room, limits))

    def room(self, limits: list[int]) -> int:
        """Return the maximum number of outputs of an instance, which is never less than a piece for each sentence."""
        least = (1 + self.end_outputs) * len(limits)
        return max(int(min(sum(limits) + self.end_outputs * len(limits), self.most)), least)

    def latest_ends(self, limits: list[int]) -> range:
        """Return, for each sentence of an instance, the number of outputs after which its end is forced."""
        # Behind it there is just enough room for the end, and for a piece and an end of each later sentence.
        least = 1 + self.end_outputs
        first = self.room(limits) - self.end_outputs - least * (len(limits) - 1)
        return range(first, first + least * len(limits), least)

    def keep(self, instances: Tensor) -> None:
        """Remove all instances from the batch but the ones at the indices `instances`."""
        self.limits, self.latest = self.limits[instances], self.latest[instances]
        self.sentences = self.sentences[instances]

    def must_end(self, hypotheses: Written) -> Tensor:
        """Return which hypotheses (B, K) are at the maximum length of their sentence, or at the end of their room."""
        limits, latest = (each.gather(1, hypotheses.sentence) for each in (self.limits, self.latest))
        return (hypotheses.words >= limits) | (hypotheses.length >= latest)

    def bar(self, scores: Tensor, hypotheses: Written) -> None:
        """Bar in `scores`, log-probabilities (B, K, V), all outputs that must not follow the hypotheses."""
        scores.index_fill_(-1, self.never, BARRED)
        # `</s>` is barred before the first piece of a sentence, and forced at its maximum length.
        scores[..., EOS].masked_fill_(hypotheses.words == 0, BARRED)
        force_end(scores, self.must_end(hypotheses))

    def finishing(self, tokens: Tensor, sentence: Tensor) -> Tensor:
        """Return which continuations end their hypothesis (B, any).

        `tokens` (B, any) are the new outputs; `sentence` (B, any) has the number of the sentence that each continues.
        """
        # The `</s>` of the last sentence ends the hypothesis.
        return (tokens == EOS) & (sentence + 1 == self.sentences[:, None])

    def inputs(self, tokens: Tensor) -> Tensor:
        """Return the decoder's inputs after the outputs `tokens`."""
        # After any other `</s>` the decoder's input is `<s>`.
        return tokens.masked_fill(tokens == EOS, self.after_end)

    @staticmethod
    def split(tokens: list[int]) -> list[list[int]]:
        """Return the pieces of each sentence of a finished hypothesis."""
        return split_after(tokens, EOS)

    def forced_ends(self, sentences: list[list[int]], limits: list[int]) -> int:
        """Return the number of sentences whose end was forced."""
        lengths = [len(words) for words in sentences]
        ends = [outputs - self.end_outputs for outputs in accumulate(length + self.end_outputs for length in lengths)]
        forced = zip(lengths, limits, ends, self.latest_ends(limits), strict=True)
        return sum(length >= limit or end >= latest for length, limit, end, latest in forced)


class FairseqRules(WrappedRules):
    """The rules of `a </s> b </s>`, which differ from `WrappedRules` in the input that opens a sentence: `</s>`.

    The maximum length of a sentence is computed from its source pieces and the `</s>` after them, as in fairseq.
    fairseq has a single maximum for all sentences of a batch, computed from the longest source sentence: that is the
    setting `max_length_of: batch`, which imported models have.
    Departs: fairseq fills batches in another way, and does not bar `<s>`, which its models are never trained to output.
    """

    after_end = EOS
    counted_besides = 1


class ClosedRules(WrappedRules):
    """The rules of `a </s> <s> b </s> <sep>`: as in G-Transformer's code, symbols between sentences are outputs.

    All of these symbols count in the length of the hypothesis.

    Paper: G-Transformer (Bao et al. 2021), section 4.3, as implemented in its code. As in the code, the maximum length
    of a sentence is computed from its source pieces but one.
    """

    separator = BOS
    after_end = EOS
    never_output = (PAD, BOS, SEP, CLS)
    counted_besides = -1
    end_outputs = 2

    def bar(self, scores: Tensor, hypotheses: Written) -> None:
        """Bar all outputs that must not follow, in `scores` (B, K, V); a forced output gets log-probability 0."""
        scores.index_fill_(-1, self.never, BARRED)
        # `</s>` is barred before the first piece of a sentence.
        scores[..., EOS].masked_fill_(hypotheses.words == 0, BARRED)
        ended = hypotheses.last == EOS
        is_last = hypotheses.sentence + 1 == self.sentences[:, None]
        # At the maximum length of a sentence `</s>` is forced. After `</s>`, `<s>` is forced or, after the last
        # sentence, `<sep>`, which ends the hypothesis.
        symbols = torch.where(ended, torch.where(is_last, SEP, BOS), EOS)
        force_certain(scores, ended | self.must_end(hypotheses), symbols)

    def finishing(self, tokens: Tensor, sentence: Tensor) -> Tensor:
        """Return which continuations `tokens` (B, any) end their hypothesis: each `<sep>`."""
        return tokens == SEP

    @staticmethod
    def split(tokens: list[int]) -> list[list[int]]:
        """Return the pieces of each sentence of a finished hypothesis."""
        forced_outputs = FRAMES["closed"].forced_outputs
        return split_after([token for token in tokens if token not in forced_outputs], EOS)


class JoinedRules:
    """The rules of `a <sep> b </s>`: the model chooses the number of sentences; the length of the window is bounded."""

    separator = SEP
    """The output after which the next sentence starts."""
    never_output = (PAD, BOS, MASK, CLS)
    counted_besides = 0
    end_outputs = 1

    def __init__(self, limits: list[list[int]], device: torch.device, table: PositionTable | None = None) -> None:
        """Prepare the rules; the arguments are those of `WrappedRules`."""
        self.never = upload(self.never_output, device)
        self.most, self.most_pieces = most_outputs(table), most_pieces(table)
        totals = [self.total(row) for row in limits]
        self.totals = upload(totals, device)[:, None]
        self.capacity = max(totals) + 1

    def total(self, limits: list[int]) -> int:
        """Return the maximum number of outputs of a window before its `</s>`."""
        # The maximum length is the sum of the maximum lengths of the sentences, plus 1 for each separator.
        return max(int(min(sum(limits) + len(limits), self.most)) - 1, 1)

    def keep(self, instances: Tensor) -> None:
        """Remove all instances from the batch but the ones at the indices `instances`."""
        self.totals = self.totals[instances]

    def bar(self, scores: Tensor, hypotheses: Written) -> None:
        """Bar in `scores`, log-probabilities (B, K, V), all outputs that must not follow the hypotheses."""
        empty = hypotheses.words == 0
        scores.index_fill_(-1, self.never, BARRED)
        # `<sep>` and `</s>` are barred before the first piece of a sentence.
        scores[..., EOS].masked_fill_(empty, BARRED)
        # A separator at the maximum length would leave an empty sentence before the forced end.
        scores[..., SEP].masked_fill_(empty | (hypotheses.length + 1 >= self.totals), BARRED)
        # Where a learned table of positions restarts in each sentence, no piece follows the last one that has a
        # position.
        if self.most_pieces < self.capacity:
            for pieces in (scores[..., UNK, None], scores[..., len(SPECIALS) :]):
                pieces.masked_fill_((hypotheses.words >= self.most_pieces)[..., None], BARRED)
        # At the maximum length of the window `</s>` is forced.
        force_end(scores, (hypotheses.length >= self.totals).expand_as(empty))

    def finishing(self, tokens: Tensor, sentence: Tensor) -> Tensor:
        """Return which continuations `tokens` (B, any) end their hypothesis: each `</s>`."""
        return tokens == EOS

    def inputs(self, tokens: Tensor) -> Tensor:
        """Return the decoder's inputs after the outputs `tokens`, which are the outputs themselves."""
        return tokens

    @staticmethod
    def split(tokens: list[int]) -> list[list[int]]:
        """Return the pieces of each sentence of a finished hypothesis."""
        return split_after([*tokens[:-1], SEP], SEP)

    def forced_ends(self, sentences: list[list[int]], limits: list[int]) -> int:
        """Return 1 where the window has its maximum length, so that its end was forced, and else 0."""
        return int(sum(map(len, sentences)) + len(sentences) - 1 >= self.total(limits))


class UnmarkedRules(JoinedRules):
    """The rules of `a b </s>`: a run of pieces without symbols between sentences, bounded like a joined window.

    The bound is our choice: G-Transformer's paper does not say how long the outputs of its document Transformer may be.
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
"""The class that has the rules of each frame."""


def most_pieces(table: PositionTable | None) -> float:
    """Return the largest number of pieces of a translated sentence for which a model has positions."""
    # The symbol before the sentence, and in the frame `closed` the symbol after it, have positions too.
    return math.inf if table is None else max(table.rows - RULES[table.frame].end_outputs, 1)


def most_outputs(table: PositionTable | None) -> float:
    """Return the largest number of outputs of a hypothesis for which a model has positions."""
    # Positions that restart in each sentence limit sentences alone; in the frame `unmarked` there is only one.
    is_limited = table is not None and (table.positions == "running" or table.frame == "unmarked")
    return table.rows if is_limited else math.inf


def none_known(flags: Tensor) -> bool:
    """Return whether the host knows that no flag is true."""
    # It never knows this of flags on a GPU: to read them, it would have to wait until the GPU has computed them.
    return flags.device.type == "cpu" and not bool(flags.any())


def force_end(scores: Tensor, forced: Tensor) -> None:
    """Bar all continuations but `</s>` where `forced` (B, K) is true."""
    if none_known(forced):
        return
    end = scores[..., EOS].clone()
    scores.masked_fill_(forced[..., None], BARRED)
    scores[..., EOS] = end


def force_certain(scores: Tensor, forced: Tensor, symbols: Tensor) -> None:
    """Bar all continuations but `symbols` (B, K), which get log-probability 0, where `forced` (B, K) is true."""
    scores.masked_fill_(forced[..., None], BARRED)
    symbol_scores = scores.gather(-1, symbols[..., None]).masked_fill(forced[..., None], 0)
    scores.scatter_(-1, symbols[..., None], symbol_scores)


def split_after(tokens: list[int], separator: int) -> list[list[int]]:
    """Return the runs of tokens that end with a separator, without the separators."""
    ends = [-1, *(place for place, token in enumerate(tokens) if token == separator)]
    return [tokens[start + 1 : end] for start, end in pairwise(ends)]
