"""Attention inside the runs of packed streams, and the place of all tokens of a stream, which attend at once.

Paper: Vaswani et al. 2017, section 3.2.1, eq. 1, for each run by itself.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from docmt.base.ragged import places
from docmt.nn import onednn, varlen
from docmt.nn.attention_weights import attend_back, attention_weights
from docmt.nn.noise import WeightDropout, key_scope
from docmt.nn.segments import Bucket, Segments, check_runs, pad_runs, plan_of, unpad_runs, upload
from docmt.nn.shapes import (
    EmbeddingRows,
    Float,
    HeadRows,
    Int,
    KeyMask,
    Keys,
    Numbers,
    PaddedKeys,
    PaddedQueries,
    Queries,
    RowKeys,
    RunWeights,
    SourceStates,
    States,
    Tensor,
    Tokens,
)
from docmt.nn.streams import Memory, Stream
from docmt.settings.models import TransformerConfig

Observer = Callable[[Queries, Keys, Segments, Segments, bool], None]
"""A function that receives each call of `attend`: queries, keys, the runs of both, and whether the call is causal."""
_observers: list[Observer] = []


@runtime_checkable
class Place(Protocol):
    """Where queries find their keys: in a stream, whose tokens attend at once, or in the cache of a search."""

    tokens: Tokens
    """The tokens whose states are computed."""
    memory: Memory | None
    """The encoded source; None in the encoder."""

    def positions(self, config: TransformerConfig) -> tuple[Numbers, int]:
        """Return the position of each token, as the settings count them, and a number above all positions."""

    def sentence_numbers(self) -> Numbers:
        """Return the number, from 0, of the sentence of each token in its instance."""

    def twice(self) -> "Place":
        """Return the place of two streams of states, of which each token has one in each."""

    def noise(self) -> AbstractContextManager:
        """Return the scope in which modules find the noise keys of the rows (`docmt.nn.noise`)."""

    def tokens_to_rows(self, x: States) -> EmbeddingRows:
        """Return the states with a row for each shared row (`Segments.rows`)."""

    def rows_to_tokens(self, x: EmbeddingRows) -> States:
        """Return the states with a row for each token."""

    def attend(self, attention: nn.Module, q: HeadRows, k: HeadRows, v: HeadRows) -> HeadRows:
        """Let each query attend to the keys of its sentence or instance, in the decoder up to itself."""

    def attend_source(self, attention: nn.Module, q: HeadRows) -> HeadRows:
        """Let each query attend to the source sentence that it translates, or to its source instance."""

    def by_source_sentence(self, x: Float[Tensor, "T _"]) -> tuple[Float[Tensor, "R Q _"], Numbers]:
        """Return the rows by the source sentence that they translate, padded, and the numbers of these sentences."""

    def from_source_sentence(self, x: Float[Tensor, "R Q _"]) -> Float[Tensor, "T _"]:
        """Return the rows of `by_source_sentence` in their former order, without padding."""


class WholeStream:
    """The place of all tokens of a stream, which attend at once."""

    def __init__(self, stream: Stream, memory: Memory | None = None) -> None:
        """Take a source stream or, with the encoded source `memory`, the decoder's input."""
        self.stream, self.tokens, self.layout, self.memory = stream, stream.tokens, stream.layout, memory

    def positions(self, config: TransformerConfig) -> tuple[Numbers, int]:
        """Return the place of each token in its instance or (`positions: restarting`) in its sentence."""
        runs = self.layout.instances if config.positions == "running" else self.layout.sentences
        return runs.positions, runs.longest

    def sentence_numbers(self) -> Numbers:
        """Return the number, from 0, of the sentence of each token in its instance."""
        numbers = np.repeat(places(self.layout.sentences_per_instance()), self.layout.sentences.lengths)
        return upload(numbers, self.tokens.device)

    def twice(self) -> "WholeStream":
        """Return the place of the long stream, then of the short one, whose noise differs (`Layout.twice`)."""
        memory = self.memory and replace(self.memory, layout=self.memory.both)
        return WholeStream(self.stream.twice(), memory)

    def noise(self) -> AbstractContextManager:
        """Return the scope of the noise keys of the stream."""
        return key_scope(self.stream.keys)

    def tokens_to_rows(self, x: States) -> EmbeddingRows:
        """Return the states with a row for each shared row (`Segments.rows`)."""
        return self.layout.instances.tokens_to_rows(x)

    def rows_to_tokens(self, x: EmbeddingRows) -> States:
        """Return the states with a row for each token."""
        return self.layout.instances.rows_to_tokens(x)

    def attend(self, attention: nn.Module, q: Queries, k: Keys, v: Keys) -> Queries:
        """Let each token attend to its sentence or its instance."""
        runs = self.layout.runs(attention.scope)
        return _attend_rows(attention, q, k, v, runs, runs, attention.causal)

    def attend_source(self, attention: nn.Module, q: Queries) -> Queries:
        """Let the tokens of target sentence i attend to source sentence i, or those of an instance to its source."""
        runs, source_runs = (layout.runs(attention.scope) for layout in (self.layout, self.memory.layout))
        return _attend_rows(attention, q, *attention.kv(self.memory.states), runs, source_runs)

    def by_source_sentence(self, x: Float[Tensor, "T _"]) -> tuple[Float[Tensor, "R Q _"], Numbers]:
        """Return the rows of each target sentence, padded; target sentence r translates source sentence r."""
        sentences = self.layout.sentences
        return pad_runs(x, sentences)[0], torch.arange(sentences.runs, device=x.device)

    def from_source_sentence(self, x: Float[Tensor, "R Q _"]) -> Float[Tensor, "T _"]:
        """Return the rows as a stream."""
        return unpad_runs(x, self.layout.sentences)

    def attended_states(self, attention: nn.Module, x: States, states: States) -> SourceStates:
        """Return, for each source token, the mean of the target's `states`, weighted by the attention to that token.

        The queries are `x`, with a row for each state.
        """
        # No gradient flows through the weights.
        with torch.no_grad():
            q, k, *runs = self._queries_and_keys(attention, x)
        return attend_back(q, k, states, *runs)

    def weights(self, attention: nn.Module, x: States) -> list[RunWeights]:
        """Return the attention weights of `x` to the source for each run (`docmt.nn.attention_weights`)."""
        return attention_weights(*self._queries_and_keys(attention, x))

    def _queries_and_keys(self, attention: nn.Module, x: States) -> tuple[Queries, Keys, Segments, Segments]:
        (q,), (k, _) = attention.q(x), attention.kv(self.memory.states)
        return q, k, self.layout.runs(attention.scope), self.memory.layout.runs(attention.scope)


