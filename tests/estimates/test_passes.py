"""The size of a pass, beside the counts of the code that cuts documents."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docmt.base.columns import TOKENS, only
from docmt.estimates.passes import DocumentGroup, Pass, pass_of
from docmt.settings.data import CutConfig
from docmt.views.build import CutSplit
from docmt.views.segments import sentences_of

LENGTHS = st.lists(st.integers(1, 9), min_size=1, max_size=6)
"""The number of sentences of each document."""
PIECES = st.tuples(st.integers(1, 12), st.integers(1, 12))
"""The pieces of every sentence, on both sides."""
SIZES = st.integers(1, 6)
CUTS = st.one_of(
    SIZES.map(lambda size: CutConfig(window=size)),
    st.integers(2, 6).map(lambda size: CutConfig(window=size, openings=True)),
    st.integers(2, 6).map(lambda size: CutConfig(window=size, partial_copy=0.5)),
    st.integers(2, 6).map(lambda size: CutConfig(window=size, partial_copy=1.0)),
    st.integers(2, 6).map(lambda size: CutConfig(window=size, partial_copy=0.5, partial_copy_each=True)),
    st.builds(lambda size, few: CutConfig(window=size, min_document_sentences=few), SIZES, SIZES),
    SIZES.map(lambda size: CutConfig(max_sentences=size)),
    st.integers(10, 60).map(lambda budget: CutConfig(max_tokens=budget)),
    st.just(CutConfig(documents=True)),
)


def cut(lengths: list[int], pieces: tuple[int, int], config: CutConfig) -> dict[str, int]:
    """What stage 3 counts where each sentence has the same numbers of pieces."""
    rows = [
        {"document": str(number), "sentence": sentence, "source_ids": [9] * pieces[0], "target_ids": [9] * pieces[1]}
        for number, length in enumerate(lengths)
        for sentence in range(length)
    ]
    table = pa.Table.from_pylist(rows, only(TOKENS, "document", "sentence", "source_ids", "target_ids"))
    return CutSplit.of(sentences_of(table, "x"), config).segments(None)[1]


def parts(lengths: list[int], pieces: tuple[int, int]) -> list[DocumentGroup]:
    """A part for each document, so that all lengths are known."""
    return [DocumentGroup(1, length, *pieces) for length in lengths]


@settings(max_examples=50)
@given(lengths=LENGTHS, pieces=PIECES, config=CUTS)
def test_with_known_lengths_sentences_and_pieces_are_those_of_the_view(lengths, pieces, config):
    counted, size = cut(lengths, pieces, config), pass_of(parts(lengths, pieces), config)
    assert size.sentences == pytest.approx(counted["sentences_in_segments"])
    assert (size.source, size.target) == pytest.approx((counted["source_pieces"], counted["target_pieces"]))
    if config.window or config.documents:
        assert size.segments == pytest.approx(counted["segments"])


@settings(max_examples=20)
@given(lengths=st.lists(st.integers(4, 9), min_size=1, max_size=6), size=st.integers(1, 4), openings=st.booleans())
def test_for_windows_the_mean_length_is_enough_where_no_document_is_shorter(lengths, size, openings):
    config = CutConfig(window=size, openings=openings and size > 1)
    counted = cut(lengths, (5, 6), config)
    together = pass_of([DocumentGroup(len(lengths), sum(lengths), 5, 6)], config)
    assert together.segments == pytest.approx(counted["segments"])
    assert together.target == pytest.approx(counted["target_pieces"])


@pytest.mark.parametrize(
    ("sentences", "documents", "tokens", "published"),
    [(0.21e6, 1.7e3, 436 / 18.3, 11e3), (0.24e6, 6e3, 380 / 12.8, 18.5e3), (1.67e6, 118e3, 320 / 10.3, 162e3)],
)
def test_instances_of_g_transformers_corpora_are_those_that_the_paper_counts(sentences, documents, tokens, published):
    part = DocumentGroup(documents, sentences, tokens - 2, tokens - 2)
    assert pass_of([part], CutConfig(max_tokens=512)).segments == pytest.approx(published, rel=0.08)


def test_instances_and_sub_documents_are_counted_where_lengths_vary():
    lengths = np.random.default_rng(1).geometric(1 / 20, 200).tolist()
    for config in (CutConfig(max_tokens=100), CutConfig(max_sentences=7)):
        counted = cut(lengths, (8, 6), config)
        together = pass_of([DocumentGroup(len(lengths), sum(lengths), 8, 6)], config)
        assert together.segments == pytest.approx(counted["segments"], rel=0.1)


def test_a_sample_has_its_size_and_the_shape_of_the_whole():
    every = pass_of(parts([20, 30], (5, 6)), CutConfig(window=3))
    half = pass_of(parts([20, 30], (5, 6)), CutConfig(window=3, sample=23))
    assert (half.segments, half.target) == (23, pytest.approx(every.target / 2))
    assert pass_of(parts([20, 30], (5, 6)), CutConfig(window=3, sample=100)) == every


def test_a_minimum_of_pieces_leaves_out_more_the_larger_it_is():
    sizes = [
        pass_of([DocumentGroup(100, 1400, 25, 25)], CutConfig(max_tokens=512, min_document_tokens=minimum)).sentences
        for minimum in (1, 350, 768, 3000)
    ]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] > 1399 and 0 < sizes[3] < 50


def test_documents_of_different_kinds_are_cut_by_themselves():
    """Of sentence pairs and groups of four, a minimum of two sentences keeps the groups alone."""
    corpus = [DocumentGroup(6, 6, 10, 10), DocumentGroup(2, 8, 10, 10)]
    assert pass_of(corpus, CutConfig(window=4, min_document_sentences=2)) == Pass(2, 8, 80, 80)
    assert pass_of(corpus, CutConfig(window=4)).segments == 8
