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

import torch
from torch import Tensor, nn

from docmt.models.transformer import Transformer, feed_forward
from docmt.nn.attention import Place
from docmt.nn.layers import Dropout, Linear, MultiHead, Projections
from docmt.nn.looks import Previous, previous_of
from docmt.settings.models import HanConfig


class ContextAttention(MultiHead):
    """Attention to states of previous sentences."""

    def __init__(self, config: HanConfig) -> None:
        """Create the projections."""
        super().__init__(config.width, config.heads, config.attention_dropout)
        self.q, self.kv = (Projections(config.width, config.heads, roles) for roles in ("q", "kv"))


class WordAttention(ContextAttention):
    """Attention of each look to the words of its previous sentence."""

    def forward(self, x: Tensor, states: Tensor, previous: Previous) -> Tensor:
        """Return a row for each look; `x` has the queries of all tokens, `states` the states that they attend to."""
        # Queries are projected before their rows are repeated, since a token has several looks.
        return self.output(previous.attend_words(self, *self.q(x), *self.kv(states)).flatten(1))


class SentenceAttention(ContextAttention):
    """Attention of each token to the results of its previous sentences; their order does not matter."""

    def forward(self, x: Tensor, looks: Tensor, previous: Previous) -> Tensor:
        """Return a row for each aware token: `x` has the queries of these tokens, `looks` a row for each look."""
        return self.output(previous.attend_looks(self, *self.q(x), *self.kv(previous.by_token(looks))).flatten(1))


class HierarchicalAttention(nn.Module):
    """The layer that mixes the context of previous sentences into states. Paper: sections 2.1 and 2.2."""

    token_wise = ("apply_gate",)

    def __init__(self, config: HanConfig) -> None:
        """Create the two attentions, their norms, the feed-forward layer and the gate."""
        super().__init__()
        self.sentences, self.context_gradient = config.context_sentences, config.context_gradient
        self.word_attention, self.sentence_attention = WordAttention(config), SentenceAttention(config)
        self.word_query_norm, self.sentence_query_norm, self.summary_norm, self.feed_forward_norm, self.norm = (
            nn.LayerNorm(config.width, config.norm_epsilon) for _ in range(5)
        )
        self.feed_forward, self.dropout = feed_forward(config), Dropout(config.dropout, config.width)
        self.gate = Linear(2 * config.width, config.width)
        nn.init.xavier_uniform_(self.gate.weight)
        nn.init.zeros_(self.gate.bias)

    def forward(self, states: Tensor, place: Place) -> Tensor:
        """Return the states with their context; tokens whose previous sentences have no words get context zero."""
        previous = previous_of(place, self, self.sentences)
        readable = states if self.context_gradient else states.detach()
        # Section 2.1: s_j = MultiHead(f_w(h), words of sentence j), for each previous sentence j.
        looks = self.word_attention(self.word_query_norm(readable), readable, previous)
        with previous.aware_rows(readable) as aware:
            # Section 2.1: d = FFN(MultiHead(f_s(h), all s_j)).
            context = self.sentence_attention(self.sentence_query_norm(aware), self.summary_norm(looks), previous)
            context = context + self.dropout(self.feed_forward(self.feed_forward_norm(context)))
        return self.apply_gate(states, previous.spread(context, states))

    def apply_gate(self, states: Tensor, context: Tensor) -> Tensor:
        """Return the normalised mix of states and context. Paper: section 2.2."""
        # lambda = sigmoid(W [h; d]), the share of the context (the paper's lambda is that of the state).
        share = torch.sigmoid(self.gate(torch.cat((states, context), dim=-1)))
        # LayerNorm((1 - lambda) h + lambda d)
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

    def run_encoder(self, x: Tensor, place: Place) -> Tensor:
        """Return the final states of the encoder (S, D), with context of the source where the model has it."""
        states = super().run_encoder(x, place)
        return states if self.source_context is None else self.source_context(states, place)

    def finish(self, states: Tensor, place: Place) -> Tensor:
        """Return the final states, with context of the target where the model has it."""
        return states if self.target_context is None else self.target_context(states, place)

    def transfer_source(self, name: str) -> str | None:
        """Return the same name for a parameter of the Transformer; None: hierarchical attention starts at random."""
        # Where the initial model is a HAN itself (a joint HAN starts from an encoder HAN), its hierarchical attention
        # is transferred too, since a parameter of the same name is looked for first.
        return None if name.startswith(("source_context.", "target_context.")) else name
