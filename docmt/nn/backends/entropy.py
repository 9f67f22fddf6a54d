"""How widely attention is spread: for telemetry, not for training."""

import math

import torch

from docmt.nn.backends.weights import weights
from docmt.nn.segments import Segments
from docmt.nn.shapes import Float, Keys, Queries, Tensor


@torch.no_grad()
def entropies(
    q: Queries, k: Keys, query_segments: Segments, key_segments: Segments, causal: bool = False
) -> Float[Tensor, "_ H"]:
    """Entropy of the attention weights of each query that sees a key, in bits, in fp32; queries in their order."""
    runs = weights(q, k, query_segments, key_segments, causal)
    found = [torch.special.entr(one).sum(-1) / math.log(2) for one in runs if one.shape[2]]
    return torch.cat([q.new_zeros((0, q.shape[1]), dtype=torch.float32), *found])