def _attend_rows(
    attention: nn.Module, q: Queries, k: Keys, v: Keys, runs: Segments, key_runs: Segments, causal: bool = False
) -> Queries:
    dropout = attention.weight_dropout(q)
    # Rows that several tokens share (`Segments.rows`) are projected once, and repeated for attention.
    q, k, v = runs.rows_to_tokens(q), key_runs.rows_to_tokens(k), key_runs.rows_to_tokens(v)
    return runs.tokens_to_rows(attend(q, k, v, runs, key_runs, causal, dropout))


@contextmanager
def observe_attention(observer: Observer) -> Iterator[None]:
    """Call `observer` before each call of `attend` is computed, until the end of the block."""
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
    """Let run i of the queries attend to run i of the keys, and to no other run.

    The result of a run without keys is zero. With `causal`, a token attends to its run up to itself, and queries and
    keys have the same runs. `dropout` drops attention weights.

    Raises ValueError where queries and keys differ in their number of runs, or, with `causal`, in the lengths of their
    runs.
    """
    check_runs(query_segments, key_segments)
    if causal and query_segments.lengths != key_segments.lengths:
        raise ValueError("causal attention needs the same runs on both sides")
    for observer in _observers:
        observer(q, k, query_segments, key_segments, causal)
    # The flash kernel reads the packed stream without padding, but has no dropout of weights and needs 16-bit heads.
    is_packed = q.is_cuda and dropout is None and varlen.supports(q)
    return (varlen.attend if is_packed else attend_in_buckets)(q, k, v, query_segments, key_segments, causal, dropout)


