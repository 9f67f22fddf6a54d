"""HAN: words of the three previous sentences, then these sentences, are attended to on top of encoder or decoder.

Paper: Miculicich et al. 2018, "Document-Level Neural Machine Translation with Hierarchical Attention Networks".
New against `transformer.py`: all attention stays inside a sentence; once, on top of the encoder's states (context:
encoder), the decoder's (decoder) or both (joint), each token attends to the words of each of the k previous sentences
apart, then to the k results; a gate mixes what comes out into its state.

| paper | here |
| --- | --- |
| section 2.1, word-level abstraction | `WordAttention` |
| section 2.1, sentence-level abstraction | `SentenceAttention`, `HierarchicalAttention.summarise` |
| section 2.2, context gating | `HierarchicalAttention.apply_gate` |
| section 2.3, HAN encoder, decoder, joint | `Han.encode`, `Han.decode`, `Han.step` |

As the authors' code has it (its folder full_source), where the paper says less:

- The norms: one of the query for words and another for sentences, one of what a sentence gave, one at the end.
- The feed-forward layer has a residual connection of its own, and its norm before it, whatever `norm` is.
- Context and what asks for it are detached: no state is trained for what others read from it, nor for what it asks
  (`context_gradient` undoes that).
- `<unk>` and special symbols are not looked at.
- The context of the decoder is its own states of the previous target sentences, before HAN.
- Where the gate says 1 the state is context; the paper's lambda is the other share.

Departs:

- A token without any context, as at the start of a document, has context zero; their code attends evenly to sentences
  that are none.
- Batches hold whole instances, so that no context is cut off at their borders.
- Where the decoder has context, one beam runs over an instance, each hypothesis with its own previous sentences. Their
  code searches sentence by sentence after the best translation so far, whose states it computes anew without `<s>`.
- Attention weights are dropped by `attention_dropout`; their code uses one share for all.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from docmt.base.runs import places, spans, starts
from docmt.base.vocabulary import BOS, CLS, EOS, PAD, SEP, UNK
from docmt.models.transformer import Transformer, feed_forward
from docmt.nn.attention import attend, attend_padded
from docmt.nn.caches import Cache, Progress, reserve
from docmt.nn.compiled import token_wise
from docmt.nn.layers import Dropout
from docmt.nn.multihead import MultiHead
from docmt.nn.noise import key_scope, narrowed_key_scope
from docmt.nn.segments import Segments
from docmt.nn.shapes import (
    ContextRows,
    Flags,
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
    Tokens,
)
from docmt.nn.streams import Memory, Stream
from docmt.settings.models import HanConfig

NO_WORDS = (PAD, BOS, EOS, UNK, SEP, CLS)
"""Symbols that are not looked at, those of the authors' code and ours; `<mask>` stands for a word, and is."""


@dataclass(frozen=True, eq=False)
class Context:
    """Looks of a stream's tokens at the previous sentences of their instance that have words.

    A look is a token that looks at one previous sentence. Looks stand sentence by sentence, and for each of these
    previous sentence by previous sentence, so that attention to sentences one, two, three back is one call over one
    packed stream.
    """

    looking: Numbers
    """The token that looks, look by look."""
    looking_runs: Segments
    """Looks of all tokens of a sentence at one sentence."""
    words: Numbers
    """The words that are seen, run by run."""
    word_runs: Segments
    aware: Numbers
    """The tokens that look at anything, in order."""
    by_token: Numbers
    """The looks of the first aware token, those of the second, ..."""
    single: Segments
    """The aware tokens, each a run of its own."""
    token_runs: Segments
    """Looks of each aware token, as runs of `by_token`."""
    branches: Numbers
    """Each look's number among those of its token."""


def are_words(tokens: Tokens) -> Flags:
    """Where a token is a word: no special symbol, and not unknown."""
    return ~torch.isin(tokens, torch.tensor(NO_WORDS, device=tokens.device))


def context_of(stream: Stream, sentences: int) -> Context:
    """Looks at up to so many sentences back. Where words stand is asked of the device, which the host waits for."""
    lengths = np.asarray(stream.sentences.lengths, dtype=np.int64)
    is_word = are_words(stream.tokens).cpu().numpy()
    words = np.flatnonzero(is_word)
    word_counts = np.diff(np.searchsorted(words, np.concatenate(([0], np.cumsum(lengths)))))
    looking, seen = previous(stream.layout.sentences_per_instance(), sentences)
    useful = (word_counts[seen] > 0) & (lengths[looking] > 0)
    looking, seen = looking[useful], seen[useful]
    tokens = spans(starts(lengths)[looking], lengths[looking])
    aware, looks = np.unique(tokens, return_counts=True)
    by_token = np.argsort(tokens, kind="stable")
    branches = np.empty_like(tokens)
    branches[by_token] = places(looks)

    def numbers(values: np.ndarray) -> Numbers:
        return torch.from_numpy(values).to(stream.tokens.device, non_blocking=True)

    def runs(values: np.ndarray) -> Segments:
        return Segments.from_lengths(values.tolist(), stream.tokens.device)

    return Context(
        looking=numbers(tokens),
        looking_runs=runs(lengths[looking]),
        words=numbers(words[spans(starts(word_counts)[seen], word_counts[seen])]),
        word_runs=runs(word_counts[seen]),
        aware=numbers(aware),
        by_token=numbers(by_token),
        single=runs(np.ones_like(aware)),
        token_runs=runs(looks),
        branches=numbers(branches),
    )


