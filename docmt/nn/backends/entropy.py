"""How widely attention is spread, from weights made explicitly, a run at a time: for telemetry, not for training."""

import math

import torch

from docmt.nn.segments import Segments
from docmt.nn.shapes import Float, Keys, Queries, Tensor


@torch.no_grad()
def entropies(
    q: Queries, k: Keys, query_segments: Segments, key_segments: Segments, causal: bool = False
) -> Float[Tensor, "_ H"]:
    """Entropy of the attention weights of each query that sees a key, in bits, in fp32; queries in their order."""
    with torch.autocast(q.device.type, enabled=False):
        pairs = zip(q.float().split(query_segments.lengths), k.float().split(key_segments.lengths), strict=True)
        found = [_of_run(queries, keys, causal) for queries, keys in pairs if len(keys)]
    return torch.cat([q.new_zeros((0, q.shape[1]), dtype=torch.float32), *found])


def _of_run(q: Queries, k: Keys, causal: bool) -> Float[Tensor, "T H"]:
    scores_THS = torch.einsum("thk,shk->ths", q, k) * q.shape[-1] ** -0.5
    if causal:
        later = torch.ones(len(q), len(k), dtype=torch.bool, device=q.device).triu(1)
        scores_THS = scores_THS.masked_fill(later[:, None], -torch.inf)
    return torch.special.entr(scores_THS.softmax(-1)).sum(-1) / math.log(2)
