"""Tables of strangers: without a header, with other endings, in archives, with rows that nothing names."""

import csv
import json
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.feather
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


CELLS = [
    ("d", "Er sagte: „Nein“.", 'He said "no".'),
    ("d", "Gut.", "Fine."),
    ("e", '"Halt", rief sie.', '"Stop", she called.'),
    ("f", "Drei.", "Tab\there."),
]


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@pytest.mark.parametrize(("name", "delimiter"), [("t.tsv", "\t"), ("t.csv", ",")])
def test_cells_that_pandas_puts_in_quotes(inputs, name, delimiter, quoting):
    table = pd.DataFrame(CELLS, columns=["document", "source", "target"])
    write_files(inputs.downloads, {name: table.to_csv(sep=delimiter, index=False, quoting=quoting)})
    reader = {"kind": "table", "splits": {"train": name}, "control": "space"}
    read = [(document, *pair) for _, document, pairs in plain(documents_of(inputs, reader)) for pair in pairs]
    assert read == [(document, source, target.replace("\t", " ")) for document, source, target in CELLS]


@pytest.mark.parametrize("cells", ['"Yes," he said.', '"Yes."', 'a ""b"" c', '"" and "x', '"a" "b""'])
def test_quotes_of_the_text_itself_stay(inputs, cells):
    """Nothing in the file shows that they are those of csv."""
    text = f"document\tsource\ttarget\nd\t{cells}\t{cells}\n"
    write_files(inputs.downloads, {"t.tsv": text})
    reader = {"kind": "table", "splits": {"train": "t.tsv"}}
    assert plain(documents_of(inputs, reader)) == [("train", "d", [(cells, cells)])]


def test_one_cell_that_breaks_the_rules_shows_that_quotes_are_of_the_text(inputs):
    write_files(inputs.downloads, {"t.tsv": 'document\tsource\ttarget\nd\t"a ""b"""\t1\nd\t"c" d\t2\n'})
    reader = {"kind": "table", "splits": {"train": "t.tsv"}}
    assert plain(documents_of(inputs, reader)) == [("train", "d", [('"a ""b"""', "1"), ('"c" d', "2")])]
    assert plain(documents_of(inputs, {**reader, "quotes": True})) == [("train", "d", [('a "b"', "1"), ("c d", "2")])]


@pytest.mark.parametrize("name", ["t.tsv", "t.csv"])
def test_two_columns_of_one_name_are_refused(inputs, name):
    text = "\ufeffdocument\tsource\ttarget\ttarget\na\tEins.\tBAD\tOne.\n"
    write_files(inputs.downloads, {name: text.replace("\t", "," if name == "t.csv" else "\t")})
    message = f"{name}:1: several columns have one name\n  found target; expected each name once\n  name the column by"
    assert refusal(inputs, {"kind": "table", "splits": {"train": name}}).startswith(message)
    numbers = {"document": 1, "source": 2, "target": 4}
    assert plain(documents_of(inputs, {"kind": "table", "splits": {"train": name}, **numbers}))[0][2] == [
        ("Eins.", "One.")
    ]


RECORDS = [
    {"id": "a", "translation": {"zh": ["一", "二"], "en": ["one", "two"]}},
    {"id": "a", "translation": {"zh": ["三"], "en": ["three"]}},
]
WHOLE = {"kind": "table", "source": "translation.zh", "target": "translation.en", "document": None}


@pytest.mark.parametrize("name", ["d.json", "d.jsonl", "lines.json", "d.parquet", "d.arrow"])
def test_a_row_with_a_list_of_sentences_is_a_document(inputs, name):
    if name in ("d.parquet", "d.arrow"):
        table = pa.Table.from_pylist(RECORDS)
        write = pq.write_table if name == "d.parquet" else pa.feather.write_feather
        write(table, inputs.downloads / name)
    else:
        lines = "".join(f"{json.dumps(record)}\n" for record in RECORDS) + "\n"
        write_files(inputs.downloads, {name: json.dumps(RECORDS, indent=1) if name == "d.json" else lines})
    reader = {**WHOLE, "splits": {"train": name}}
    assert plain(documents_of(inputs, reader)) == TWO
    message = "document given twice in train\n  found a"
    assert refusal(inputs, {**reader, "document": "id"}).endswith(message)


