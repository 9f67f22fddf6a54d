"""Boundaries of documents that a file beside the text states."""

import pytest
from helpers.reader_files import documents_of, plain, refusal, write_files

LINES = {"kind": "lines", "splits": {"train": {"source": "a.zh", "target": "a.en"}}}
TEXT = {"a.zh": "一\n二\n三\n", "a.en": "one\ntwo\nthree\n"}
LENGTHS, NAMES, OFFSETS = (
    {**LINES, "documents": {kind: {"train": "a.doc"}}} for kind in ("lengths", "names", "offsets")
)


@pytest.mark.parametrize(
    ("reader", "beside", "names"),
    [(LENGTHS, "2\n1\n", ["train1", "train2"]), (NAMES, "x\nx\n y \n", ["x", "y"])],
    ids=["lengths", "names"],
)
def test_documents_are_cut_as_the_file_says(inputs, reader, beside, names):
    write_files(inputs.downloads, {**TEXT, "a.doc": beside})
    assert plain(documents_of(inputs, reader)) == [
        ("train", names[0], [("一", "one"), ("二", "two")]),
        ("train", names[1], [("三", "three")]),
    ]


@pytest.mark.parametrize(
    ("reader", "beside", "message"),
    [
        (LENGTHS, "2\nx\n", "a.doc:2: not a number of sentences\n  found 'x'; expected 1 or more"),
        (LENGTHS, "3\n0\n", "a.doc:2: not a number of sentences\n  found '0'"),
        (
            LENGTHS,
            "2\n2\n",
            "a.doc:2: the numbers of sentences do not fit the text\n"
            "  found 4 sentences in all documents; expected 3, the lines of a.zh",
        ),
        (LENGTHS, "1\n", "a.doc:1: the numbers of sentences do not fit the text\n  found 1 sentences in all documents"),
        (LENGTHS, "", "a.doc:0: the numbers of sentences do not fit the text\n  found 0 sentences"),
        (NAMES, "x\n\ny\n", "a.doc:2: no name of a document"),
        (NAMES, "x\nx\n", "a.doc:2: the two sides have different numbers of lines\n  found 2 lines; expected 3 lines"),
        (NAMES, "x\ny\nx\n", "a.zh:3: document given twice in train\n  found x"),
        (OFFSETS, "", "a.doc:1: text before the first offset\n  found no offset; expected 0"),
    ],
)
def test_a_file_that_does_not_fit(inputs, reader, beside, message):
    write_files(inputs.downloads, {**TEXT, "a.doc": beside})
    text = refusal(inputs, reader)
    assert text.startswith(message), text
