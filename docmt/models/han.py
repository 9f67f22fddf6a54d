"""HAN: states attend to the words of three previous sentences, then to these sentences, above encoder or decoder.

Paper: Miculicich et al. 2018, "Document-Level Neural Machine Translation with Hierarchical Attention Networks".

The model adds one step to the Transformer of `transformer.py`, whose attention is all inside a sentence here. The step
is above the final states of the encoder (`context: encoder`), of the decoder (`decoder`) or of both (`joint`). Each
token attends to the words of each of the k previous sentences separately, then to the k results; a gate mixes the
result into the token's state.

| paper | here |
| --- | --- |
| section 2.1, word-level abstraction | `WordAttention` |
| section 2.1, sentence-level abstraction | `SentenceAttention`, `HierarchicalAttention.summarise` |
| section 2.2, context gating | `HierarchicalAttention.apply_gate` |
| section 2.3, HAN encoder, decoder, joint | `Han.encode`, `Han.decode`, `Han.step` |

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

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from docmt.base.runs import places, spans, starts
from docmt.base.vocabulary import BOS, CLS, EOS, PAD, SEP, UNK
from docmt.models.transformer import Transformer, feed_forward
from docmt.nn.attention import attend, attend_padded
from docmt.nn.caches import Cache, reserve
from docmt.nn.compiled import token_wise
from docmt.nn.layers import Dropout
from docmt.nn.linear import Linear
from docmt.nn.multihead import MultiHead
from docmt.nn.noise import key_scope, narrowed_key_scope
from docmt.nn.progress import Progress
from docmt.nn.segments import Segments
from docmt.nn.shapes import (
    ContextRows,
    Float,
    HypothesisFlags,
    HypothesisHeads,
    HypothesisRows,
    HypothesisStates,
    HypothesisTokens,
    Int,
    Numbers,
    PaddedPairs,
    Pairs,
    SeenRows,
    States,
    Tensor,
)
from docmt.nn.streams import Memory, Stream
from docmt.settings.models import HanConfig

NO_WORDS = (PAD, BOS, EOS, UNK, SEP, CLS)
"""Symbols that no token attends to, in the authors' code and here. `<mask>` replaces a word and counts as a word."""


@dataclass(frozen=True, eq=False)
class Context:
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
    by_token: Numbers
    """The looks of the first aware token, then those of the second, and so on."""
    single: Segments
    """Runs of `aware`: each aware token by itself."""
    token_runs: Segments
    """Runs of `by_token`: the looks of each aware token."""
    branches: Numbers
    """The number of each look, from 0, among the looks of its token."""


