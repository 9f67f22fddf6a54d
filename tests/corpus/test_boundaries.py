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


TAGS = {**LINES, "documents": {"opus_tags": True}}
TAGGED = {
    "a.zh": "\n<fromDoc>zh/b/1.xml.gz</fromDoc>\n\n一\n\n三\n\n<fromDoc>zh/b/2.xml.gz</fromDoc>\n\n四\n",
    "a.en": "\n<toDoc>en/b/1.xml.gz</toDoc>\n\none\ntwo\nthree\n\n<toDoc>en/b/3.xml.gz</toDoc>\n\nfour\n",
}


def test_tags_of_opustools_name_the_documents(inputs):
    """A blank line of one side is a sentence without a counterpart."""
    write_files(inputs.downloads, TAGGED)
    documents = documents_of(inputs, {**TAGS, "drop_empty": True})
    assert plain(documents) == [
        ("train", "b/1", [("一", "one"), ("三", "three")]),
        ("train", "b/2 b/3", [("四", "four")]),
    ]
    assert documents[1].target.location(0) == "a.en:10"


@pytest.mark.parametrize(
    ("reader", "old", "new", "message"),
    [
        (LINES, "x", "x", "a.zh:2: stray marker in the text\n  found <fromDoc>\n  the form `lines` reads these tags"),
        (TAGS, "\n<toDoc>en/b/1.xml.gz</toDoc>", "\nzero", "a.zh:2: document boundary on one side only"),
        (TAGS, "b/2.xml.gz</fromDoc>", "b/2.xml.gz", "a.en:8: document boundary on one side only"),
    ],
)
def test_tags_that_are_refused(inputs, reader, old, new, message):
    texts = {name: text.replace(old, new).replace("\n\n三", "\nzwei\n三") for name, text in TAGGED.items()}
    write_files(inputs.downloads, texts)
    assert refusal(inputs, reader).startswith(message)
