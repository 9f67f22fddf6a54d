"""W-Link: repeated source words share their context in the encoder, and a loss makes their translations agree.

Paper: Lyu et al. 2021, "Encouraging Lexical Translation Consistency for Document-Level Neural Machine Translation".

The model adds two parts to the Transformer of `transformer.py`, whose attention is all inside a sentence here. In each
encoder layer, after self-attention, the words of a link attend to each other and add the result by a gate
(`shared_context`). An additional loss measures how much the translations of the words differ (`agreement_weight`).

| paper | here |
| --- | --- |
| word links | the chains of stage 4, `docmt.nn.streams.Chains` |
| sharing context information of linked words | `SharedContext` |
| auxiliary loss | `WLink.agreement`, `disagreement` |

Our reading. There is no public code, and we had only the abstract of the paper: a word link gives the places of a word
in a document; words within a link share context information when sentences are encoded; an auxiliary loss constrains
their translations to be consistent. We add the details from the closest parts of Lyu et al. 2022, which builds on this
paper.

- A link is a lexical chain: a link of a single word has nothing to share, and "one translation per discourse" does not
  hold for stop words.
- Words share context by attention inside a link (section 3.1, eq. 4, "inspired by Lyu et al. 2021"). The result is
  added by a gate, which is nearly closed at first, so that training continues from near the sentence model.
- A word's translation is a mean of the states of its target sentence (section 3.2, eq. 8). The states of the decoder
  predict words, so the output layer turns their mean into a distribution over translations.
- The weights of the mean are the weights of the decoder's top cross-attention to the word, without gradient: the loss
  is to change the translation of a word, not the place where the translation is looked for. The matrix W_s of eq. 8,
  which this loss alone would train, learned to attend to ends of sentences in our trials, since these agree;
  cross-attention learned the same where gradients reached it through the weights.
- The loss of a link is the Jensen-Shannon divergence of its words' distributions. It is zero where all words agree,
  does not depend on the order of the words, and is at most the logarithm of their number.
"""

from dataclasses import replace

import torch
from torch import Tensor, nn

from docmt.models.transformer import EncoderLayer, ForwardPass, LossTerm, Transformer
from docmt.nn.attention import WholeStream
from docmt.nn.layers import Linear, Residual, RunAttention
from docmt.nn.streams import Batch, Chains, Memory, Segments, Stream, selected_rows
from docmt.settings.models import WLinkConfig

GATE_START = -3.0
"""Bias of new gates, which let through 5 % of the context (highway networks: Srivastava et al. 2015, section 2.2)."""


class SharedContext(nn.Module):
    """Attention of the words of a link to each other; each word adds the result by a gate."""

    def __init__(self, config: WLinkConfig) -> None:
        """Create the attention and the gate, which is nearly closed (`GATE_START`)."""
        super().__init__()
        self.attention = RunAttention(config.width, config.heads, config.attention_dropout)
        self.gate = Linear(2 * config.width, config.width)
        nn.init.xavier_uniform_(self.gate.weight)
        nn.init.constant_(self.gate.bias, GATE_START)
        # The norm comes before the attention, whatever `config.norm` is, so that closed gates leave x unchanged.
        self.residual = Residual(replace(config, norm="pre"))

    def forward(self, x: Tensor, links: Chains) -> Tensor:
        """Return the source states with the shared context added to the linked words."""
        with selected_rows(x, links.tokens) as words:
            # x + sigmoid(W [norm(x); context]) * context, with the context of attention over norm(x).
            words = self.residual(words, self.gated_context, links)
        return x.index_copy(0, links.tokens, words.to(x.dtype))

    def gated_context(self, normed: Tensor, links: Chains) -> Tensor:
        """Return the context of the linked words, multiplied by their gates; `normed` are their normalised states."""
        context = self.attention(normed, links.runs)
        return torch.sigmoid(self.gate(torch.cat((normed, context), dim=-1))) * context


class LinkedEncoderLayer(EncoderLayer):
    """A layer of the encoder: self-attention inside sentences, shared context, then feed-forward."""

    def __init__(self, config: WLinkConfig, self_attention: nn.Module) -> None:
        """Create the layer; it has no shared context where `config.shared_context` is false."""
        super().__init__(config, self_attention)
        self.shared_context = SharedContext(config) if config.shared_context else None

    def forward(self, x: Tensor, place: WholeStream) -> Tensor:
        """Return the states after the layer; the source stream of `place` has the links."""
        x = self.after_self(x, self.self_attention, place)
        if self.shared_context is not None:
            x = self.shared_context(x, place.stream.chains)
        return self.after_feed_forward(x, self.feed_forward)


