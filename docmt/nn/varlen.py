"""Variable-length flash attention on CUDA, in half precision: the kernel reads the packed stream without padding."""

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import torch

from docmt.nn.noise import WeightDropout
from docmt.nn.segments import Segments
from docmt.nn.shapes import Keys, Queries

MAX_HEAD_WIDTH = 256  # The largest width of a head that flash attention accepts; widths must be multiples of 8
MOST_RUNS = 65_535  # The largest number of runs of a call of the kernel, by CUDA's limit on that dimension of a grid


@cache
def kernel() -> Callable | None:
    """Return torch's kernel; None where the installed torch lacks it."""
    # The kernel is imported at its first use: the import takes a second, which jobs without a GPU need not spend.
    try:
        from torch.nn.attention.varlen import varlen_attn
    except ImportError:
        return None
    return varlen_attn


def supports(q: Queries) -> bool:
    """Return whether this backend can compute attention for queries of this type and head width."""
    half = q.dtype in (torch.float16, torch.bfloat16)
    return half and q.shape[-1] % 8 == 0 and q.shape[-1] <= MAX_HEAD_WIDTH and kernel() is not None


def attend(
    q: Queries,
    k: Keys,
    v: Keys,
    query_segments: Segments,
    key_segments: Segments,
    causal: bool = False,
    dropout: WeightDropout | None = None,
) -> Queries:
    """Compute `docmt.nn.attention.attend`. Raises ValueError for dropout, which torch's kernel lacks."""
    if dropout is not None:
        raise ValueError("variable-length attention has no dropout of attention weights")
    if query_segments.runs > MOST_RUNS:
        return _attend_in_parts(q, k, v, query_segments, key_segments, causal)
    if not query_segments.tokens or not key_segments.tokens:
        return torch.zeros_like(q)
    longest = query_segments.longest, key_segments.longest
    offsets = query_segments.offsets, key_segments.offsets
    return kernel()(q, k, v, *offsets, *longest, **causality(kernel(), causal))


def _attend_in_parts(
    q: Queries, k: Keys, v: Keys, query_segments: Segments, key_segments: Segments, causal: bool
) -> Queries:
    queries, keys = _parts(query_segments), _parts(key_segments)
    rows = (x.split([part.tokens for part in parts]) for x, parts in ((q, queries), (k, keys), (v, keys)))
    return torch.cat([attend(*part, causal) for part in zip(*rows, queries, keys, strict=True)])


def _parts(segments: Segments) -> list[Segments]:
    """Return consecutive parts of a stream, each with at most `MOST_RUNS` runs."""
    firsts = range(0, segments.runs, MOST_RUNS)
    offsets = [segments.offsets[first : first + MOST_RUNS + 1] for first in firsts]
    lengths = [segments.lengths[first : first + MOST_RUNS] for first in firsts]
    return [Segments(bounds - bounds[0], some) for bounds, some in zip(offsets, lengths, strict=True)]


@cache
def causality(varlen_attn: Callable, causal: bool) -> dict[str, Any]:
    """Return the argument that makes torch's kernel causal: a window from about torch 2.11 on, a flag before."""
    if "is_causal" in inspect.signature(varlen_attn).parameters:
        return {"is_causal": causal}
    return {"window_size": (-1, 0) if causal else (-1, -1)}
