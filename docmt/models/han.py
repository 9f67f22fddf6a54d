"""HAN: states attend to the words of three previous sentences, then to these sentences, above encoder or decoder.

Paper: Miculicich et al. 2018, "Document-Level Neural Machine Translation with Hierarchical Attention Networks".

The model adds one step to the Transformer of `transformer.py`, whose attention is all inside a sentence here. The step
is above the final states of the encoder (`context: encoder`), of the decoder (`decoder`) or of both (`joint`). Each
token attends to the words of each of the k previous sentences separately, then to the k results; a gate mixes the
result into the token's state.

| paper | here |
| --- | --- |
| section 2.1, word-level abstraction | `WordAttention` |
| section 2.1, sentence-level abstraction | `SentenceAttention`, `HierarchicalAttention.forward` |
| section 2.2, context gating | `HierarchicalAttention.apply_gate` |
| section 2.3, HAN encoder, decoder, joint | `Han.encode`, `Han.finish` |

Where the paper says less, this module follows the authors' code (its folder full_source):

- There are layer norms of the query for words, of the query for sentences, of the result of each sentence, and of the
  final states.
- The feed-forward layer has a residual connection of its own, and a layer norm before it, whatever `norm` is.
- The words that tokens attend to and the query are detached: no gradient reaches a state as a word of another
  sentence's context, nor as a query (the setting `context_gradient` changes that).
- No token attends to `<unk>` or special symbols.
- The context of the decoder is its own states of the previous target sentences, before HAN.
- Where the gate is 1 the new state is the context; the paper's lambda is the share of the state.

Departs:

- A token without any context, as at the start of a document, has context zero; the authors' code attends evenly to
  sentences that do not exist.
- Batches hold whole instances, so that no context is cut off at the edges of batches.
- Where the decoder has context, one beam search decodes a whole instance, and each hypothesis has its own previous
  sentences. The authors' code searches sentence by sentence, with the best translation so far as context, whose states
  it computes again without `<s>`.
- Attention weights are dropped by `attention_dropout`; the authors' code has one share for all dropout.
"""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from torch import nn

from docmt.base.runs import places, spans, starts
from docmt.base.vocabulary import BOS, CLS, EOS, PAD, SEP, UNK
from docmt.models.transformer import Transformer, feed_forward
from docmt.nn.attention import attend, attend_padded
from docmt.nn.caches import reserve
from docmt.nn.layers import Dropout
from docmt.nn.linear import Linear
from docmt.nn.multihead import MultiHead, Place, WholeStream
from docmt.nn.progress import Progress
from docmt.nn.segments import Segments
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
from docmt.nn.streams import Memory, Stream, selected_rows
from docmt.settings.models import HanConfig

NO_WORDS = (PAD, BOS, EOS, UNK, SEP, CLS)
"""Symbols that no token attends to, in the authors' code and here. `<mask>` replaces a word and counts as a word."""


@runtime_checkable
class Previous(Protocol):
    """Where tokens find their previous sentences: in a stream (`Looks`), or in the cache of a search (`ContextCache`).

    A look is a pair of a token and a previous sentence that it attends to; an aware token has at least one look.
    """

    def attend_words(self, attention: MultiHead, q: HeadRows, k: HeadRows, v: HeadRows) -> HeadRows:
        """Let each look attend to the words of its sentence; `q`, `k` and `v` have a row for each token."""

    def aware_rows(self, x: States) -> AbstractContextManager[States]:
        """Return the scope of the rows of the aware tokens."""

    def by_token(self, looks: ContextRows) -> ContextRows:
        """Return the looks of the first aware token, then those of the second, and so on."""

    def attend_looks(self, attention: MultiHead, q: HeadRows, k: HeadRows, v: HeadRows) -> HeadRows:
        """Let each aware token attend to its looks, in the order of `by_token`."""

    def spread(self, context: States, states: States) -> States:
        """Return the context of all tokens of `states`, which is zero where a token is not aware."""


