"""OPUS: zips in the layout that its pages describe."""

import pytest
from helpers.reader_files import documents_of, plain, refusal, write_files, zip_bytes

from docmt.corpus.inputs import MANY_SENTENCES

NAME = "News-Commentary.en-zh"
PATHS = {"source": f"{NAME}.zh", "target": f"{NAME}.en", "ids": f"{NAME}.ids"}
READER = {"kind": "opus", "archive": "en-zh.txt.zip", "splits": {"train": PATHS}}
IDS = ("en/2017/7/1.xml.gz\tzh/2017/7/2.xml.gz\t", "en/2017/7/1.xml.gz\tzh/2017/7/3.xml.gz\t", "en/a.xml\tzh/a.xml\t")
ZIP = {
    f"{NAME}.zh": "一\n二\n三\n四\n",
    f"{NAME}.en": "one\ntwo\nthree\nfour\n",
    f"{NAME}.ids": f"{IDS[0]}1\t1\n{IDS[0]}2 3\t2\n{IDS[1]}1\t1\n{IDS[2]}4\t9\n",
    "README": "from OPUS",
    "LICENSE": "its own",
}


def write_zip(inputs, **changes: str | None) -> None:
    members = {**ZIP, **{f"{NAME}.{end}": text for end, text in changes.items()}}
    write_files(inputs.downloads, {"en-zh.txt.zip": zip_bytes({k: v for k, v in members.items() if v is not None})})


def test_a_change_of_either_file_begins_a_document(inputs):
    """One film may have several subtitles in one of the languages."""
    write_zip(inputs)
    assert plain(documents_of(inputs, READER)) == [
        ("train", "2017/7/1 2017/7/2", [("一", "one"), ("二", "two")]),
        ("train", "2017/7/1 2017/7/3", [("三", "three")]),
        ("train", "a", [("四", "four")]),
    ]


def test_sentences_know_their_lines(inputs):
    write_zip(inputs)
    last = documents_of(inputs, READER)[-1]
    assert last.target.location(0) == f"en-zh.txt.zip/{NAME}.en:4"


def test_five_columns_and_sentences_without_a_counterpart(inputs):
    """As OpusTools writes the file."""
    ids = [f"{IDS[0]}1\t1\tNone", f"{IDS[0]}2\t", f"{IDS[0]}\t2\t0.5", f"{IDS[1]}\t3"]
    write_zip(inputs, zh="一\n二\n\n\n", en="one\n\ntwo\nthree\n", ids="\n".join([*ids, ""]))
    assert plain(documents_of(inputs, {**READER, "drop_empty": True})) == [
        ("train", "2017/7/1 2017/7/2", [("一", "one")])
    ]
    assert inputs.changed["pairs dropped: a side is empty"] == 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ids": None}, f"en-zh.txt.zip/{NAME}.ids: the archive has no .ids file, so that its documents are not known"),
        ({"ids": ZIP[f"{NAME}.ids"] + "x\n"}, f"en-zh.txt.zip/{NAME}.zh:4: the two sides have different numbers of"),
        ({"ids": f"{IDS[0]}1\t1\n" * 3 + "1 2\n"}, f"en-zh.txt.zip/{NAME}.ids:4: not a line of .ids\n  found '1 2'"),
        ({"en": "one\ntwo\n\nfour\n"}, f"en-zh.txt.zip/{NAME}.en:3: empty sentence"),
    ],
)
def test_what_is_no_zip_of_opus(inputs, changes, message):
    write_zip(inputs, **changes)
    assert refusal(inputs, READER).startswith(message)


def test_a_corpus_that_is_one_document_is_refused(inputs):
    """TED2013, for one."""
    number = MANY_SENTENCES + 1
    write_zip(inputs, zh="一\n" * number, en="one\n" * number, ids=f"{IDS[2]}1\t1\n" * number)
    message = f"en-zh.txt.zip/{NAME}.ids: the corpus is one document: OPUS has no boundaries of its documents\n"
    assert refusal(inputs, READER).startswith(f"{message}  found 1,001 pairs with the same files")
