"""HAN: words of the three previous sentences, then these sentences, are attended to on top of encoder or decoder.

Paper: Miculicich et al. 2018, "Document-Level Neural Machine Translation with Hierarchical Attention Networks".
New against `transformer.py`: all attention stays inside a sentence; once, on top of the encoder's states (context:
encoder), the decoder's (decoder) or both (joint), each token attends to the words of each of the k previous sentences
apart, then to the k results; a gate mixes what comes out into its state.

| paper | here |
| --- | --- |
| section 2.1, word-level abstraction | `docmt.nn.context.WordAttention` |
| section 2.1, sentence-level abstraction | `docmt.nn.context.SentenceAttention`, `HierarchicalAttention.summed_up` |
| section 2.2, context gating | `HierarchicalAttention.gated` |
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

import torch
from torch import nn

from docmt.models.transformer import Transformer, feed_forward
from docmt.nn.caches import Cache
from docmt.nn.compiled import token_wise
from docmt.nn.context import SentenceAttention, WordAttention, are_words, context_of
from docmt.nn.layers import Dropout
from docmt.nn.noise import narrowed, rows
from docmt.nn.shapes import HypothesisFlags, HypothesisStates, HypothesisTokens, States
from docmt.nn.streams import Memory, Stream
from docmt.settings.models import HanConfig


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
        with narrowed(context.aware):
            found = self.summed_up(self.sentence_attention(query, self.summary_norm(summaries), context))
        return self.gated(states, found.new_zeros(states.shape).index_copy(0, context.aware, found))

    def step(self, states: HypothesisStates, is_word: HypothesisFlags, cache: Cache) -> HypothesisStates:
        summaries, has_words = self.word_attention.step(self.word_query_norm(states), states, is_word, cache)
        query = self.sentence_query_norm(states)
        found = self.summed_up(self.sentence_attention.step(query, self.summary_norm(summaries), has_words))
        return self.gated(states, found.masked_fill(~has_words.any(dim=1, keepdim=True), 0))

    def summed_up(self, context: States) -> States:
        """Feed-forward with its residual connection. Paper: section 2.1."""
        return context + self.dropout(self.feed_forward(self.feed_forward_norm(context)))

    @token_wise
    def gated(self, states: States, context: States) -> States:
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
        with rows(source.keys):
            return Memory(self.source_context(memory.states, source), memory.layout)

    def decode(self, target_in: Stream, memory: Memory) -> States:
        states = super().decode(target_in, memory)
        if self.target_context is None:
            return states
        with rows(target_in.keys):
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

    def taken_from(self, name: str) -> str | None:
        """HAN is new; what an initial HAN has of it (joint from encoder) is taken by its own name."""
        return None if name.startswith(("source_context.", "target_context.")) else name
