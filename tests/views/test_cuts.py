"""Laws of cutting: nothing is lost, nothing crosses a document, and the sizes are what was asked for."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from docmt.settings.data import CutConfig
from docmt.views.cuts import count_over_long, cut_by_context, cut_documents, visible_from

SIZES = st.integers(1, 6)
CUTS = st.one_of(
    SIZES.map(lambda k: CutConfig(window=k)),
    SIZES.map(lambda n: CutConfig(max_sentences=n)),
    st.integers(1, 40).map(lambda budget: CutConfig(max_tokens=budget)),
    st.just(CutConfig(documents=True)),
)
DOCUMENTS = st.lists(st.lists(st.integers(3, 20), min_size=1, max_size=9), max_size=6)
"""Documents as the costs of their sentences."""


def cut(documents: list[list[int]], config: CutConfig) -> list[range]:
    offsets = np.cumsum([0, *map(len, documents)])
    costs = np.array([cost for document in documents for cost in document], dtype=np.int64)
    cuts = cut_documents(offsets, costs, config)
    return [range(start, end) for start, end in zip(cuts.starts.tolist(), cuts.ends.tolist(), strict=True)]


def owners(documents: list[list[int]]) -> list[int]:
    return [number for number, document in enumerate(documents) for _ in document]


@given(documents=DOCUMENTS, config=CUTS)
def test_segments_hold_every_sentence_in_order_and_cross_no_border(documents, config):
    segments, owner = cut(documents, config), owners(documents)
    assert sorted({sentence for segment in segments for sentence in segment}) == list(range(len(owner)))
    assert [segment.start for segment in segments] == sorted({segment.start for segment in segments})
    assert all(len({owner[sentence] for sentence in segment}) == 1 for segment in segments)


@given(documents=DOCUMENTS, size=SIZES)
def test_windows_are_all_the_runs_of_their_size(documents, size):
    segments, owner = cut(documents, CutConfig(window=size)), owners(documents)
    for number, document in enumerate(documents):
        windows = [segment for segment in segments if owner[segment.start] == number]
        assert len(windows) == max(1, len(document) - size + 1)
        assert {len(segment) for segment in windows} == {min(size, len(document))}


@given(documents=DOCUMENTS, size=st.integers(2, 6))
def test_with_openings_every_sentence_is_the_last_of_one_window(documents, size):
    segments, owner = cut(documents, CutConfig(window=size, openings=True)), owners(documents)
    assert [segment.stop - 1 for segment in segments] == list(range(len(owner)))
    for segment in segments:
        opens = segment.start == 0 or owner[segment.start - 1] != owner[segment.start]
        assert len({owner[sentence] for sentence in segment}) == 1
        assert len(segment) == size or (opens and len(segment) < size)


@given(documents=DOCUMENTS, most=st.integers(0, 5))
def test_by_context_every_sentence_ends_a_segment_of_each_size(documents, most):
    """Those of one size are the windows of a view of this size, without the documents that are shorter."""
    cuts = cut_by_context(np.cumsum([0, *map(len, documents)]), most)
    segments = [range(start, end) for start, end in zip(cuts.starts.tolist(), cuts.ends.tolist(), strict=True)]
    assert segments == sorted(segments, key=lambda segment: (segment.stop, -segment.start))
    for size in range(1, most + 2):
        windows = [segment for segment in cut(documents, CutConfig(window=size)) if len(segment) == size]
        assert [segment for segment in segments if len(segment) == size] == windows
    assert all(1 <= len(segment) <= most + 1 for segment in segments)


@given(documents=DOCUMENTS, size=SIZES)
def test_chunks_are_full_but_for_a_documents_last(documents, size):
    segments, owner = cut(documents, CutConfig(max_sentences=size)), owners(documents)
    for segment in segments:
        is_last = segment.stop == len(owner) or owner[segment.stop] != owner[segment.start]
        assert len(segment) == size or (is_last and len(segment) < size)


@given(documents=DOCUMENTS)
def test_whole_documents_are_not_cut(documents):
    segments, owner = cut(documents, CutConfig(documents=True)), owners(documents)
    assert [len(segment) for segment in segments] == [owner.count(number) for number in sorted(set(owner))]


@given(documents=DOCUMENTS, budget=st.integers(1, 40))
def test_instances_stay_below_the_budget_and_could_not_take_the_next_sentence(documents, budget):
    segments, owner = cut(documents, CutConfig(max_tokens=budget)), owners(documents)
    costs = [cost for document in documents for cost in document]
    for segment in segments:
        total = sum(costs[sentence] for sentence in segment)
        assert total < budget or len(segment) == 1
        if segment.stop < len(owner) and owner[segment.stop] == owner[segment.start]:
            assert total + costs[segment.stop] >= budget
    over_long = count_over_long(np.array(costs), CutConfig(max_tokens=budget))
    assert over_long == sum(sum(costs[sentence] for sentence in segment) >= budget for segment in segments)


@given(costs=st.lists(st.integers(3, 20), min_size=1, max_size=9), config=CUTS)
def test_a_judged_sentence_sees_as_much_as_a_segment_can_hold(costs, config):
    first = visible_from(costs, config)
    assert 0 <= first < len(costs)

    def fits(seen: list[int]) -> bool:
        return len(seen) == 1 or cut([seen], config) == [range(len(seen))]

    assert fits(costs[first:])
    assert first == 0 or not fits(costs[first - 1 :])
