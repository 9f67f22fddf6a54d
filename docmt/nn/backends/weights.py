"""Attention weights made explicitly, a run at a time: for looking at them, not for training."""

from collections.abc import Iterator

import torch

from docmt.nn.segments import Segments
from docmt.nn.shapes import Float, Keys, Queries, Tensor


def weights(
    q: Queries, k: Keys, query_segments: Segments, key_segments: Segments, causal: bool = False
) -> Iterator[Float[Tensor, "_ H _"]]:
    """Of each run, with which its queries see its keys, in fp32 and without gradient; a run without keys has none."""
    runs = q.float().split(query_segments.lengths), k.float().split(key_segments.lengths)
    for queries, keys in zip(*runs, strict=True):
        yield _of_run(queries, keys, causal)


@torch.no_grad()
def _of_run(q: Queries, k: Keys, causal: bool) -> Float[Tensor, "T H S"]:
    with torch.autocast(q.device.type, enabled=False):
        scores_THS = torch.einsum("thk,shk->ths", q, k) * q.shape[-1] ** -0.5
        if causal:
            later = torch.ones(len(q), len(k), dtype=torch.bool, device=q.device).triu(1)
            scores_THS = scores_THS.masked_fill(later[:, None], -torch.inf)
        return scores_THS.softmax(-1)
