"""W-Link: repeated source words share their context in the encoder, and are told to agree in translation.

Paper: Lyu et al. 2021, "Encouraging Lexical Translation Consistency for Document-Level Neural Machine Translation".
New against `transformer.py`: all attention stays inside a sentence; in each encoder layer, after self-attention, the
words of a link attend to each other and add what they saw by a gate (`shared_context`); a loss term tells how unlike
their translations are (`agreement_weight`).

| paper | here |
| --- | --- |
| word links | the chains of stage 4, `docmt.nn.streams.Chains` |
| sharing context information of linked words | `SharedContext` |
| auxiliary loss | `WLink.agreement`, `disagreement` |

Our reading. There is no public code, and what we had of the paper is its abstract: a word link tells where in a
document a word appears; words within a link share context information when sentences are encoded; an auxiliary loss
constrains their translations to be consistent. We fill this with what is near in Lyu et al. 2022, which builds on it.

- A link is a lexical chain: a link of one word has nothing to share, and "one translation per discourse" does not hold
  for stop words.
- Words share by attention inside a link (section 3.1, eq. 4, "inspired by Lyu et al. 2021"). What they see is added by
  a gate, which starts nearly closed, so that training goes on from near the sentence model.
- A word's translation is a mean of the states of its target sentence (section 3.2, eq. 8). These predict words, so the
  output layer makes of their mean a distribution over translations.
- The weights of that mean are those with which the decoder's top cross-attention looks at the word, and constants: the
  loss is to change how a word is translated, not where its translation is looked for. In our trials the matrix W_s of
  eq. 8, which this loss alone would train, came to look at ends of sentences, since these agree; and so did
  cross-attention where gradients reached it by the weights.
- The loss of a link is the Jensen-Shannon divergence of its words' distributions: zero where all agree, the same for
  all of them, at most log of their number.
"""

from dataclasses import replace

import torch
from torch import nn

from docmt.models.transformer import EncoderLayer, ForwardPass, LossTerm, Transformer
from docmt.nn.layers import Residual
from docmt.nn.multihead import RunAttention
from docmt.nn.noise import key_scope, narrowed_key_scope
from docmt.nn.segments import Segments
from docmt.nn.shapes import Logits, SourceStates, States, Tensor
from docmt.nn.streams import Batch, Chains, Memory, Stream
from docmt.settings.models import WLinkConfig

GATE_START = -3.0
"""Bias of new gates, which let in 5 % of what is seen (as highway networks: Srivastava et al. 2015, section 2.2)."""


class SharedContext(nn.Module):
    """Words of a link attend to each other, and each adds what it saw by a gate.

    x + sigmoid(W [own; seen]) * seen, own being the norm of x: the norm stands before, whatever `config.norm`, so
    that with closed gates nothing happens.
    """

    def __init__(self, config: WLinkConfig) -> None:
        super().__init__()
        self.attention = RunAttention(config.width, config.heads, config.attention_dropout)
        self.gate = nn.Linear(2 * config.width, config.width)
        nn.init.xavier_uniform_(self.gate.weight)
        nn.init.constant_(self.gate.bias, GATE_START)
        self.residual = Residual(replace(config, norm="pre"))

    def forward(self, x: SourceStates, links: Chains) -> SourceStates:
        with narrowed_key_scope(links.tokens):
            words = self.residual(x.index_select(0, links.tokens), lambda own: self.seen(own, links))
        return x.index_copy(0, links.tokens, words.to(x.dtype))

    def seen(self, own: States, links: Chains) -> States:
        seen = self.attention(own, links.runs)
        return torch.sigmoid(self.gate(torch.cat((own, seen), dim=-1))) * seen


class LinkedEncoderLayer(EncoderLayer):
    """Self-attention inside sentences, shared context, then feed-forward."""

    def __init__(self, config: WLinkConfig, self_attention: nn.Module) -> None:
        super().__init__(config, self_attention)
        self.shared_context = SharedContext(config) if config.shared_context else None

    def forward(self, x: SourceStates, source: Stream) -> SourceStates:
        x = self.after_self(x, lambda y: self.self_attention(y, source.layout))
        if self.shared_context is not None:
            x = self.shared_context(x, source.chains)
        return self.after_feed_forward(x, self.feed_forward)


def disagreement(logits: Logits, links: Segments) -> Tensor:
    """Jensen-Shannon divergence of the distributions of each run, summed over runs; nats.

    The mean over a run's members of KL(member || mean of the run), as the entropy of the mean less that of the members.
    """
    probabilities = logits.softmax(-1, dtype=torch.promote_types(logits.dtype, torch.float32))
    members = torch.diff(links.offsets)[:, None]
    link = links.ids()
    mean = probabilities.new_zeros((links.runs, logits.shape[1])).index_add(0, link, probabilities) / members
    within = entropy(probabilities) / members[:, 0].index_select(0, link)
    return entropy(mean).sum() - within.sum()


def entropy(probabilities: Logits) -> Tensor:
    """Of each row; finite, and so is its gradient, where a probability is too small for its type."""
    return -(probabilities * probabilities.clamp(min=torch.finfo(probabilities.dtype).tiny).log()).sum(-1)


class WLink(Transformer):
    """See above. Source streams need chains, which may be none."""

    config: WLinkConfig
    scope = "sentence"
    synchronous = True

    def encoder_layer(self, layer: int) -> EncoderLayer:
        return LinkedEncoderLayer(self.config, self.attention("encoder_self", layer))

    def forward(self, batch: Batch) -> ForwardPass:
        memory = self.encode(batch.source)
        if not self.config.agreement_weight:
            return ForwardPass(self.decode(batch.target_in, memory), {})
        states, translations = self.decode_aligned(batch.target_in, memory)
        return ForwardPass(states, {"agreement": self.agreement(translations, batch.source.chains)})

    def term_weights(self, update: int) -> dict[str, float]:
        return {"agreement": self.config.agreement_weight} if self.config.agreement_weight else {}

    def encode(self, source: Stream) -> Memory:
        """Raises ValueError for a stream without chains."""
        if source.chains is None:
            raise ValueError("a model of word links needs a source stream with its chains")
        with key_scope(source.keys):
            states = self.through_encoder(self.embed(self.source_embedding, source), source)
        return Memory(states, source.layout)

    def decode_aligned(self, target_in: Stream, memory: Memory) -> tuple[States, SourceStates]:
        """Final states, as `decode` gives them, and for each source token the mean of those that look at it."""
        layout, (*below, top) = target_in.layout, self.decoder
        with key_scope(target_in.keys):
            x = self.embed(self.target_embedding, target_in)
            for layer in below:
                x = layer(x, layout, memory)
            x = top.after_self(x, lambda y: top.self_attention(y, layout))
            asking = top.after_cross.norm(x) if self.config.norm == "pre" else x
            x = top.after_cross(x, lambda y: top.cross_attention(y, layout, memory))
            states = self.decoder_norm(top.after_feed_forward(x, top.feed_forward))
        return states, top.cross_attention.attended_states(asking, layout, memory, states)

    def agreement(self, translations: SourceStates, links: Chains) -> LossTerm:
        """How unlike the translations of linked words are; counted by the link.

        It costs a row of probabilities over the vocabulary for each linked word; 14 to 21 % of words are linked (Lyu et
        al. 2022, Table 5), so that, beside the output layer's rows, these are held all at once.
        """
        words = translations.index_select(0, links.tokens)
        return LossTerm(disagreement(self.logits(words), links.runs), links.runs.runs)

    def transfer_source(self, name: str) -> str | None:
        """Shared context starts anew; the loss has no parameters."""
        return None if ".shared_context." in name else name