def disagreement(logits: Tensor, links: Segments) -> Tensor:
    """Return the Jensen-Shannon divergence of the distributions of each run, summed over runs, in nats.

    The divergence is the mean over a run's members of KL(member || mean of the run).
    """
    # The computation is in fp32 at least, since the result is a small difference of two entropies.
    probabilities = logits.softmax(-1, dtype=torch.promote_types(logits.dtype, torch.float32))
    members = torch.diff(links.offsets)[:, None]
    link = links.ids()
    mean = probabilities.new_zeros((links.runs, logits.shape[1])).index_add(0, link, probabilities) / members
    member_entropies = entropy(probabilities) / members[:, 0].index_select(0, link)
    # The divergence is H(mean) minus the mean of H(member).
    return entropy(mean).sum() - member_entropies.sum()


def entropy(probabilities: Tensor) -> Tensor:
    """Return the entropy of each row in nats; it and its gradient are finite where probabilities underflow to 0."""
    return -(probabilities * probabilities.clamp(min=torch.finfo(probabilities.dtype).tiny).log()).sum(-1)


class WLink(Transformer):
    """The model of word links; its source streams need chains, even if these are empty."""

    config: WLinkConfig
    scope = "sentence"
    synchronous = True

    def encoder_layer(self, layer: int) -> EncoderLayer:
        """Return a new encoder layer with shared context; layer 0 is at the bottom."""
        return LinkedEncoderLayer(self.config, self.attention("encoder_self", layer))

    def forward(self, batch: Batch) -> ForwardPass:
        """Return the final states and, with `agreement_weight`, the disagreement of linked words as additional loss."""
        memory = self.encode(batch.source)
        if not self.config.agreement_weight:
            return ForwardPass(self.decode(batch.target_in, memory), {})
        states, translations = self.decode_aligned(batch.target_in, memory)
        return ForwardPass(states, {"agreement": self.agreement(translations, batch.source.chains)})

    def term_weights(self, update: int) -> dict[str, float]:
        """Return the weight of the agreement loss, where the model has this loss."""
        return {"agreement": self.config.agreement_weight} if self.config.agreement_weight else {}

    def encode(self, source: Stream) -> Memory:
        """Return the encoded source. Raises ValueError for a stream without chains."""
        if source.chains is None:
            raise ValueError("a model of word links needs a source stream with its chains")
        return super().encode(source)

    def decode_aligned(self, target_in: Stream, memory: Memory) -> tuple[Tensor, Tensor]:
        """Return the final states and, for each source token, the mean of the states that attend to it.

        The final states are those of `decode`.
        """
        *below, top = self.decoder
        place = WholeStream(target_in, memory)
        with place.noise():
            x = self.embed(self.target_embedding, place)
            for layer in below:
                x = layer(x, place)
            x = top.after_self(x, top.self_attention, place)
            # The weights of the top cross-attention are computed again from its input, since the layer does not return
            # them.
            queries = top.after_cross.norm(x) if self.config.norm == "pre" else x
            x = top.after_cross(x, top.cross_attention, place)
            states = self.decoder_norm(top.after_feed_forward(x, top.feed_forward))
        # The weights of the mean come from the top layer's cross-attention.
        return states, place.attended_states(top.cross_attention, queries, states)

    def agreement(self, translations: Tensor, links: Chains) -> LossTerm:
        """Return the disagreement of the translations of linked words; the count of the term is the number of links."""
        # It needs a row of probabilities over the vocabulary for each linked word. 14 to 21 % of words are linked (Lyu
        # et al. 2022, Table 5). Therefore all these rows fit in memory at once, in addition to those of the output
        # layer.
        words = translations.index_select(0, links.tokens)
        return LossTerm(disagreement(self.logits(words), links.runs), links.runs.runs)

    def transfer_source(self, name: str) -> str | None:
        """Return the same name; None: the shared context starts at random, and the loss has no parameters."""
        return None if ".shared_context." in name else name
