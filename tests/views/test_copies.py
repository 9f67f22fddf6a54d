"""Partial copy: the context that a training window lacks is filled with part of its document's first sentence."""

import json
import math

import numpy as np
from helpers.small_tokens import built, sentences_in, token_rows
from hypothesis import given
from hypothesis import strategies as st

from docmt.base.columns import SEGMENTS
from docmt.base.ragged import Ragged
from docmt.base.tables import read_arrow
from docmt.settings.data import CutConfig
from docmt.views.cuts import cut_documents
from docmt.views.segments import Sentences, segments_of, with_copies, with_each_alone

SIDES = ("source", "target")
LENGTHS = st.lists(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=6), max_size=5)
"""Documents as the lengths of their sentences on both sides."""


def split_of(documents: list) -> tuple[Sentences, dict[str, list[list[list[int]]]]]:
    """Sentences of these lengths, all ids different; and the same as lists."""
    lists, ids = {}, {}
    for side, name in enumerate(SIDES):
        lengths = np.array([pair[side] for document in documents for pair in document], dtype=np.int64)
        values = np.arange(lengths.sum()) + 1000 * side
        ids[name] = Ragged.of(values, lengths)
        flat = iter(part.tolist() for part in np.split(values, np.cumsum(lengths)[:-1]))
        lists[name] = [[next(flat) for _ in document] for document in documents]
    names = np.array([f"d{number}" for number in range(len(documents))], dtype=object)
    return Sentences(ids["source"], ids["target"], names, np.cumsum([0, *map(len, documents)])), lists


@given(documents=LENGTHS, size=st.integers(2, 5), share=st.sampled_from([0.01, 0.07, 0.3, 0.5, 1.0]))
def test_every_sentence_is_the_last_of_one_full_window(documents, size, share):
    sentences, lists = split_of(documents)
    filled = with_copies(sentences, size - 1, share)
    cuts = cut_documents(filled.documents, np.zeros(0), CutConfig(window=size, partial_copy=share))
    rows = iter(segments_of(filled, cuts).to_pylist())
    for number, document in enumerate(documents):
        for last in range(len(document)):
            row, first = next(rows), max(last - size + 1, 0)
            assert (row["document"], row["first"]) == (f"d{number}", last)
            for name in SIDES:
                document_ids = lists[name][number]
                copy = document_ids[0][: math.ceil(round(share * 100) * len(document_ids[0]) / 100)]
                expected = [copy] * (size - 1 - last) + document_ids[first : last + 1]
                assert sentences_in(row, name) == expected
    assert next(rows, None) is None


@given(documents=LENGTHS, size=st.integers(2, 5))
def test_each_later_sentence_is_also_behind_copies_of_itself_alone(documents, size):
    sentences, lists = split_of(documents)
    config = CutConfig(window=size, partial_copy=0.5)
    plain, *both = (
        segments_of(filled, cut_documents(filled.documents, np.zeros(0), config)).to_pylist()
        for filled in (with_copies(rows, size - 1, 0.5) for rows in (sentences, with_each_alone(sentences)))
    )
    (rows,) = both
    later = iter(rows[len(plain) :])
    assert rows[: len(plain)] == plain
    for number, document in enumerate(documents):
        for place in range(1, len(document)):
            row = next(later)
            assert (row["document"], row["first"]) == (f"d{number}.{place + 1}", 0)
            for name in SIDES:
                ids = lists[name][number][place]
                assert sentences_in(row, name) == [ids[: math.ceil(len(ids) / 2)]] * (size - 1) + [ids]
    assert next(later, None) is None


def test_training_windows_are_filled_and_test_windows_are_not(tmp_path):
    windows = CutConfig(window=3)
    view = built(tmp_path, CutConfig(window=3, partial_copy=0.5), windows)
    train = read_arrow(view / "train.arrow", SEGMENTS).to_pylist()
    assert [len(row["source_lengths"]) for row in train] == [3] * 22
    plain = built(tmp_path / "plain", windows)
    for split in ("dev", "test"):
        tables = [read_arrow(folder / f"{split}.arrow", SEGMENTS) for folder in (view, plain)]
        assert tables[0].equals(tables[1])
    card = json.loads((view / "card.json").read_text())["splits"]["train"]
    assert (card["cut"], card["sentences"], card["sentences_in_segments"]) == ("window3.copy0.5", 22, 66)


def test_test_windows_are_filled_where_the_test_cut_says_so(tmp_path):
    filled = CutConfig(window=3, partial_copy=0.5)
    view = built(tmp_path, filled, filled)
    for split in ("train", "dev", "test"):
        sentences = [row for row in token_rows() if row["split"] == split]
        rows = read_arrow(view / f"{split}.arrow", SEGMENTS).to_pylist()
        assert [(row["document"], row["first"]) for row in rows] == [(s["document"], s["sentence"]) for s in sentences]
        assert {len(row["source_lengths"]) for row in rows} == {3}


def test_a_corpus_without_training_documents_has_no_windows_to_fill(tmp_path):
    rows = [row for row in token_rows() if row["split"] == "test"]
    view = built(tmp_path, CutConfig(window=3, partial_copy=0.5), CutConfig(window=3), rows=rows)
    assert len(read_arrow(view / "train.arrow", SEGMENTS)) == 0
