"""Attention inside the runs of packed streams; nothing else in the package calls an attention kernel.

Paper: Vaswani et al. 2017, section 3.2.1, eq. 1, for each run by itself.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from docmt.nn.backends import bucketed, kernel, varlen, weights
from docmt.nn.noise import WeightDropout
from docmt.nn.segments import Segments
from docmt.nn.shapes import Keys, Queries, RunWeights, SourceStates, States

Observer = Callable[[Queries, Keys, Segments, Segments, bool], None]
"""Told of a call of `attend`: queries, keys, the runs of both, whether it is causal."""
_observers: list[Observer] = []


@contextmanager
def observed(observer: Observer) -> Iterator[None]:
    """Until the end of the block `observer` is told of every call of `attend`, before it is answered."""
    _observers.append(observer)
    try:
        yield
    finally:
        _observers.remove(observer)


def attend(
    q: Queries,
    k: Keys,
    v: Keys,
    query_segments: Segments,
    key_segments: Segments,
    causal: bool = False,
    dropout: WeightDropout | None = None,
) -> Queries:
    """Let run i of the queries see run i of the keys, and nothing else.

    A run without keys gives zeros. `causal`: a token sees its own run up to itself; both sides then have the same
    runs. `dropout`: drops attention weights.

    Raises ValueError where the two sides differ in their number of runs, or in their lengths where causal.
    """
    _check_runs(query_segments, key_segments)
    if causal and query_segments.lengths != key_segments.lengths:
        raise ValueError("causal attention needs the same runs on both sides")
    for observer in _observers:
        observer(q, k, query_segments, key_segments, causal)
    backend = varlen if q.is_cuda and dropout is None and varlen.serves(q) else bucketed
    return backend.attend(q, k, v, query_segments, key_segments, causal, dropout)


attend_padded = kernel.padded
"""Let the queries of a row see the keys of that row where `may_attend`."""
attend_shared = kernel.shared
"""Let each hypothesis see what its instance has in common, and its own keys; hypotheses stand by instance."""


def attend_back(q: Queries, k: Keys, states: States, query_segments: Segments, key_segments: Segments) -> SourceStates:
    """For each key the mean of its run's `states`, one a query, weighted by what the queries attend to the key.

    The weights are those of `attend`, averaged over heads, and sum to one over the run's queries; where it has none,
    zeros. Raises ValueError where the two sides differ in their number of runs.
    """
    _check_runs(query_segments, key_segments)
    return weights.attend_back(q, k, states, query_segments, key_segments)


def attention_weights(q: Queries, k: Keys, query_segments: Segments, key_segments: Segments) -> list[RunWeights]:
    """Of each run the weights of `attend`, averaged over heads: a row for each query, which sums to one over the keys.

    To be looked at: no gradient, in fp32. Raises ValueError where the two sides differ in their number of runs.
    """
    _check_runs(query_segments, key_segments)
    return [one.mean(1) for one in weights.weights(q, k, query_segments, key_segments)]


def _check_runs(query_segments: Segments, key_segments: Segments) -> None:
    if query_segments.runs != key_segments.runs:
        raise ValueError(f"{query_segments.runs} runs of queries, {key_segments.runs} runs of keys")