def context_of(stream: Stream, sentences: int) -> Context:
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

    return Context(
        looking=numbers(tokens),
        looking_runs=runs(lengths[looking_sentence]),
        words=numbers(words[spans(starts(word_counts)[looked_at], word_counts[looked_at])]),
        word_runs=runs(word_counts[looked_at]),
        aware=numbers(aware),
        by_token=numbers(by_token),
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

    def forward(self, x: States, states: States, context: Context) -> ContextRows:
        """Return a row for each look; `x` has the queries of all tokens, `states` the states that they attend to."""
        # Queries are projected before their rows are repeated, since a token has several looks.
        q = self.split(self.query(x)).index_select(0, context.looking)
        k, v = (self.split(part(states)).index_select(0, context.words) for part in (self.key, self.value))
        # A token has a row for each of its looks; the branches give each of these rows different noise.
        with narrowed_key_scope(context.looking, context.branches):
            dropout = self.weight_dropout(q)
        return self.output(attend(q, k, v, context.looking_runs, context.word_runs, dropout=dropout).flatten(1))

    def open_cache(self, cache: Cache, sentences: int) -> None:
        """Put a cache of the words of the last `sentences` sentences into `cache`."""
        cache.layers[self] = ContextCache(sentences)

    def step(
        self, x: HypothesisStates, states: HypothesisStates, is_word: HypothesisFlags, cache: Cache
    ) -> tuple[HypothesisRows, SeenRows]:
        """Return the result of the newest token for each stored sentence, and which of these have words to read."""
        q, k, v = self.split(self.query(x)), self.split(self.key(states)), self.split(self.value(states))
        summaries, has_words = cache.layers[self].attend(q, k, v, is_word, cache.progress)
        return self.output(summaries.flatten(2)), has_words


class SentenceAttention(MultiHead):
    """Attention of each token to the results of its previous sentences; their order does not matter."""

    def forward(self, x: States, summaries: ContextRows, context: Context) -> States:
        """Return a row for each aware token: `x` has the queries of these tokens, `summaries` a row for each look."""
        return self.attend(x, context.single, summaries.index_select(0, context.by_token), context.token_runs)

    def step(self, x: HypothesisStates, summaries: HypothesisRows, has_words: SeenRows) -> HypothesisStates:
        """Return a row for each hypothesis; `has_words` is false for a stored sentence without words to read."""
        grid = summaries.shape[:2]
        q, flat = self.split(self.query(x))[:, None], summaries.flatten(0, 1)
        k, v = (self.split(part(flat)).unflatten(0, grid) for part in (self.key, self.value))
        return self.output(attend_padded(q, k, v, has_words)[:, 0].flatten(1))


class ContextCache:
    """Keys and values of the words of the last sentences of each hypothesis, including the sentence that it is writing.

    Each hypothesis has a row for each of these sentences. The sentence being written takes over the row of the oldest
    sentence, which is too far back to be context, so that no row moves when a sentence ends.
    """

    def __init__(self, sentences: int) -> None:
        """Begin without keys; hypotheses will attend to `sentences` previous sentences."""
        self.row_count = sentences + 1
        self.pairs: PaddedPairs | None = None
        """Keys and values, a row for each sentence of each hypothesis, hypothesis by hypothesis."""
        self.words: Int[Tensor, "N W"] | None = None
        """The number of words in each row."""
        self.longest = 0
        """The number of tokens of the longest sentence so far."""

    def attend(
        self, q: HypothesisHeads, k: HypothesisHeads, v: HypothesisHeads, is_word: HypothesisFlags, progress: Progress
    ) -> tuple[Float[Tensor, "N W H K"], SeenRows]:
        """Store the newest tokens, and let each of them attend to the words of each previous sentence separately.

        Returns the result for each row of a hypothesis, and which rows have words to attend to.
        """
        row = progress.sentence % self.row_count
        self._put(torch.stack((k, v)), row, is_word, progress)
        # The sentence being written is not its own context.
        words = self.words.scatter(1, row[:, None], 0)
        may_attend = torch.arange(self.longest, device=q.device) < words.flatten()[:, None]
        keys, values = self.pairs[:, :, :, : self.longest].transpose(2, 3)
        summaries = attend_padded(q.repeat_interleave(self.row_count, dim=0)[:, None], keys, values, may_attend)[:, 0]
        return summaries.unflatten(0, (-1, self.row_count)), words > 0

    def _put(self, newest: Pairs, row: Numbers, is_word: HypothesisFlags, progress: Progress) -> None:
        """Write the newest tokens after the words of their rows; a token that is no word is overwritten by the next."""
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

    def forward(self, states: States, stream: Stream) -> States:
        """Return the states with their context; tokens whose previous sentences have no words get context zero."""
        context = context_of(stream, self.sentences)
        readable = states if self.context_gradient else states.detach()
        summaries = self.word_attention(self.word_query_norm(readable), readable, context)
        query = self.sentence_query_norm(readable.index_select(0, context.aware))
        with narrowed_key_scope(context.aware):
            summary = self.summarise(self.sentence_attention(query, self.summary_norm(summaries), context))
        return self.apply_gate(states, summary.new_zeros(states.shape).index_copy(0, context.aware, summary))

    def step(self, states: HypothesisStates, is_word: HypothesisFlags, cache: Cache) -> HypothesisStates:
        """Return the states of the newest tokens with their context; `is_word` is true where the token is a word."""
        summaries, has_words = self.word_attention.step(self.word_query_norm(states), states, is_word, cache)
        query = self.sentence_query_norm(states)
        summary = self.summarise(self.sentence_attention.step(query, self.summary_norm(summaries), has_words))
        return self.apply_gate(states, summary.masked_fill(~has_words.any(dim=1, keepdim=True), 0))

    def summarise(self, context: States) -> States:
        """Return the context after the feed-forward layer, with its residual connection. Paper: section 2.1."""
        return context + self.dropout(self.feed_forward(self.feed_forward_norm(context)))

    @token_wise
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
        # A buffer moves to the device with the model, so that no step of decoding copies these numbers there.
        self.register_buffer("no_words", torch.tensor(NO_WORDS), persistent=False)

    @property
    def synchronous(self) -> bool:
        """True without target context; with it, the translation of a sentence depends on the previous translations."""
        return self.target_context is None

    def encode(self, source: Stream) -> Memory:
        """Return the encoded source, with context of the source where the model has it."""
        memory = super().encode(source)
        if self.source_context is None:
            return memory
        with key_scope(source.keys):
            return Memory(self.source_context(memory.states, source), memory.layout)

    def decode(self, target_in: Stream, memory: Memory) -> States:
        """Return the final states of the decoder, with context of the target where the model has it."""
        states = super().decode(target_in, memory)
        if self.target_context is None:
            return states
        with key_scope(target_in.keys):
            return self.target_context(states, target_in)

    def start(self, memory: Memory, beam: int) -> Cache:
        """Return an empty cache, with room for the target's context where the model has it."""
        cache = super().start(memory, beam)
        if self.target_context is not None:
            self.target_context.word_attention.open_cache(cache, self.config.context_sentences)
        return cache

    @torch.no_grad()
    def step(self, tokens: HypothesisTokens, cache: Cache) -> HypothesisStates:
        """Return the final states of the newest tokens, with context of the target where the model has it."""
        states = super().step(tokens, cache)
        if self.target_context is None:
            return states
        return self.target_context.step(states, ~torch.isin(tokens, self.no_words), cache)

    def transfer_source(self, name: str) -> str | None:
        """Return the same name for a parameter of the Transformer; None: hierarchical attention starts at random.

        Where the initial model is a HAN itself (a joint HAN starts from an encoder HAN), its hierarchical attention is
        transferred too, since a parameter of the same name is looked for first.
        """
        return None if name.startswith(("source_context.", "target_context.")) else name
