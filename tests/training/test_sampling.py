"""Laws of the sampler."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.base.errors import UserError
from docmt.nn.rows import Rows
from docmt.training.batches import balanced_shares, epoch_updates, micro_batches, pack
from docmt.training.task import check_lengths

LENGTHS = st.lists(st.integers(1, 40), min_size=1, max_size=60).map(np.array)


@given(LENGTHS, st.integers(1, 100), st.integers(0, 3), st.integers(0, 3))
def test_every_instance_comes_once_an_epoch(lengths, budget, seed, epoch):
    updates = epoch_updates(lengths, budget, seed, epoch)
    assert sorted(np.concatenate(updates).tolist()) == list(range(len(lengths)))


@given(LENGTHS, st.integers(1, 100))
def test_an_update_keeps_the_budget_unless_it_is_one_instance(lengths, budget):
    for update in epoch_updates(lengths, budget, 0, 0):
        assert lengths[update].sum() <= budget or len(update) == 1


@given(LENGTHS, st.integers(1, 100))
def test_updates_are_full(lengths, budget):
    parts = pack(lengths, budget)
    for part, following in pairwise(parts):
        assert lengths[part].sum() + lengths[following.start] > budget


RANKS = st.integers(1, 8)


@given(LENGTHS, st.integers(40, 400), st.integers(40, 100), RANKS)
def test_micro_batches_hold_an_updates_instances_and_keep_the_budget(lengths, budget, batch_tokens, ranks):
    for update in epoch_updates(lengths, budget, 0, 0):
        parts = micro_batches(update, lengths, budget, batch_tokens, ranks)
        assert sorted(np.concatenate(parts).tolist()) == sorted(update.tolist())
        assert all(0 < lengths[part].sum() <= batch_tokens for part in parts)
        assert len(parts) % ranks == 0 or len(parts) == len(update)


@given(LENGTHS, st.integers(40, 400), st.integers(40, 100), st.sampled_from([1, 2, 4, 8]))
def test_ranks_compute_the_same_micro_batches_where_memory_asks_for_as_many(lengths, budget, batch_tokens, ranks):
    batch_tokens = min(batch_tokens, max(2 * budget // ranks - 1, 40))
    for update in epoch_updates(lengths, budget, 0, 0):
        alone, shared = (micro_batches(update, lengths, budget, batch_tokens, count) for count in (1, ranks))
        if batch_tokens * ranks < 2 * budget:
            assert [part.tolist() for part in alone] == [part.tolist() for part in shared]


@given(LENGTHS, st.integers(1, 8))
def test_hands_are_nearly_equal(lengths, hands):
    """No hand has more than another and one length, since the last that it got went to the emptiest."""
    sums = [lengths[hand].sum() for hand in balanced_shares(lengths, hands)]
    assert max(sums) - min(sums) <= lengths.max()


def test_order_follows_from_seed_and_epoch():
    lengths = np.random.default_rng(0).integers(1, 40, size=200)

    def order(seed: int, epoch: int) -> list[int]:
        return np.concatenate(epoch_updates(lengths, 100, seed, epoch)).tolist()

    assert order(1, 0) == order(1, 0)
    assert len({tuple(order(*place)) for place in ((1, 0), (1, 1), (2, 0), (2, 1))}) == 4


def test_target_tokens_count_words_and_ends_of_sentences():
    rows = Rows.from_lists([[[9], [9, 9]], [[9]]], [[[8, 8, 8], []], [[8]]])
    assert rows.target_tokens.tolist() == [5, 2]


def test_a_segment_longer_than_a_batch_is_named():
    with pytest.raises(UserError) as problem:
        check_lengths(np.array([3, 9, 5]), pa.chunked_array([["a", "b", "c"]]), 8, "train.arrow")
    message = str(problem.value)
    assert "train.arrow" in message
    assert "'b'" in message
    assert "found 9 target tokens; expected at most train.batch_tokens = 8" in message