def attend_in_buckets(
    q: Queries,
    k: Keys,
    v: Keys,
    query_segments: Segments,
    key_segments: Segments,
    causal: bool = False,
    dropout: WeightDropout | None = None,
) -> Queries:
    """Compute `attend` in padded batches: runs of similar length share one call of the fused kernel."""
    if not query_segments.tokens or not key_segments.tokens:
        return torch.zeros_like(q)
    plan = plan_of(query_segments, key_segments)
    if plan.queries is not None:
        q = plan.queries.into_buckets(q)
    if plan.keys is not None:
        k, v = plan.keys.into_buckets(k), plan.keys.into_buckets(v)
    key_places = [bucket.rows * bucket.keys for bucket in plan.buckets]
    query_places = [bucket.rows * bucket.queries for bucket in plan.buckets]
    parts = zip(plan.buckets, q.split(query_places), k.split(key_places), v.split(key_places), strict=True)
    if dropout is None:
        results = [_attend_bucket(*part, causal) for part in parts]
    else:
        keys = dropout.keys if plan.queries is None else dropout.keys.index_select(0, plan.queries.tokens)
        results = [
            _attend_bucket_with_dropout(*part, causal, dropout, bucket_keys)
            for part, bucket_keys in zip(parts, keys.split(query_places), strict=True)
        ]
    result = torch.cat(results) if len(results) > 1 else results[0]
    return result if plan.queries is None else plan.queries.back(result)


def _attend_bucket(bucket: Bucket, q: Queries, k: Keys, v: Keys, causal: bool) -> Queries:
    # Padding is at the right end of each row, so the causal mask hides it. The fused kernel accepts a mask or the
    # causal flag, but not both.
    may_attend = None if causal else bucket.may_attend
    return attend_padded(*_rows(bucket, q, k, v), may_attend, causal).flatten(0, 1)


def _attend_bucket_with_dropout(
    bucket: Bucket, q: Queries, k: Keys, v: Keys, causal: bool, dropout: WeightDropout, keys: RowKeys
) -> Queries:
    keys_BQ = keys.unflatten(0, (bucket.rows, bucket.queries))
    results_BQHK = attend_with_dropout(*_rows(bucket, q, k, v), bucket.may_attend, causal, dropout, keys_BQ)
    return results_BQHK.flatten(0, 1)


def _rows(bucket: Bucket, q: Queries, k: Keys, v: Keys) -> tuple[PaddedQueries, PaddedKeys, PaddedKeys]:
    k_BLHK, v_BLHK = (x.unflatten(0, (bucket.rows, bucket.keys)) for x in (k, v))
    return q.unflatten(0, (bucket.rows, bucket.queries)), k_BLHK, v_BLHK


def attend_padded(
    q: PaddedQueries,
    k: PaddedKeys,
    v: PaddedKeys,
    may_attend: KeyMask | None = None,
    causal: bool = False,
) -> PaddedQueries:
    """Return scaled dot-product attention in each row; the result of a query that may attend to no key is zero."""
    if onednn.supports(q, k):
        return onednn.attend(q, k, v, may_attend, causal)
    mask = None if may_attend is None else may_attend[:, None, None, :]
    q_BHQK, k_BHLK, v_BHLK = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
    # Eq. 1: softmax(Q K^T / sqrt(d_k)) V.
    results_BHQK = scaled_dot_product_attention(q_BHQK, k_BHLK, v_BHLK, attn_mask=mask, is_causal=causal)
    return results_BHQK.transpose(1, 2)


def attend_with_dropout(
    q: PaddedQueries,
    k: PaddedKeys,
    v: PaddedKeys,
    may_attend: KeyMask | None,
    causal: bool,
    dropout: WeightDropout,
    keys: Int[Tensor, "B Q"],
) -> PaddedQueries:
    """Return the result of `attend_padded` with dropout of attention weights; `keys` has the queries' noise keys."""
    # Eq. 1: softmax(Q K^T / sqrt(d_k)) V, with the mask in the softmax.
    # The fused kernel drops weights only by torch's generator, so this function computes the weights explicitly.
    scores_BQHL = torch.einsum("bqhk,blhk->bqhl", q, k) * q.shape[-1] ** -0.5
    visible = torch.ones((), dtype=torch.bool, device=q.device)
    if may_attend is not None:
        visible = visible & may_attend[:, None, None, :]
    if causal:
        visible = visible & torch.ones(q.shape[1], k.shape[1], dtype=torch.bool, device=q.device).tril()[:, None]
    # The lowest number replaces -inf, and the mask is multiplied: softmax of a row that is all -inf would be NaN.
    weights_BQHL = scores_BQHL.masked_fill(~visible, torch.finfo(scores_BQHL.dtype).min).softmax(-1) * visible
    return torch.einsum("bqhl,blhk->bqhk", dropout.drop(weights_BQHL, keys).to(v.dtype), v)
