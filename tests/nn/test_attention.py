import numpy as np
import pytest
import torch
from helpers.dense_attention import attend as dense_attend
from hypothesis import given, settings
from hypothesis import strategies as st

from docmt.nn import varlen
from docmt.nn.attention import attend, attend_in_buckets, attend_padded
from docmt.nn.growing_caches import CachePart, attend_newest
from docmt.nn.noise import WeightDropout, document_keys, token_keys
from docmt.nn.segments import Segments, coarse, group_runs, plan_of

HEADS, HEAD_WIDTH = 2, 8
lengths = st.lists(st.integers(0, 20), min_size=1, max_size=12)
length_pairs = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=12)


def tensors(queries, keys, dtype=torch.float64, device="cpu"):
    generator = torch.Generator().manual_seed(sum(queries) + 7 * sum(keys))
    q = torch.randn(sum(queries), HEADS, HEAD_WIDTH, generator=generator, dtype=torch.float64)
    k, v = torch.randn(2, sum(keys), HEADS, HEAD_WIDTH, generator=generator, dtype=torch.float64)
    return [x.to(device, dtype).requires_grad_() for x in (q, k, v)]


def values_and_gradients(attend, inputs, query_segments, key_segments, causal, dropout=None):
    results = attend(*inputs, query_segments, key_segments, causal, dropout)
    weight = torch.linspace(-1, 1, results.numel(), dtype=torch.float64).view(results.shape).to(results)
    # The zero keeps inputs in the graph that nothing depends on: streams without tokens.
    total = (results * weight).sum() + sum(0 * x.sum() for x in inputs)
    return results.detach(), *torch.autograd.grad(total, inputs)


def assert_same(backend, queries, keys, causal, dtype=torch.float64, device="cpu", tolerance=1e-12, dropout=None):
    query_segments = Segments.from_lengths(queries, device)
    key_segments = query_segments if causal else Segments.from_lengths(keys, device)
    inputs = tensors(queries, keys, dtype, device)
    results = values_and_gradients(backend, inputs, query_segments, key_segments, causal, dropout)
    expected = values_and_gradients(dense_attend, inputs, query_segments, key_segments, causal, dropout)
    for result, expected_result in zip(results, expected, strict=True):
        torch.testing.assert_close(result, expected_result, atol=tolerance, rtol=tolerance)


@given(pairs=length_pairs)
def test_across_streams_bucketed_is_what_the_dense_mask_says(pairs):
    queries, keys = zip(*pairs, strict=True)
    assert_same(attend_in_buckets, queries, keys, causal=False)


@given(lengths=lengths, causal=st.booleans())
def test_within_a_stream_bucketed_is_what_the_dense_mask_says(lengths, causal):
    assert_same(attend_in_buckets, lengths, lengths, causal)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@settings(deadline=None, max_examples=20)
@given(pairs=length_pairs, causal=st.booleans())
def test_varlen_is_what_the_dense_mask_says(pairs, causal):
    queries, keys = zip(*pairs, strict=True)
    keys = queries if causal else keys
    assert_same(varlen.attend, queries, keys, causal, torch.bfloat16, "cuda", tolerance=3e-2)


@pytest.mark.parametrize(
    "queries, keys", [([2, 3], [0, 4]), ([2, 3], [0, 0]), ([0, 0], [1, 2]), ([2, 1, 2], [0, 1, 3])]
)
def test_runs_without_keys_give_zeros_and_take_no_gradient(queries, keys):
    inputs = tensors(queries, keys)
    segments = Segments.from_lengths(queries), Segments.from_lengths(keys)
    seen, *gradients = values_and_gradients(attend, inputs, *segments, False)
    without = torch.tensor([not n for n in keys])[segments[0].ids()]
    assert (seen[without] == 0).all() and (gradients[0][without] == 0).all()
    assert all(gradient.isfinite().all() for gradient in (seen, *gradients))


def test_the_plan_is_made_once_for_a_pair_and_dies_with_it():
    queries, keys = Segments.from_lengths([2, 3]), Segments.from_lengths([3, 2])
    assert plan_of(queries, keys) is plan_of(queries, keys)
    assert plan_of(queries, keys) is not plan_of(queries, queries)
    del keys
    assert len(queries.prepared) == 1


def test_buckets_hold_runs_of_like_lengths():
    lengths = np.arange(1, 500)
    groups = group_runs(lengths, lengths)
    assert sorted(np.concatenate(groups).tolist()) == list(range(len(lengths)))
    assert all(lengths[group].max() < 1.25 * lengths[group].min() + 1 for group in groups)
    assert len(groups) < 40
    assert coarse(np.array([1, 7, 8, 9, 11, 17, 100])).tolist() == [1, 7, 8, 10, 12, 20, 112]


def dropout_of(tokens: int) -> WeightDropout:
    return WeightDropout(0.5, "a", token_keys(document_keys(1, np.arange(1)), (tokens,), "source"))


