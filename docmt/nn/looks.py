"""Looks at previous sentences, of HAN: in a stream, or in the caches of a search.

Paper: Miculicich et al. 2018, section 2.1.
"""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from torch import nn

from docmt.base.ragged import places, spans, starts
from docmt.base.vocabulary import BOS, CLS, EOS, PAD, SEP, UNK
from docmt.nn.attention import Place, WholeStream, attend, attend_padded
from docmt.nn.growing_caches import Progress, reserve
from docmt.nn.segments import Segments, upload
from docmt.nn.shapes import (
    ContextRows,
    Float,
    HeadRows,
    HypothesisHeads,
    HypothesisStates,
    Int,
    Numbers,
    PaddedPairs,
    Pairs,
    SeenRows,
    States,
    Tensor,
)
from docmt.nn.streams import Stream, selected_rows

NO_WORDS = (PAD, BOS, EOS, UNK, SEP, CLS)
"""Symbols that no token attends to, in the authors' code and here. `<mask>` replaces a word and counts as a word."""


@runtime_checkable
class Previous(Protocol):
    """Where tokens find their previous sentences: in a stream (`Looks`), or in the cache of a search (`ContextCache`).

    A look is a pair of a token and a previous sentence that it attends to; an aware token has at least one look.
    """

    def attend_words(self, attention: nn.Module, q: HeadRows, k: HeadRows, v: HeadRows) -> HeadRows:
        """Let each look attend to the words of its sentence; `q`, `k` and `v` have a row for each token."""

    def aware_rows(self, x: States) -> AbstractContextManager[States]:
        """Return the scope of the rows of the aware tokens."""

    def by_token(self, looks: ContextRows) -> ContextRows:
        """Return the looks of the first aware token, then those of the second, and so on."""

    def attend_looks(self, attention: nn.Module, q: HeadRows, k: HeadRows, v: HeadRows) -> HeadRows:
        """Let each aware token attend to its looks, in the order of `by_token`."""

    def spread(self, context: ContextRows, states: States) -> States:
        """Return the context of all tokens of `states`, which is zero where a token is not aware."""


@dataclass(frozen=True, eq=False)
class Looks:
    """The looks of a stream's tokens at the previous sentences of their instance that have words.

    Looks are sorted by the token's sentence, then by the previous sentence, so that one call over one packed stream
    computes attention to the sentences one, two and three back.
    """

    looking: Numbers
    """The token of each look."""
    looking_runs: Segments
    """Runs of `looking`: all tokens of a sentence that look at the same previous sentence."""
    words: Numbers
    """The words that tokens attend to, run by run."""
    word_runs: Segments
    """Runs of `words`: the words of a previous sentence, for each run of `looking_runs`."""
    aware: Numbers
    """The aware tokens: those with at least one look, in the order of the stream."""
    looks_by_token: Numbers
    """The looks of the first aware token, then those of the second, and so on."""
    single: Segments
    """Runs of `aware`: each aware token by itself."""
    token_runs: Segments
    """Runs of `looks_by_token`: the looks of each aware token."""
    branches: Numbers
    """The number of each look, from 0, among the looks of its token."""

    def attend_words(self, attention: nn.Module, q: HeadRows, k: HeadRows, v: HeadRows) -> HeadRows:
        """Let each look attend to the words of its sentence."""
        k, v = k.index_select(0, self.words), v.index_select(0, self.words)
        # A token has a row for each of its looks; the branches give each of these rows different noise.
        with selected_rows(q, self.looking, self.branches) as q:
            dropout = attention.weight_dropout(q)
        return attend(q, k, v, self.looking_runs, self.word_runs, dropout=dropout)

    def aware_rows(self, x: States) -> AbstractContextManager[States]:
        """Return the scope of the rows of the aware tokens."""
        return selected_rows(x, self.aware)

    def by_token(self, looks: ContextRows) -> ContextRows:
        """Return the looks of the first aware token, then those of the second, and so on."""
        return looks.index_select(0, self.looks_by_token)

    def attend_looks(self, attention: nn.Module, q: HeadRows, k: HeadRows, v: HeadRows) -> HeadRows:
        """Let each aware token attend to its looks."""
        return attend(q, k, v, self.single, self.token_runs, dropout=attention.weight_dropout(q))

    def spread(self, context: ContextRows, states: States) -> States:
        """Return the context of all tokens, which is zero where a token is not aware."""
        return context.new_zeros(states.shape).index_copy(0, self.aware, context)


def looks_of(stream: Stream, sentences: int) -> Looks:
    """Return the looks of all tokens at up to `sentences` previous sentences; the host alone computes them."""
    lengths = np.asarray(stream.sentences.lengths, dtype=np.int64)
    words = np.flatnonzero(~np.isin(stream.host_tokens(), NO_WORDS))
    word_counts = np.diff(np.searchsorted(words, np.concatenate(([0], np.cumsum(lengths)))))
    looking_sentence, looked_at = previous_sentences(stream.layout.sentences_per_instance(), sentences)
    # A sentence without words would give a result of zeros, which the attention to sentences would count as context.
    useful = (word_counts[looked_at] > 0) & (lengths[looking_sentence] > 0)
    looking_sentence, looked_at = looking_sentence[useful], looked_at[useful]
    tokens = spans(starts(lengths)[looking_sentence], lengths[looking_sentence])
    aware, looks_per_token = np.unique(tokens, return_counts=True)
    by_token = np.argsort(tokens, kind="stable")
    branches = np.empty_like(tokens)
    branches[by_token] = places(looks_per_token)

    def numbers(values: np.ndarray) -> Numbers:
        return torch.from_numpy(values).to(stream.tokens.device, non_blocking=True)

    def runs(values: np.ndarray) -> Segments:
        return Segments.from_lengths(values.tolist(), stream.tokens.device)

    return Looks(
        looking=numbers(tokens),
        looking_runs=runs(lengths[looking_sentence]),
        words=numbers(words[spans(starts(word_counts)[looked_at], word_counts[looked_at])]),
        word_runs=runs(word_counts[looked_at]),
        aware=numbers(aware),
        looks_by_token=numbers(by_token),
        single=runs(np.ones_like(aware)),
        token_runs=runs(looks_per_token),
        branches=numbers(branches),
    )