def test_a_list_may_be_one_line_of_any_length(inputs, monkeypatch):
    monkeypatch.setattr("docmt.base.untrusted.LONGEST_LINE", 40)
    write_files(inputs.downloads, {"d.json": json.dumps(RECORDS)})
    assert plain(documents_of(inputs, {**WHOLE, "splits": {"train": "d.json"}})) == TWO


def test_a_list_of_pairs(inputs):
    records = [{"name": "x", "pairs": [{"s": "一", "t": "one"}, {"s": "二", "t": "two"}]}]
    write_files(inputs.downloads, {"d.json": json.dumps(records)})
    columns = {"source": "pairs.s", "target": "pairs.t", "document": "name"}
    documents = documents_of(inputs, {"kind": "table", "splits": {"train": "d.json"}, **columns})
    assert plain(documents) == [("train", "x", [("一", "one"), ("二", "two")])]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"source": ["a"], "target": []}]', "d.json:1: lists of sentences differ in length\n  found 1, 0"),
        ('[{"source": [], "target": []}]', "d.json:1: empty document"),
        ('[{"source": "a"}, {"source"', "d.json:2: not JSON\n  found Expecting ':' delimiter"),
        ('[{"source": "a", "target": "b"}', "d.json:2: not JSON\n  found Expecting value"),
        ("[1]", "d.json:1: not a JSON object\n  found int"),
    ],
)
def test_lists_that_are_refused(inputs, text, message):
    write_files(inputs.downloads, {"d.json": text})
    reader = {"kind": "table", "splits": {"train": "d.json"}, "document": None}
    assert refusal(inputs, {**reader, "target": "source" if '"a"}' in text else "target"}).startswith(message)


def test_a_long_list_is_read_in_parts(inputs, monkeypatch):
    monkeypatch.setattr("docmt.corpus.json_items.CHUNK", 7)
    records = [{"source": f"{n}，", "target": "]}[{", "document": "d"} for n in range(50)]
    write_files(inputs.downloads, {"d.json": json.dumps(records, ensure_ascii=False)})
    (document,) = documents_of(inputs, {"kind": "table", "splits": {"train": "d.json"}})
    assert list(document.source.sentences) == [record["source"] for record in records]


def write_data_set(folder: Path, **state: object) -> None:
    """As `save_to_disk` of Hugging Face datasets writes it: Arrow streams, whose order `state.json` has."""
    folder.mkdir(parents=True)
    for number, rows in enumerate((RECORDS[:1], RECORDS[1:])):
        with pa.ipc.new_stream(folder / f"data-{number}.arrow", pa.Table.from_pylist(rows).schema) as writer:
            writer.write_table(pa.Table.from_pylist(rows))
    files = [{"filename": f"data-{number}.arrow"} for number in range(2)]
    (folder / "state.json").write_text(json.dumps({"_data_files": files, **state}))


def test_a_data_set_that_hugging_face_datasets_has_saved(inputs):
    write_data_set(inputs.downloads / "saved/train")
    reader = {**WHOLE, "splits": {"train": "saved/train"}, "format": "arrow"}
    assert plain(documents_of(inputs, reader)) == TWO


@pytest.mark.parametrize(
    ("state", "path", "message"),
    [
        ({"_indices_data_files": [{}]}, "s/train", "s/train/state.json: the data set selects some rows of its files"),
        ({"_data_files": [{"filename": "../x"}]}, "s/train", "s/train/state.json: the name of a file leads out of its"),
        ({}, "s", "s: the data set has several splits, and one is needed\n  name the folder of a split, s/train"),
        ({}, "e", "e: not a data set\n  expected a folder with state.json"),
        ({}, "x.arrow", "x.arrow: not an Arrow file"),
    ],
)
def test_data_sets_that_are_refused(inputs, state, path, message):
    write_data_set(inputs.downloads / "s/train", **state)
    write_files(inputs.downloads, {"s/dataset_dict.json": '{"splits": ["train"]}', "e/x": "", "x.arrow": "no"})
    assert refusal(inputs, {**WHOLE, "splits": {"train": path}, "format": "arrow"}).startswith(message)


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