@given(lengths=lengths, causal=st.booleans())
def test_what_is_dropped_within_a_stream_is_what_the_dense_mask_says(lengths, causal):
    assert_same(attend_in_buckets, lengths, lengths, causal, dropout=dropout_of(sum(lengths)))


@given(pairs=length_pairs)
def test_what_is_dropped_across_streams_is_what_the_dense_mask_says(pairs):
    queries, keys = zip(*pairs, strict=True)
    assert_same(attend_in_buckets, queries, keys, causal=False, dropout=dropout_of(sum(queries)))


@pytest.mark.parametrize("causal", [False, True])
def test_dropped_weights_are_made_up_for_by_the_others(causal):
    """Where all values are 1, attention sums its weights: on average they still sum to one."""
    segments = Segments.from_lengths([20] * 50)
    q, k, _ = tensors([20] * 50, [20] * 50, torch.float32)
    seen = attend(q, k, torch.ones_like(k), segments, segments, causal, dropout_of(1000))
    assert not torch.allclose(seen, torch.ones_like(seen))
    assert abs(seen.mean().item() - 1) < 0.03


def test_numbers_of_runs_must_agree():
    q, k, v = tensors([2, 3], [5])
    with pytest.raises(ValueError, match="2 runs of queries, 1 runs of keys"):
        attend(q, k, v, Segments.from_lengths([2, 3]), Segments.from_lengths([5]))


def test_causal_attention_needs_the_same_runs():
    q, k, v = tensors([2, 3], [3, 2])
    with pytest.raises(ValueError, match="causal attention needs the same runs"):
        attend(q, k, v, Segments.from_lengths([2, 3]), Segments.from_lengths([3, 2]), causal=True)


def test_varlen_refuses_dropout_and_other_types():
    q, k, v = tensors([2], [2])
    segments = Segments.from_lengths([2])
    with pytest.raises(ValueError, match="no dropout"):
        varlen.attend(q, k, v, segments, segments, dropout=dropout_of(2))
    assert not varlen.supports(q)
    assert varlen.supports(q.to(torch.bfloat16)) == (varlen.kernel() is not None)


@pytest.mark.parametrize("causal", [False, True])
def test_varlen_reads_more_runs_than_a_call_of_the_kernel_can(causal, monkeypatch):
    """The second part has no keys where attention is not causal."""
    queries, keys = [2, 3, 1, 2, 4], [4, 1, 0, 0, 2]
    calls = []

    def kernel_of_two_runs(q, k, v, query_offsets, key_offsets, *longest, window_size):
        runs = [Segments.from_lengths(offsets.diff().tolist()) for offsets in (query_offsets, key_offsets)]
        calls.append(runs[0].runs)
        assert longest == (runs[0].longest, runs[1].longest)
        return dense_attend(q, k, v, *runs, window_size == (-1, 0))

    monkeypatch.setattr(varlen, "kernel", lambda: kernel_of_two_runs)
    monkeypatch.setattr(varlen, "MOST_RUNS", 2)
    assert_same(varlen.attend, queries, queries if causal else keys, causal)
    assert calls == ([2, 2, 1] if causal else [2, 1])


def test_varlen_says_causal_in_the_words_of_the_installed_torch():
    assert varlen.causality(lambda q, k, v, window_size=(-1, -1): None, True) == {"window_size": (-1, 0)}
    assert varlen.causality(lambda q, k, v, is_causal=False: None, True) == {"is_causal": True}


def test_padded_attention_hides_what_may_not_be_seen():
    q, k, v = (x.unflatten(0, (2, 3)) for x in tensors([6], [6]))
    may_attend = torch.tensor([[True, True, False], [True, False, False]])
    seen = attend_padded(q, k, v, may_attend)
    torch.testing.assert_close(seen[1], v[1, :1].expand(3, -1, -1))
    torch.testing.assert_close(seen[:1], attend_padded(q[:1], k[:1, :2], v[:1, :2]))


def test_the_newest_tokens_attend_to_all_parts_of_a_cache_in_one_softmax():
    generator = torch.Generator().manual_seed(5)
    q = torch.randn(4, 2, 8, generator=generator, dtype=torch.float64)
    first, second = (torch.randn(2, 2, 2, length, 8, generator=generator, dtype=torch.float64) for length in (3, 5))
    hidden = torch.rand(2, 1, 2, 5, generator=generator) < 0.4
    bias = torch.zeros(2, 1, 2, 5, dtype=torch.float64).masked_fill_(hidden, -torch.inf)
    parts = (
        CachePart(keys.transpose(2, 3), values, added) for (keys, values), added in ((first, None), (second, bias))
    )
    computed = attend_newest(q, *parts)
    for n in range(4):
        instance, slot = divmod(n, 2)
        for head in range(2):
            seen = [place for place in range(5) if not hidden[instance, 0, slot, place]]
            keys, values = (
                torch.cat((first[part, instance, head], second[part, instance, head, seen])) for part in (0, 1)
            )
            weights = (keys @ q[n, head] / 8**0.5).softmax(0)
            torch.testing.assert_close(computed[n, head], weights @ values)