def previous_sentences(counts: np.ndarray, sentences: int) -> tuple[np.ndarray, np.ndarray]:
    """Return pairs of a sentence and one of up to `sentences` sentences before it in its instance.

    `counts` has the number of sentences of each instance. The first array has the later sentence of each pair.
    """
    later = np.arange(counts.sum())[:, None]
    earlier = later - np.arange(sentences, 0, -1)
    first = np.repeat(starts(counts), counts)[:, None]
    return tuple(pair[earlier >= first] for pair in np.broadcast_arrays(later, earlier))


class ContextCache:
    """Keys and values of the words of the last sentences of each hypothesis, including the sentence that it is writing.

    Each hypothesis has a row for each of these sentences.
    """

    def __init__(self, sentences: int, progress: Progress) -> None:
        """Begin without keys; hypotheses will attend to `sentences` previous sentences."""
        self.row_count, self.progress = sentences + 1, progress
        self.no_words = upload(NO_WORDS, progress.openings.device)
        self.pairs: PaddedPairs | None = None
        """Keys and values, a row for each sentence of each hypothesis, hypothesis by hypothesis."""
        self.words: Int[Tensor, "N W"] | None = None  # The number of words in each row
        self.seen: SeenRows | None = None
        """Whether the newest token sees words in each row: the sentence being written is not its own context."""
        self.longest = 0  # The number of tokens of the longest sentence so far

    def attend_words(
        self, _: nn.Module, q: HypothesisHeads, k: HypothesisHeads, v: HypothesisHeads
    ) -> Float[Tensor, "_ H K"]:
        """Store the newest tokens, and let each of them attend to the words of each stored sentence separately."""
        # The sentence being written takes over the row of the oldest sentence, which is too far back to be context, so
        # that no row moves when a sentence ends.
        row = self.progress.sentence % self.row_count
        self._put(torch.stack((k, v)), row)
        words = self.words.scatter(1, row[:, None], 0)
        self.seen = words > 0
        may_attend = torch.arange(self.longest, device=q.device) < words.flatten()[:, None]
        keys, values = self.pairs[:, :, :, : self.longest].transpose(2, 3)
        return attend_padded(q.repeat_interleave(self.row_count, dim=0)[:, None], keys, values, may_attend)[:, 0]

    def aware_rows(self, x: HypothesisStates) -> AbstractContextManager[HypothesisStates]:
        """Return the rows of all hypotheses."""
        return nullcontext(x)

    def by_token(self, looks: ContextRows) -> ContextRows:
        """Return a row for each stored sentence of the first hypothesis, then of the second, and so on."""
        return looks

    def attend_looks(self, _: nn.Module, q: HypothesisHeads, k: HeadRows, v: HeadRows) -> HypothesisHeads:
        """Let each newest token attend to the results of the sentences in which it sees words."""
        k, v = (part.unflatten(0, (-1, self.row_count)) for part in (k, v))
        return attend_padded(q[:, None], k, v, self.seen)[:, 0]

    def spread(self, context: HypothesisStates, states: HypothesisStates) -> HypothesisStates:
        """Return the context of all hypotheses, which is zero where the newest token sees no words."""
        return context.masked_fill(~self.seen.any(dim=1, keepdim=True), 0)

    def _put(self, newest: Pairs, row: Numbers) -> None:
        progress, is_word = self.progress, ~torch.isin(self.progress.tokens, self.no_words)
        if self.words is None:
            self.words = row.new_zeros((len(row), self.row_count))
        # A sentence that begins takes over the row of the oldest sentence, whose words are forgotten.
        word_count = self.words.gather(1, row[:, None])[:, 0].masked_fill(progress.cursor == 0, 0)
        self.longest = max(self.longest, progress.longest)
        self.pairs = reserve(self.pairs, newest.repeat_interleave(self.row_count, dim=1), self.longest)
        # A token that is no word is overwritten by the next.
        place = torch.arange(len(row), device=row.device) * self.row_count + row
        self.pairs[:, place, :, word_count] = newest.transpose(0, 1)
        self.words = self.words.scatter(1, row[:, None], (word_count + is_word)[:, None])

    def take(self, index: Numbers, *_: object) -> None:
        """Select and reorder the hypotheses by `index`."""
        if self.pairs is None:
            return
        self.pairs = self.pairs.unflatten(1, (-1, self.row_count)).index_select(1, index).flatten(1, 2)
        self.words = self.words.index_select(0, index)


def previous_of(place: Place, module: nn.Module, sentences: int) -> Previous:
    """Return where the tokens of a place find up to `sentences` previous sentences; `module` owns the cache."""
    if isinstance(place, WholeStream):
        return looks_of(place.stream, sentences)
    return place.opened(module, lambda _: ContextCache(sentences, place.progress))
