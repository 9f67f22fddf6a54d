"""Attention inside the runs of packed streams; nothing else in the package calls an attention kernel.

Paper: Vaswani et al. 2017, section 3.2.1, eq. 1, for each run by itself.
"""

from docmt.nn.backends import backward, bucketed, kernel, varlen
from docmt.nn.segments import Segments
from docmt.nn.shapes import (
    CommonPairs,
    HypothesisHeads,
    KeyMask,
    Keys,
    OwnPairs,
    PaddedKeys,
    PaddedQueries,
    Queries,
    SourceStates,
    States,
)


def attend(
    q: Queries,
    k: Keys,
    v: Keys,
    query_segments: Segments,
    key_segments: Segments,
    causal: bool = False,
    dropout: float = 0.0,
) -> Queries:
    """Let run i of the queries see run i of the keys, and nothing else.

    A run without keys gives zeros. `causal`: a token sees its own run up to itself; both sides then have the same
    runs. `dropout` is the share of attention weights that are dropped.

    Raises ValueError where the two sides differ in their number of runs, or in their lengths where causal.
    """
    if query_segments.runs != key_segments.runs:
        raise ValueError(f"{query_segments.runs} runs of queries, {key_segments.runs} runs of keys")
    if causal and query_segments.lengths != key_segments.lengths:
        raise ValueError("causal attention needs the same runs on both sides")
    backend = varlen if q.is_cuda and dropout == 0 and varlen.serves(q) else bucketed
    return backend.attend(q, k, v, query_segments, key_segments, causal, dropout)


def attend_padded(q: PaddedQueries, k: PaddedKeys, v: PaddedKeys, may_attend: KeyMask | None = None) -> PaddedQueries:
    """Let the queries of a row see the keys of that row where `may_attend`."""
    return kernel.padded(q, k, v, may_attend)


def attend_shared(q: HypothesisHeads, common: CommonPairs, own: OwnPairs) -> HypothesisHeads:
    """Let each hypothesis see what its instance has in common, and its own keys; hypotheses stand by instance."""
    return kernel.shared(q, common, own)


def attend_back(q: Queries, k: Keys, states: States, query_segments: Segments, key_segments: Segments) -> SourceStates:
    """For each key the mean of its run's `states`, one a query, weighted by what the queries attend to the key.

    The weights are those of `attend`, averaged over heads, and sum to one over the run's queries; where it has none,
    zeros. Raises ValueError where the two sides differ in their number of runs.
    """
    if query_segments.runs != key_segments.runs:
        raise ValueError(f"{query_segments.runs} runs of queries, {key_segments.runs} runs of keys")
    return backward.attend_back(q, k, states, query_segments, key_segments)
