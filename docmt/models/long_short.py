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
from torch import nn

from docmt.models.transformer import Role, Transformer, plain_attention
from docmt.nn.caches import Cache, InstanceCache, MemoryCache, SentenceCache
from docmt.nn.frames import FRAMES
from docmt.nn.layers import FeedForward
from docmt.nn.multihead import CrossAttention, Place, SelfAttention, WholeStream
from docmt.nn.progress import Progress
from docmt.nn.segments import Segments
from docmt.nn.shapes import HeadRows, States, TwoStreams
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


def both_streams(place: WholeStream) -> WholeStream:
    """Return the place of both streams, whose noise differs."""
    memory = None if place.memory is None else Memory(place.memory.states, place.memory.both)
    return WholeStream(place.stream.twice(two_streams(place.layout)), memory)


class Halves:
    """The caches of an attention of two streams: the first half of the rows is long, the second half short."""

    def __init__(self, long: InstanceCache | MemoryCache, short: SentenceCache | MemoryCache) -> None:
        """Take the cache of the long stream and the cache of the short stream."""
        self.halves = (long, short)

    def attend(self, *heads_and_progress: HeadRows | Progress) -> HeadRows:
        """Let the rows of each stream attend to the keys of the cache of this stream."""
        *heads, progress = heads_and_progress
        parts = zip(*(rows.chunk(2) for rows in heads), strict=True)
        return torch.cat([half.attend(*part, progress) for half, part in zip(self.halves, parts, strict=True)])

    def take(self, *changes: object) -> None:
        """Select and reorder the hypotheses in both halves."""
        for half in self.halves:
            half.take(*changes)


class TwoStreamCache(Cache):
    """The place of the newest token of each hypothesis, in both streams."""

    def self_cache(self, attention: SelfAttention) -> Halves:
        """Return a cache of the window for the long stream, and one of the sentence for the short stream."""
        return Halves(InstanceCache(), SentenceCache())

    def source_cache(self, attention: CrossAttention) -> Halves:
        """Return a cache of the source states of the long stream, and one of those of the short stream."""
        k, v = attention.keys_values(self.memory.states)
        windows = self.memory.layout.instances
        halves = zip(k.chunk(2), v.chunk(2), strict=True)
        return Halves(*(MemoryCache(*pair, windows, "instance") for pair in halves))


class LongShort(Transformer):
    """The model of long-short term masking. Paper: section 2.1."""

    config: LongShortConfig

    def __init__(self, config: LongShortConfig, source_size: int, target_size: int) -> None:
        """Create a Transformer and, with `aggregation: concatenation`, the layer that merges the two streams."""
        super().__init__(config, source_size, target_size)
        if config.aggregation == "concatenation":
            sizes = (2 * config.width, config.aggregation_inner)
            self.aggregation = FeedForward(*sizes, config.activation_dropout, config.activation, config.width)

    def attention(self, role: Role, layer: int) -> nn.Module:
        """Return a new attention of both streams; its scopes are the runs of the layout of `two_streams`."""
        return plain_attention(self.config, role, "instance" if role == "cross" else "sentence")

    def encode(self, source: Stream) -> TwoStreamMemory:
        """Return the encoded source with the states of both streams."""
        place = WholeStream(source)
        with place.noise():
            x = self.embed(self.source_embedding, place)
            if self.config.cross_reads == "own":
                both = both_streams(place)
                with both.noise():
                    states = self.run_encoder(duplicate_streams(x), both)
            else:
                # Both streams of the decoder read the long stream, so the short stream is not computed. The layout is
                # the first half of `two_streams`.
                long = replace(source, layout=Layout(source.instances, source.instances))
                states = duplicate_streams(self.run_encoder(x, WholeStream(long)))
        return TwoStreamMemory(states, source.layout, two_streams(source.layout))

    def run_decoder(self, x: States, place: Place) -> States:
        """Return the merged states of both streams of the decoder."""
        both = both_streams(place) if isinstance(place, WholeStream) else place
        with both.noise():
            x = super().run_decoder(duplicate_streams(x), both)
        return self.aggregate(x)

    def start(self, memory: TwoStreamMemory, beam: int) -> TwoStreamCache:
        """Return an empty cache of both streams for `beam` hypotheses of each instance."""
        return TwoStreamCache(memory, beam, FRAMES[self.config.frame].openings)

    def aggregate(self, x: TwoStreams) -> States:
        """Return the merged final states of the decoder's streams. Paper: section 2.1, last paragraph; section 3."""
        long, short = x.chunk(2)
        if self.config.aggregation == "concatenation":
            return self.aggregation(torch.cat((long, short), dim=-1))
        return long + short if self.config.aggregation == "sum" else long

    def transfer_source(self, name: str) -> str | None:
        """Return the same name for a parameter of the Transformer; None: the aggregation starts at random."""
        return None if name.startswith("aggregation.") else name
