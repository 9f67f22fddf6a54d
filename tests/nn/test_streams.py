import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.base.vocabulary import BOS, EOS, SEP
from docmt.nn.frames import frame_batch
from docmt.nn.rows import Rows

SOURCE = [[[10, 11], [12]], [[13]], [[14], [], [15, 16]]]
TARGET = [[[20], [21, 22]], [[]], [[23, 24], [25], [26]]]

sentences = st.lists(st.integers(7, 30), max_size=4)
pairs = st.lists(st.tuples(sentences, sentences), min_size=1, max_size=4)
documents = st.lists(pairs, min_size=1, max_size=4)


def framed_by_loops(source, target, frame):
    """The table in `docmt.nn.streams`, a sentence at a time: runs of source, decoder input and decoder output."""
    runs = ([], [], [])
    for source_sentences, target_sentences in zip(source, target, strict=True):
        for number, (words, translation) in enumerate(zip(source_sentences, target_sentences, strict=True)):
            first, last = number == 0, number == len(source_sentences) - 1
            if frame == "wrapped":
                framed = [BOS, *words, EOS], [BOS, *translation], [*translation, EOS]
            else:
                before, after = [] if first else [SEP], [EOS] if last else []
                opening, closing = BOS if first else SEP, EOS if last else SEP
                framed = [*before, *words, *after], [opening, *translation], [*translation, closing]
            for side, run in zip(runs, framed, strict=True):
                side.append(run)
    return runs


def cut(tokens, lengths):
    return [part.tolist() for part in tokens.split(lengths)]


@pytest.mark.parametrize("frame", ["wrapped", "joined"])
@given(documents=documents)
def test_frames_are_what_loops_make(frame, documents):
    source = [[words for words, _ in document] for document in documents]
    target = [[translation for _, translation in document] for document in documents]
    batch = frame_batch(Rows.from_lists(source, target), frame)
    source_runs, target_runs, output_runs = framed_by_loops(source, target, frame)
    assert cut(batch.source.tokens, batch.source.sentences.lengths) == source_runs
    assert cut(batch.target_in.tokens, batch.target_in.sentences.lengths) == target_runs
    assert cut(batch.target_out, batch.target_in.sentences.lengths) == output_runs
    counts = [len(document) for document in documents]
    for stream in (batch.source, batch.target_in):
        bounds = np.cumsum([0, *counts])
        lengths = stream.sentences.lengths
        assert stream.instances.lengths == tuple(sum(lengths[a:b]) for a, b in itertools.pairwise(bounds))
    assert batch.target_in.layout.sentences_per_instance().tolist() == counts


def table():
    columns = {}
    for side, instances in (("source", SOURCE), ("target", TARGET)):
        columns[f"{side}_ids"] = [[word for words in sentences for word in words] for sentences in instances]
        columns[f"{side}_lengths"] = [[len(words) for words in sentences] for sentences in instances]
    return pa.table({name: pa.array(lists, pa.list_(pa.int32())) for name, lists in columns.items()})


def lists(rows):
    return rows.to_lists("source"), rows.to_lists("target")


def test_rows_come_from_tables_and_are_taken_in_any_order():
    rows = Rows.from_table(table())
    assert lists(rows) == lists(Rows.from_lists(SOURCE, TARGET)) == (SOURCE, TARGET)
    assert lists(rows.take([2, 0, 2])) == tuple([side[i] for i in (2, 0, 2)] for side in (SOURCE, TARGET))
    assert len(rows.take([])) == 0
    assert rows.source_words.tolist() == [3, 1, 3]
    assert rows.target_words.tolist() == [3, 0, 4]
