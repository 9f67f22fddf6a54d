"""Long-short term masking: a stream that sees the whole window, and one that keeps to the sentence.

Paper: Zhang et al. 2020, "Long-Short Term Masking Transformer".
New against `transformer.py`: encoder and decoder have two streams of hidden states with the same parameters, which
differ in whom self-attention sees; both read the source by plain cross-attention; the decoder's two become one before
the output layer.

| paper | here |
| --- | --- |
| section 2.1, eq. 1 with M of the decoder, global self-attention | the first half of `two_streams` |
| section 2.1, Figure 1, appendix A.2, the block mask of local self-attention | the second half of `two_streams` |
| appendix A.2, the separator opens the sentence that follows it | frame `joined` (`docmt.nn.frames`) |
| section 2.1, "encoder-decoder attention, M = 0" | `two_streams(...).instances` |
| section 2.1 and 3, concatenation and feed-forward layer | `LongShort.aggregate` |

Our reading, where the paper is silent or says two things:
- Two full streams: queries, keys and values of the short stream come from its own states ("two different sets of
  hidden states"), in every layer. So the streams meet in the aggregation only, and `aggregation: long` is the k-to-k
  Transformer itself.
- Each decoder stream reads its counterpart of the encoder (`cross_reads: own`), so that what the short one reads was
  encoded without context; `long`: both read the encoder's long stream. Either way cross-attention sees the window.
- Embeddings are the same in both streams, positions run over the window.
- The feed-forward layer before the output has no residual and no norm. At the paper's size it maps 1024 to 1024 to
  512: 1.57 million weights, in 4-byte floats the step from 256M to 262M of Table 2. So the encoder has none.

Departs: no masks. Both streams are one packed stream of twice the length, so that one call of each layer serves both.
"""

from dataclasses import dataclass

import numpy as np
import torch

from docmt.models.transformer import Role, Transformer
from docmt.nn.caches import Cache, InstanceCache, MemoryCache, SentenceCache, TwoStreamCache
from docmt.nn.layers import FeedForward
from docmt.nn.multihead import CrossAttention, SelfAttention
from docmt.nn.noise import branch_keys, key_scope
from docmt.nn.segments import Segments
from docmt.nn.shapes import HypothesisStates, HypothesisTokens, RowKeys, States, TwoStreams
from docmt.nn.streams import Layout, Memory, Stream
from docmt.settings.models import LongShortConfig


@dataclass(frozen=True, eq=False)
class TwoStreamMemory(Memory):
    """An encoded source: states of the long stream, then of the short one; `layout` is that of one of them."""

    both: Layout

    def repeat_instances(self, source: Stream, which: np.ndarray) -> "TwoStreamMemory":
        layout = super().repeat_instances(source, which).layout
        return TwoStreamMemory(self.states, layout, two_streams(layout))


def two_streams(layout: Layout) -> Layout:
    """The layout of the long stream followed by the short one.

    Its sentences, to which self-attention keeps, are whole windows in the long half; its instances, to which
    cross-attention keeps, are the windows in both.
    """
    sentences, windows = layout.sentences, layout.instances
    own = Segments.from_lengths(windows.lengths + sentences.lengths, sentences.device)
    both = Layout(own, Segments.from_lengths(windows.lengths * 2, sentences.device))
    if windows.rows is None:
        return both
    return both.with_shared_rows(torch.cat((windows.rows, windows.rows + len(windows.first))).cpu().numpy())


def twice(x: States) -> TwoStreams:
    """The same in both streams."""
    return torch.cat((x, x))


def two_keys(keys: RowKeys | None) -> RowKeys | None:
    """Of the long stream, then of the short one, whose noise is another."""
    return None if keys is None else torch.cat((keys, branch_keys(keys, 0)))


class StreamSelfAttention(SelfAttention):
    """Self-attention of both streams."""

    def open_cache(self, cache: Cache) -> None:
        cache.layers[self] = TwoStreamCache(InstanceCache(), SentenceCache())


class StreamCrossAttention(CrossAttention):
    """Attention of both streams to the source."""

    def open_cache(self, cache: Cache) -> None:
        memory = cache.memory
        k, v = self.split(self.key(memory.states)), self.split(self.value(memory.states))
        halves = zip(k.chunk(2), v.chunk(2), strict=True)
        cache.layers[self] = TwoStreamCache(
            *(MemoryCache(*pair, memory.layout.instances, "instance") for pair in halves)
        )


class LongShort(Transformer):
    """See above. Paper: section 2.1."""

    config: LongShortConfig

    def __init__(self, config: LongShortConfig, source_size: int, target_size: int) -> None:
        super().__init__(config, source_size, target_size)
        if config.aggregation == "concatenation":
            sizes = (2 * config.width, config.aggregation_inner)
            self.aggregation = FeedForward(*sizes, config.activation_dropout, config.activation, config.width)

    def attention(self, role: Role, layer: int) -> StreamSelfAttention | StreamCrossAttention:
        """The scopes are those of `two_streams`."""
        config = self.config
        if role == "cross":
            return StreamCrossAttention(config.width, config.heads, "instance", config.attention_dropout)
        causal = role == "decoder_self"
        return StreamSelfAttention(config.width, config.heads, "sentence", causal, config.attention_dropout)

    def encode(self, source: Stream) -> TwoStreamMemory:
        with key_scope(source.keys):
            x, both = self.embed(self.source_embedding, source), two_streams(source.layout)
            if self.config.cross_reads == "own":
                with key_scope(two_keys(source.keys)):
                    states = self.through_encoder(twice(x), both)
            else:
                # Nobody would read the short stream: the first half of `two_streams` by itself.
                states = twice(self.through_encoder(x, Layout(source.instances, source.instances)))
        return TwoStreamMemory(states, source.layout, both)

    def decode(self, target_in: Stream, memory: TwoStreamMemory) -> States:
        both, seen = two_streams(target_in.layout), Memory(memory.states, memory.both)
        with key_scope(target_in.keys):
            x = twice(target_in.instances.tokens_to_rows(self.embed(self.target_embedding, target_in)))
            with key_scope(two_keys(target_in.keys)):
                for layer in self.decoder:
                    x = layer(x, both, seen)
            return target_in.instances.rows_to_tokens(self.aggregate(self.decoder_norm(x)))

    @torch.no_grad()
    def step(self, tokens: HypothesisTokens, cache: Cache) -> HypothesisStates:
        x = twice(self.embed_newest(tokens, cache.progress))
        for layer in self.decoder:
            x = layer.step(x, cache)
        return self.aggregate(self.decoder_norm(x))

    def aggregate(self, x: TwoStreams) -> States:
        """The decoder's final states of both streams as one. Paper: section 2.1, last paragraph; section 3."""
        long, short = x.chunk(2)
        if self.config.aggregation == "concatenation":
            return self.aggregation(torch.cat((long, short), dim=-1))
        return long + short if self.config.aggregation == "sum" else long

    def transfer_source(self, name: str) -> str | None:
        """A Transformer's parameters have the same names; the aggregation starts anew."""
        return None if name.startswith("aggregation.") else name