@dataclass(frozen=True, eq=False)
class Looks:
    """The looks of a stream's tokens at the previous sentences of their instance that have words.

    A look is a pair of a token and a previous sentence that the token attends to. Looks are sorted by the token's
    sentence, then by the previous sentence, so that one call over one packed stream computes attention to the sentences
    one, two and three back.
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

    def attend_words(self, attention: MultiHead, q: HeadRows, k: HeadRows, v: HeadRows) -> HeadRows:
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

    def attend_looks(self, attention: MultiHead, q: HeadRows, k: HeadRows, v: HeadRows) -> HeadRows:
        """Let each aware token attend to its looks."""
        return attend(q, k, v, self.single, self.token_runs, dropout=attention.weight_dropout(q))

    def spread(self, context: States, states: States) -> States:
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


class WordAttention(MultiHead):
    """Attention of each look to the words of its previous sentence."""

    def forward(self, x: States, states: States, previous: Previous) -> ContextRows:
        """Return a row for each look; `x` has the queries of all tokens, `states` the states that they attend to."""
        # Queries are projected before their rows are repeated, since a token has several looks.
        q, k, v = self.split(self.query(x)), self.split(self.key(states)), self.split(self.value(states))
        return self.output(previous.attend_words(self, q, k, v).flatten(1))


class SentenceAttention(MultiHead):
    """Attention of each token to the results of its previous sentences; their order does not matter."""

    def forward(self, x: States, looks: ContextRows, previous: Previous) -> States:
        """Return a row for each aware token: `x` has the queries of these tokens, `looks` a row for each look."""
        q, (k, v) = self.split(self.query(x)), self.keys_values(previous.by_token(looks))
        return self.output(previous.attend_looks(self, q, k, v).flatten(1))


class ContextCache:
    """Keys and values of the words of the last sentences of each hypothesis, including the sentence that it is writing.

    Each hypothesis has a row for each of these sentences. The sentence being written takes over the row of the oldest
    sentence, which is too far back to be context, so that no row moves when a sentence ends.
    """

    def __init__(self, sentences: int, progress: Progress) -> None:
        """Begin without keys; hypotheses will attend to `sentences` previous sentences."""
        self.row_count, self.progress = sentences + 1, progress
        self.no_words = torch.tensor(NO_WORDS).to(progress.openings.device)
        self.pairs: PaddedPairs | None = None
        """Keys and values, a row for each sentence of each hypothesis, hypothesis by hypothesis."""
        self.words: Int[Tensor, "N W"] | None = None
        """The number of words in each row."""
        self.seen: SeenRows | None = None
        """Whether the newest token sees words in each row: the sentence being written is not its own context."""
        self.longest = 0
        """The number of tokens of the longest sentence so far."""

    def attend_words(
        self, _: MultiHead, q: HypothesisHeads, k: HypothesisHeads, v: HypothesisHeads
    ) -> Float[Tensor, "_ H K"]:
        """Store the newest tokens, and let each of them attend to the words of each stored sentence separately."""
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

    def attend_looks(self, _: MultiHead, q: HypothesisHeads, k: HeadRows, v: HeadRows) -> HypothesisHeads:
        """Let each newest token attend to the results of the sentences in which it sees words."""
        k, v = (part.unflatten(0, (-1, self.row_count)) for part in (k, v))
        return attend_padded(q[:, None], k, v, self.seen)[:, 0]

    def spread(self, context: HypothesisStates, states: HypothesisStates) -> HypothesisStates:
        """Return the context of all hypotheses, which is zero where the newest token sees no words."""
        return context.masked_fill(~self.seen.any(dim=1, keepdim=True), 0)

    def _put(self, newest: Pairs, row: Numbers) -> None:
        """Write the newest tokens after the words of their rows; a token that is no word is overwritten by the next."""
        progress, is_word = self.progress, ~torch.isin(self.progress.tokens, self.no_words)
        if self.words is None:
            self.words = row.new_zeros((len(row), self.row_count))
        # A sentence that begins takes over the row of the oldest sentence, whose words are forgotten.
        word_count = self.words.gather(1, row[:, None])[:, 0].masked_fill(progress.cursor == 0, 0)
        self.longest = max(self.longest, progress.longest)
        self.pairs = reserve(self.pairs, newest.repeat_interleave(self.row_count, dim=1), self.longest)
        place = torch.arange(len(row), device=row.device) * self.row_count + row
        self.pairs[:, place, :, word_count] = newest.transpose(0, 1)
        self.words = self.words.scatter(1, row[:, None], (word_count + is_word)[:, None])

    def take(self, index: Numbers, *_: object) -> None:
        """Select and reorder the hypotheses by `index`."""
        if self.pairs is None:
            return
        self.pairs = self.pairs.unflatten(1, (-1, self.row_count)).index_select(1, index).flatten(1, 2)
        self.words = self.words.index_select(0, index)


class HierarchicalAttention(nn.Module):
    """The layer that mixes the context of previous sentences into states. Paper: sections 2.1 and 2.2."""

    token_wise = ("apply_gate",)

    def __init__(self, config: HanConfig) -> None:
        """Create the two attentions, their norms, the feed-forward layer and the gate."""
        super().__init__()
        self.sentences, self.context_gradient = config.context_sentences, config.context_gradient
        self.word_attention = WordAttention(config.width, config.heads, config.attention_dropout)
        self.sentence_attention = SentenceAttention(config.width, config.heads, config.attention_dropout)
        self.word_query_norm, self.sentence_query_norm, self.summary_norm, self.feed_forward_norm, self.norm = (
            nn.LayerNorm(config.width, config.norm_epsilon) for _ in range(5)
        )
        self.feed_forward, self.dropout = feed_forward(config), Dropout(config.dropout, config.width)
        self.gate = Linear(2 * config.width, config.width)
        nn.init.xavier_uniform_(self.gate.weight)
        nn.init.zeros_(self.gate.bias)

    def forward(self, states: States, place: Place) -> States:
        """Return the states with their context; tokens whose previous sentences have no words get context zero."""
        previous = self.previous(place)
        readable = states if self.context_gradient else states.detach()
        looks = self.word_attention(self.word_query_norm(readable), readable, previous)
        with previous.aware_rows(readable) as aware:
            context = self.sentence_attention(self.sentence_query_norm(aware), self.summary_norm(looks), previous)
            context = context + self.dropout(self.feed_forward(self.feed_forward_norm(context)))
        return self.apply_gate(states, previous.spread(context, states))

    def previous(self, place: Place) -> Previous:
        """Return where the tokens of `place` find their previous sentences."""
        if isinstance(place, WholeStream):
            return looks_of(place.stream, self.sentences)
        return place.opened(self, lambda _: ContextCache(self.sentences, place.progress))

    def apply_gate(self, states: States, context: States) -> States:
        """Return the normalised mix of states and context. Paper: section 2.2.

        It is LayerNorm((1 - lambda) h + lambda d) with lambda = sigmoid(W [h; d]).
        """
        share = torch.sigmoid(self.gate(torch.cat((states, context), dim=-1)))
        return self.norm((1 - share) * states + share * context)


class Han(Transformer):
    """The model of hierarchical attention. Paper: section 2."""

    config: HanConfig
    scope = "sentence"

    def __init__(self, config: HanConfig, source_size: int, target_size: int) -> None:
        """Create a Transformer with hierarchical attention above encoder, decoder or both, as `config.context` says."""
        super().__init__(config, source_size, target_size)
        self.source_context = HierarchicalAttention(config) if config.context != "decoder" else None
        self.target_context = HierarchicalAttention(config) if config.context != "encoder" else None

    @property
    def synchronous(self) -> bool:
        """True without target context; with it, the translation of a sentence depends on the previous translations."""
        return self.target_context is None

    def encode(self, source: Stream) -> Memory:
        """Return the encoded source, with context of the source where the model has it."""
        memory = super().encode(source)
        if self.source_context is None:
            return memory
        place = WholeStream(source)
        with place.noise():
            return Memory(self.source_context(memory.states, place), memory.layout)

    def finish(self, states: States, place: Place) -> States:
        """Return the final states, with context of the target where the model has it."""
        return states if self.target_context is None else self.target_context(states, place)

    def transfer_source(self, name: str) -> str | None:
        """Return the same name for a parameter of the Transformer; None: hierarchical attention starts at random.

        Where the initial model is a HAN itself (a joint HAN starts from an encoder HAN), its hierarchical attention is
        transferred too, since a parameter of the same name is looked for first.
        """
        return None if name.startswith(("source_context.", "target_context.")) else name