def previous(counts: np.ndarray, sentences: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of a sentence and one up to so many before it in its instance, which have `counts` sentences each."""
    number = np.arange(counts.sum())[:, None]
    back = number - np.arange(sentences, 0, -1)
    first = np.repeat(starts(counts), counts)[:, None]
    return tuple(pair[back >= first] for pair in np.broadcast_arrays(number, back))


class WordAttention(MultiHead):
    """Attention of each look to the words of the one sentence that it is at."""

    def forward(self, x: States, states: States, context: Context) -> ContextRows:
        """`x`: what tokens ask, `states`: what they see; gives a row a look."""
        # Projected before they are repeated, since a token looks at several sentences.
        q = self.split(self.query(x)).index_select(0, context.looking)
        k, v = (self.split(part(states)).index_select(0, context.words) for part in (self.key, self.value))
        with narrowed_key_scope(context.looking, context.branches):
            dropout = self.weight_dropout(q)
        return self.output(attend(q, k, v, context.looking_runs, context.word_runs, dropout=dropout).flatten(1))

    def open_cache(self, cache: Cache, sentences: int) -> None:
        cache.layers[self] = ContextCache(sentences)

    def step(
        self, x: HypothesisStates, states: HypothesisStates, is_word: HypothesisFlags, cache: Cache
    ) -> tuple[HypothesisRows, SeenRows]:
        """What the newest token of each hypothesis sees in each of its sentences, and which of them have words."""
        q, k, v = self.split(self.query(x)), self.split(self.key(states)), self.split(self.value(states))
        seen, has_words = cache.layers[self].attend(q, k, v, is_word, cache.progress)
        return self.output(seen.flatten(2)), has_words


class SentenceAttention(MultiHead):
    """Attention of each token to what it saw in each of the previous sentences; their order is not told."""

    def forward(self, x: States, summaries: ContextRows, context: Context) -> States:
        """`x`: what aware tokens ask, `summaries`: a row a look."""
        return self.attend(x, context.single, summaries.index_select(0, context.by_token), context.token_runs)

    def step(self, x: HypothesisStates, summaries: HypothesisRows, has_words: SeenRows) -> HypothesisStates:
        """`has_words` is False where there is no such sentence."""
        rows = summaries.shape[:2]
        q, flat = self.split(self.query(x))[:, None], summaries.flatten(0, 1)
        k, v = (self.split(part(flat)).unflatten(0, rows) for part in (self.key, self.value))
        return self.output(attend_padded(q, k, v, has_words)[:, 0].flatten(1))


class ContextCache:
    """Keys and values of the words of the last sentences of each hypothesis, and of the one that it is writing.

    Each hypothesis has a row for each of them: the sentence being written takes the row of the one that is too far
    back, so that nothing moves when a sentence ends.
    """

    def __init__(self, sentences: int) -> None:
        """`sentences`: so many previous ones are looked at."""
        self.kept = sentences + 1
        self.pairs: PaddedPairs | None = None
        """Rows hypothesis by hypothesis."""
        self.words: Int[Tensor, "N W"] | None = None
        """How many words each row holds."""
        self.longest = 0
        """Tokens of the longest sentence so far."""

    def attend(
        self, q: HypothesisHeads, k: HypothesisHeads, v: HypothesisHeads, is_word: HypothesisFlags, progress: Progress
    ) -> tuple[Float[Tensor, "N W H K"], SeenRows]:
        """Put in the newest tokens, and let each see the words of each previous sentence, apart.

        Gives what was seen, and in which rows there was anything to be seen.
        """
        row = progress.sentence % self.kept
        self._put(torch.stack((k, v)), row, is_word, progress)
        words = self.words.scatter(1, row[:, None], 0)
        may_attend = torch.arange(self.longest, device=q.device) < words.flatten()[:, None]
        keys, values = self.pairs[:, :, :, : self.longest].transpose(2, 3)
        seen = attend_padded(q.repeat_interleave(self.kept, dim=0)[:, None], keys, values, may_attend)[:, 0]
        return seen.unflatten(0, (-1, self.kept)), words > 0

    def _put(self, newest: Pairs, row: Numbers, is_word: HypothesisFlags, progress: Progress) -> None:
        """Write the newest tokens at the ends of their rows; what is no word is not counted, and written over."""
        if self.words is None:
            self.words = row.new_zeros((len(row), self.kept))
        before = self.words.gather(1, row[:, None])[:, 0].masked_fill(progress.cursor == 0, 0)
        self.longest = max(self.longest, progress.longest)
        self.pairs = reserve(self.pairs, newest.repeat_interleave(self.kept, dim=1), self.longest)
        place = torch.arange(len(row), device=row.device) * self.kept + row
        self.pairs[:, place, :, before] = newest.transpose(0, 1)
        self.words = self.words.scatter(1, row[:, None], (before + is_word)[:, None])

    def take(self, index: Numbers, *_: object) -> None:
        if self.pairs is None:
            return
        self.pairs = self.pairs.unflatten(1, (-1, self.kept)).index_select(1, index).flatten(1, 2)
        self.words = self.words.index_select(0, index)


class HierarchicalAttention(nn.Module):
    """The states of a stream with what previous sentences add to them. Paper: sections 2.1 and 2.2."""

    def __init__(self, config: HanConfig) -> None:
        super().__init__()
        self.sentences, self.context_gradient = config.context_sentences, config.context_gradient
        self.word_attention = WordAttention(config.width, config.heads, config.attention_dropout)
        self.sentence_attention = SentenceAttention(config.width, config.heads, config.attention_dropout)
        self.word_query_norm, self.sentence_query_norm, self.summary_norm, self.feed_forward_norm, self.norm = (
            nn.LayerNorm(config.width, config.norm_epsilon) for _ in range(5)
        )
        self.feed_forward, self.dropout = feed_forward(config), Dropout(config.dropout, config.width)
        self.gate = nn.Linear(2 * config.width, config.width)
        nn.init.xavier_uniform_(self.gate.weight)
        nn.init.zeros_(self.gate.bias)

    def forward(self, states: States, stream: Stream) -> States:
        context = context_of(stream, self.sentences)
        seen = states if self.context_gradient else states.detach()
        summaries = self.word_attention(self.word_query_norm(seen), seen, context)
        query = self.sentence_query_norm(seen.index_select(0, context.aware))
        with narrowed_key_scope(context.aware):
            found = self.summarise(self.sentence_attention(query, self.summary_norm(summaries), context))
        return self.apply_gate(states, found.new_zeros(states.shape).index_copy(0, context.aware, found))

    def step(self, states: HypothesisStates, is_word: HypothesisFlags, cache: Cache) -> HypothesisStates:
        summaries, has_words = self.word_attention.step(self.word_query_norm(states), states, is_word, cache)
        query = self.sentence_query_norm(states)
        found = self.summarise(self.sentence_attention.step(query, self.summary_norm(summaries), has_words))
        return self.apply_gate(states, found.masked_fill(~has_words.any(dim=1, keepdim=True), 0))

    def summarise(self, context: States) -> States:
        """Feed-forward with its residual connection. Paper: section 2.1."""
        return context + self.dropout(self.feed_forward(self.feed_forward_norm(context)))

    @token_wise
    def apply_gate(self, states: States, context: States) -> States:
        """lambda = sigmoid(W [h; d]), LayerNorm((1 - lambda) h + lambda d). Paper: section 2.2."""
        share = torch.sigmoid(self.gate(torch.cat((states, context), dim=-1)))
        return self.norm((1 - share) * states + share * context)


class Han(Transformer):
    """See above. Paper: section 2."""

    config: HanConfig
    scope = "sentence"

    def __init__(self, config: HanConfig, source_size: int, target_size: int) -> None:
        super().__init__(config, source_size, target_size)
        self.source_context = HierarchicalAttention(config) if config.context != "decoder" else None
        self.target_context = HierarchicalAttention(config) if config.context != "encoder" else None

    @property
    def synchronous(self) -> bool:
        """Only without target context does a sentence's translation depend on no other's."""
        return self.target_context is None

    def encode(self, source: Stream) -> Memory:
        memory = super().encode(source)
        if self.source_context is None:
            return memory
        with key_scope(source.keys):
            return Memory(self.source_context(memory.states, source), memory.layout)

    def decode(self, target_in: Stream, memory: Memory) -> States:
        states = super().decode(target_in, memory)
        if self.target_context is None:
            return states
        with key_scope(target_in.keys):
            return self.target_context(states, target_in)

    def start(self, memory: Memory, beam: int) -> Cache:
        cache = super().start(memory, beam)
        if self.target_context is not None:
            self.target_context.word_attention.open_cache(cache, self.config.context_sentences)
        return cache

    @torch.no_grad()
    def step(self, tokens: HypothesisTokens, cache: Cache) -> HypothesisStates:
        states = super().step(tokens, cache)
        return states if self.target_context is None else self.target_context.step(states, are_words(tokens), cache)

    def transfer_source(self, name: str) -> str | None:
        """HAN is new; what an initial HAN has of it (joint from encoder) is taken by its own name."""
        return None if name.startswith(("source_context.", "target_context.")) else name
