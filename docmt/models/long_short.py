"""Long-short term masking: one stream of states that attends to the whole window, and one that attends to the sentence.

Paper: Zhang et al. 2020, "Long-Short Term Masking Transformer".

The model differs from the Transformer of `transformer.py` in that encoder and decoder have two streams of hidden
states. The streams have the same parameters and differ in the scope of self-attention. Both read the source by plain
cross-attention. The two streams of the decoder are merged before the output layer.

| paper | here |
| --- | --- |
| section 2.1, eq. 1 with M of the decoder, global self-attention | the first half of `two_streams` |
| section 2.1, Figure 1, appendix A.2, the block mask of local self-attention | the second half of `two_streams` |
| appendix A.2, the separator opens the sentence that follows it | frame `joined` (`docmt.nn.frames`) |
| section 2.1, "encoder-decoder attention, M = 0" | `two_streams(...).instances` |
| section 2.1 and 3, concatenation and feed-forward layer | `LongShort.aggregate` |

Our reading, where the paper does not say or says two things:

- The short stream computes its queries, keys and values from its own states in every layer ("two different sets of
  hidden states"). So the two streams of the decoder meet in the aggregation only, and with `aggregation: long` the
  model is the k-to-k Transformer itself.
- Each decoder stream reads the encoder stream of the same kind (`cross_reads: own`), so the source states of the short
  stream are computed without context. With `cross_reads: long` both read the encoder's long stream. In both cases
  cross-attention covers the window.
- Embeddings are the same in both streams; positions count over the window.
- The feed-forward layer before the output has no residual connection and no norm. At the paper's size it maps 1024 to
  1024 to 512 values and has 1.57 million weights. In 4-byte floats this is the step from 256M to 262M of Table 2, so
  the encoder has no such layer.

Departs: there are no masks. Both streams are one packed stream of twice the length, so that one call of each layer
computes both.
"""

from dataclasses import dataclass, replace

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
    """An encoded source: the states of the long, then of the short stream; `layout` is that of a single stream."""

    both: Layout
    """The layout of the two streams together (`two_streams`)."""

    def repeat_instances(self, source: Stream, which: np.ndarray) -> "TwoStreamMemory":
        """Return the memory where instance i has the source of the present instance `which[i]`, in both streams."""
        layout = super().repeat_instances(source, which).layout
        return TwoStreamMemory(self.states, layout, two_streams(layout))


def two_streams(layout: Layout) -> Layout:
    """Return the layout of the long stream followed by the short stream.

    The sentences of this layout are the scope of self-attention: windows in the long stream, sentences in the short
    stream. The instances of this layout are the scope of cross-attention: windows in both streams.
    """
    sentences, windows = layout.sentences, layout.instances
    self_attention_runs = Segments.from_lengths(windows.lengths + sentences.lengths, sentences.device)
    both = Layout(self_attention_runs, Segments.from_lengths(windows.lengths * 2, sentences.device))
    if windows.rows is None:
        return both
    # The rows of the short stream follow those of the long stream, so its row numbers begin after them.
    rows = torch.cat((windows.rows, windows.rows + len(windows.first)))
    first = torch.cat((windows.first, windows.first + windows.tokens))
    return Layout(*(replace(runs, rows=rows, first=first) for runs in (both.sentences, both.instances)))


def duplicate_streams(x: States) -> TwoStreams:
    """Return the states twice, for the long and for the short stream."""
    return torch.cat((x, x))


def two_keys(keys: RowKeys | None) -> RowKeys | None:
    """Return the noise keys of the long stream, then other keys for the short stream, whose noise is different."""
    return None if keys is None else torch.cat((keys, branch_keys(keys, 0)))


class StreamSelfAttention(SelfAttention):
    """Self-attention of both streams."""

    def open_cache(self, cache: Cache) -> None:
        """Put two caches into `cache`: of the instance for the long stream, of the sentence for the short stream."""
        cache.layers[self] = TwoStreamCache(InstanceCache(), SentenceCache())


class StreamCrossAttention(CrossAttention):
    """Attention of both streams to the source."""

    def open_cache(self, cache: Cache) -> None:
        """Put two caches into `cache`: of the source states of the long stream, and of those of the short stream."""
        memory = cache.memory
        k, v = self.keys_values(memory.states)
        halves = zip(k.chunk(2), v.chunk(2), strict=True)
        cache.layers[self] = TwoStreamCache(
            *(MemoryCache(*pair, memory.layout.instances, "instance") for pair in halves)
        )


class LongShort(Transformer):
    """The model of long-short term masking. Paper: section 2.1."""

    config: LongShortConfig

    def __init__(self, config: LongShortConfig, source_size: int, target_size: int) -> None:
        """Create a Transformer and, with `aggregation: concatenation`, the layer that merges the two streams."""
        super().__init__(config, source_size, target_size)
        if config.aggregation == "concatenation":
            sizes = (2 * config.width, config.aggregation_inner)
            self.aggregation = FeedForward(*sizes, config.activation_dropout, config.activation, config.width)

    def attention(self, role: Role, layer: int) -> StreamSelfAttention | StreamCrossAttention:
        """Return a new attention of both streams; its scopes are the runs of the layout of `two_streams`."""
        config = self.config
        if role == "cross":
            return StreamCrossAttention(config.width, config.heads, "instance", config.attention_dropout)
        causal = role == "decoder_self"
        return StreamSelfAttention(config.width, config.heads, "sentence", causal, config.attention_dropout)

    def encode(self, source: Stream) -> TwoStreamMemory:
        """Return the encoded source with the states of both streams."""
        with key_scope(source.keys):
            x, both = self.embed(self.source_embedding, source), two_streams(source.layout)
            if self.config.cross_reads == "own":
                with key_scope(two_keys(source.keys)):
                    states = self.run_encoder(duplicate_streams(x), both)
            else:
                # Both streams of the decoder read the long stream, so the short stream is not computed. The layout is
                # the first half of `two_streams`.
                states = duplicate_streams(self.run_encoder(x, Layout(source.instances, source.instances)))
        return TwoStreamMemory(states, source.layout, both)

    def decode(self, target_in: Stream, memory: TwoStreamMemory) -> States:
        """Return the merged final states of both streams of the decoder."""
        both, two_stream_memory = two_streams(target_in.layout), Memory(memory.states, memory.both)
        with key_scope(target_in.keys):
            x = duplicate_streams(target_in.instances.tokens_to_rows(self.embed(self.target_embedding, target_in)))
            with key_scope(two_keys(target_in.keys)):
                for layer in self.decoder:
                    x = layer(x, both, two_stream_memory)
            return target_in.instances.rows_to_tokens(self.aggregate(self.decoder_norm(x)))

    @torch.no_grad()
    def step(self, tokens: HypothesisTokens, cache: Cache) -> HypothesisStates:
        """Return the merged final states of the newest token of each hypothesis."""
        x = duplicate_streams(self.embed_newest(tokens, cache.progress))
        for layer in self.decoder:
            x = layer.step(x, cache)
        return self.aggregate(self.decoder_norm(x))

    def aggregate(self, x: TwoStreams) -> States:
        """Return the merged final states of the decoder's streams. Paper: section 2.1, last paragraph; section 3."""
        long, short = x.chunk(2)
        if self.config.aggregation == "concatenation":
            return self.aggregation(torch.cat((long, short), dim=-1))
        return long + short if self.config.aggregation == "sum" else long

    def transfer_source(self, name: str) -> str | None:
        """Return the same name for a parameter of the Transformer; None: the aggregation starts at random."""
        return None if name.startswith("aggregation.") else name
