"""Tables of strangers: without a header, with other endings, in archives, with rows that nothing names."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.reader_files import documents_of, plain, refusal, tar_bytes, write_files, zip_bytes

from docmt.corpus.inputs import MANY_SENTENCES

TWO = [("train", "train1", [("一", "one"), ("二", "two")]), ("train", "train2", [("三", "three")])]
NUMBERS = {"kind": "table", "header": False, "source": 2, "target": 1, "document": None}
TSV = "one\t一\ntwo\t二\n\t\nthree\t三\n"


@pytest.mark.parametrize(
    ("name", "content", "path"),
    [
        ("a.tsv", TSV, "a.tsv"),
        ("a.tsv", "\n" + TSV.replace("\t\n", "\n") + "\n", "a.tsv"),
        ("a.tgz", tar_bytes({"in/a.tsv": TSV}), "a.tgz/in/a.tsv"),
        ("a.zip", zip_bytes({"a.csv": 'one,一\n"two",二\n,\nthree,"三"\n'}), "a.zip/a.csv"),
    ],
    ids=["tabs", "rows without a tab", "tar", "zip"],
)
def test_rows_without_text_separate_documents(inputs, name, content, path):
    """As in the tables of News Commentary and Europarl."""
    write_files(inputs.downloads, {name: content})
    assert plain(documents_of(inputs, {**NUMBERS, "splits": {"train": path}})) == TWO


@pytest.mark.parametrize("name", ["pairs", "pairs.txt", "x.zip/pairs.dat", "pairs.en-zh.tsv.v2"])
def test_any_ending_with_a_format(inputs, name):
    archive, _, member = name.rpartition("/")
    write_files(inputs.downloads, {archive: zip_bytes({member: TSV})} if archive else {name: TSV})
    assert plain(documents_of(inputs, {**NUMBERS, "splits": {"train": name}, "format": "tsv"})) == TWO


def test_columns_by_number_below_a_header(inputs):
    write_files(inputs.downloads, {"a.csv": "name;x,English,Chinese\nd,one,一\nd,two,二\ne,three,三\n"})
    columns = {"source": 3, "target": 2, "document": 1}
    documents = plain(documents_of(inputs, {"kind": "table", "splits": {"train": "a.csv"}, **columns}))
    assert [name for _, name, _ in documents] == ["d", "e"] and documents[0][2] == TWO[0][2]


def test_cells_with_line_ends_and_quotes(inputs):
    write_files(inputs.downloads, {"a.csv": 'source,target,document\n一,"say ""one""\nnow",d\n'})
    reader = {"kind": "table", "splits": {"train": "a.csv"}, "control": "space"}
    assert plain(documents_of(inputs, reader)) == [("train", "d", [("一", 'say "one" now')])]


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_nested_columns_and_documents_over_several_files(inputs, form):
    """As data sets of the Hub have them."""
    shards = [[("a", "一", "one"), ("b", "二", "two")], [("b", "三", "three")]]
    for number, shard in enumerate(shards):
        rows = [{"id": name, "translation": {"zh": source, "en": target}} for name, source, target in shard]
        if form == "parquet":
            pq.write_table(pa.Table.from_pylist(rows), inputs.downloads / f"{number}.parquet")
        else:
            write_files(inputs.downloads, {f"{number}.jsonl": "".join(f"{json.dumps(row)}\n" for row in rows)})
    columns = {"source": "translation.zh", "target": "translation.en", "document": "id"}
    documents = documents_of(inputs, {"kind": "table", "splits": {"dev": [f"0.{form}", f"1.{form}"]}, **columns})
    assert plain(documents) == [("dev", "a", [("一", "one")]), ("dev", "b", [("二", "two"), ("三", "three")])]
    assert documents[0].source.location(0) == f"0.{form}:1"
    assert documents[1].source.location(1) == f"0.{form} and 1.{form}, sentence 2"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "one\n",
            "a.tsv:1: row has too few columns\n  found 1 columns; expected 2 or more",
        ),
        (
            "one\t一\n" * (MANY_SENTENCES + 1),
            "a.tsv: no row without text separates documents",
        ),
    ],
)
def test_what_is_refused(inputs, text, message):
    write_files(inputs.downloads, {"a.tsv": text})
    assert refusal(inputs, {**NUMBERS, "splits": {"train": "a.tsv"}}).startswith(message)


def test_an_empty_side_is_no_boundary(inputs):
    write_files(inputs.downloads, {"a.tsv": "source\ttarget\n一\tone\n\tlost\n"})
    reader = {"kind": "table", "splits": {"train": "a.tsv"}, "document": None}
    assert refusal(inputs, reader) == "a.tsv:3: empty sentence"


def test_true_is_no_text(inputs):
    write_files(inputs.downloads, {"a.jsonl": '{"source": true, "target": "a", "document": "b"}\n'})
    reader = {"kind": "table", "splits": {"train": "a.jsonl"}}
    assert refusal(inputs, reader).startswith("a.jsonl:1: not a text\n  found source: True")
