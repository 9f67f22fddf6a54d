"""Long-short term masking: one stream of states that attends to the whole window, and one that attends to the sentence.

Paper: Zhang et al. 2020, "Long-Short Term Masking Transformer".

The model differs from the Transformer of `transformer.py` in that encoder and decoder have two streams of hidden
states. The streams have the same parameters and differ in the scope of self-attention. Both read the source by plain
cross-attention. The two streams of the decoder are merged before the output layer.

| paper | here |
| --- | --- |
| section 2.1, eq. 1 with M of the decoder, global self-attention | the first half of `docmt.nn.segments.Layout.twice` |
| section 2.1, Figure 1, appendix A.2, the block mask of local self-attention | the second half of `Layout.twice` |
| appendix A.2, the separator opens the sentence that follows it | frame `joined` (`docmt.nn.frames`) |
| section 2.1, "encoder-decoder attention, M = 0" | `Layout.twice`, its instances |
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

import torch
from torch import Tensor, nn

from docmt.models.transformer import Role, Transformer, plain_attention
from docmt.nn.attention import Place
from docmt.nn.layers import FeedForward
from docmt.settings.models import LongShortConfig


class LongShort(Transformer):
    """The model of long-short term masking. Paper: section 2.1."""

    config: LongShortConfig
    streams = 2

    def __init__(self, config: LongShortConfig, source_size: int, target_size: int) -> None:
        """Create a Transformer and, with `aggregation: concatenation`, the layer that merges the two streams."""
        super().__init__(config, source_size, target_size)
        if config.aggregation == "concatenation":
            sizes = (2 * config.width, config.aggregation_inner)
            self.aggregation = FeedForward(*sizes, config.activation_dropout, config.activation, config.width)

    def attention(self, role: Role, layer: int) -> nn.Module:
        """Return a new attention of both streams, whose scopes are the runs of `Layout.twice`."""
        # Where both streams of the decoder read the long stream, the encoder has no other one.
        is_long = role == "encoder_self" and self.config.cross_reads == "long"
        return plain_attention(self.config, role, "instance" if role == "cross" or is_long else "sentence")

    def run_encoder(self, x: Tensor, place: Place) -> Tensor:
        """Return the final states of the encoder: (2 S, D), those of the long, then of the short stream."""
        if self.config.cross_reads == "long":
            return duplicated(super().run_encoder(x, place))
        both = place.twice()
        with both.noise():
            return super().run_encoder(duplicated(x), both)

    def run_decoder(self, x: Tensor, place: Place) -> Tensor:
        """Return the merged states (T, D) of both streams of the decoder."""
        both = place.twice()
        with both.noise():
            x = super().run_decoder(duplicated(x), both)
        return self.aggregate(x)

    def aggregate(self, x: Tensor) -> Tensor:
        """Return the merged final states (T, D) of the decoder's streams (2 T, D). Paper: sections 2.1 (end) and 3."""
        long, short = x.chunk(2)
        if self.config.aggregation == "concatenation":
            # Section 2.1: the feed-forward layer of [long; short], which maps 2 D values to D.
            return self.aggregation(torch.cat((long, short), dim=-1))
        return long + short if self.config.aggregation == "sum" else long

    def transfer_source(self, name: str) -> str | None:
        """Return the same name for a parameter of the Transformer; None: the aggregation starts at random."""
        return None if name.startswith("aggregation.") else name


def duplicated(x: Tensor) -> Tensor:
    """Return the states (T, D) twice: (2 T, D), for the long and for the short stream."""
    return torch.cat((x, x))
