"""Malformed corpora: each gives its message, with file and line."""

import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.reader_files import refusal, tar_bytes, write_files, zip_bytes

PAIR = {"source": "a.zh", "target": "a.en"}
LINES = {"kind": "lines", "splits": {"train": PAIR}}
OPENS = {**LINES, "documents": {"marker": "<d>", "at": "start"}}
CLOSES = {**LINES, "documents": {"marker": "<d>", "at": "end"}}
OFFSETS = {**LINES, "documents": {"offsets": {"train": "a.doc"}}}


@pytest.mark.parametrize(
    ("reader", "source", "target", "message"),
    [
        (
            LINES,
            "一\n二\n三\n",
            "one\n",
            "a.en:1: the two sides have different numbers of lines\n  found 1 lines; expected 3 lines, as in a.zh",
        ),
        (
            {**LINES, "splits": {"dev": {**PAIR, "references": ["a.zh", "b.en"]}}},
            "一\n二\n",
            "one\ntwo\n",
            "b.en:0: the two sides have different numbers of lines\n  found 0 lines; expected 2 lines, as in a.zh",
        ),
        (LINES, "一\n\n三\n", "one\ntwo\nthree\n", "a.zh:2: document boundary on one side only"),
        (OPENS, "<d>\n一\n二\n", "<d>\none\n<d>\n", "a.en:3: document boundary on one side only"),
        (LINES, "一\n\n\n二\n", "one\n\n\ntwo\n", "a.zh:3: empty document"),
        (OPENS, "<d>\n<d>\n一\n", "<d>\n<d>\none\n", "a.zh:2: empty document"),
        (CLOSES, "<d>\n一\n<d>\n", "<d>\none\n<d>\n", "a.zh:1: empty document"),
        (OPENS, "一\n<d>\n二\n", "one\n<d>\ntwo\n", "a.zh:1: text before the first marker"),
        (CLOSES, "一\n<d>\n二\n三\n", "one\n<d>\ntwo\nthree\n", "a.zh:3: text after the last marker"),
        (OPENS, "<d>\n一\n\n", "<d>\none\ntwo\n", "a.zh:3: empty sentence"),
        (LINES, "一\n<d>\n", "one\n<d>\n", "a.zh:2: stray marker in the text\n  found <d>"),
        (LINES, "一\n二\n", "one\ntwo _eos three\n", "a.en:2: stray marker in the text\n  found _eos"),
        (LINES, "一\n二\n", "one\nt\u2028wo\n", "a.en:2: control character in the text\n  found U+2028"),
        (
            LINES,
            "一\n二\n".encode() + b"caf\xe9\n",
            "1\n2\n3\n",
            "a.zh:3: not valid UTF-8\n  found byte 0xe9 at column 4",
        ),
    ],
)
def test_lines(inputs, reader, source, target, message):
    write_files(inputs.downloads, {"a.zh": source, "a.en": target, "b.en": ""})
    assert refusal(inputs, reader) == message


@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        ("0\nfirst\n", "a.doc:2: not a line number\n  found 'first'; expected 0 or more"),
        ("0\n2\n2\n", "a.doc:3: offsets do not rise\n  found 2; expected above 2"),
        ("1\n2\n", "a.doc:1: text before the first offset\n  found 1; expected 0"),
        ("0\n1\n3\n", "a.doc:3: offset after the last line\n  found 3; expected below 3"),
    ],
)
def test_offsets(inputs, offsets, message):
    write_files(inputs.downloads, {"a.zh": "一\n二\n三\n", "a.en": "one\ntwo\nthree\n", "a.doc": offsets})
    assert refusal(inputs, OFFSETS) == message


GZIPPED = gzip.compress("一\n二\n".encode())


@pytest.mark.parametrize(
    ("files", "reader", "message"),
    [
        ({}, LINES, "a.zh: file not found"),
        ({"a.tgz": tar_bytes({"a.zh": "一\n"})}, {**LINES, "archive": "a.tgz"}, "a.tgz/a.en: file not found"),
        (
            {"a.gz": GZIPPED[:-9], "a.en": "one\n"},
            {**LINES, "splits": {"train": {"source": "a.gz", "target": "a.en"}}},
            "a.gz: compressed file is damaged or truncated\n"
            "  found Compressed file ended before the end-of-stream marker was reached",
        ),
        (
            {"a.zip": zip_bytes({"in.tgz": "<html>"})},
            {**LINES, "archive": "a.zip", "splits": {"train": {"source": "in.tgz/a.zh", "target": "a.en"}}},
            "in.tgz: archive is damaged or truncated\n  found ",
        ),
    ],
)
def test_files_that_are_missing_or_damaged(inputs, files, reader, message):
    write_files(inputs.downloads, files)
    assert refusal(inputs, reader).startswith(message)


FILES = {"kind": "files", "splits": {"train": {"source": "{document}.zh", "target": "{document}.en"}}}


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"1.zh": "一\n", "1.en": "1\n", "2.zh": "二\n"}, "2.zh: document without its counterpart\n  expected 2.en"),
        ({"1.zh": "一\n", "1.en": "1\n", "2.en": "2\n"}, "2.en: document without its counterpart\n  expected 2.zh"),
        ({"1.zh": "", "1.en": ""}, "1.zh:1: empty document"),
        ({"1.zh": "一\n"}, "{document}.en: no file has such a path"),
    ],
)
def test_files(inputs, files, message):
    write_files(inputs.downloads, files)
    assert refusal(inputs, FILES).startswith(message)


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        (
            "一\n一 _eos 二\n",
            "one\ntwo\n",
            "a.zh:2: source and target differ in length\n  found 2 source and 1 target sentences",
        ),
        ("一 _eos _eos 三\n", "1 _eos 2 _eos 3\n", "a.zh:1: empty sentence"),
        ("一\n\n", "1\n\n", "a.zh:2: empty sentence"),
        ("一_eos\n", "1\n", "a.zh:1: stray marker in the text\n  found _eos"),
    ],
)
def test_eos(inputs, source, target, message):
    write_files(inputs.downloads, {"a.zh": source, "a.en": target})
    assert refusal(inputs, {"kind": "eos", "splits": {"train": PAIR}}).startswith(message)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "a.tsv",
            "source\ttarget\n一\tone\n",
            "a.tsv:1: columns are missing\n  found source, target; expected document",
        ),
        (
            "a.tsv",
            "document\tsource\ttarget\nx\t一\tone\nx\t二\n",
            "a.tsv:3: row has more or fewer columns than the header\n  found 2 columns; expected 3 columns",
        ),
        (
            "a.tsv",
            "document\tsource\ttarget\nx\t一\t1\ny\t二\t2\nx\t三\t3\n",
            "a.tsv:4: document given twice in train\n  found x",
        ),
        (
            "a.jsonl",
            '{"source": "一", "target": "one", "document": "x"}\n{"source": "二", \n',
            "a.jsonl:2: not JSON\n  found Expecting property name enclosed in double quotes, column 17",
        ),
        ("a.jsonl", "[1]\n", "a.jsonl:1: not a JSON object\n  found list"),
        ("a.jsonl", '{"source": "一", "document": "x"}\n', "a.jsonl:1: not a text\n  found target: None"),
        ("a.parquet", "PAR", "a.parquet: not a Parquet file\n  found "),
    ],
)
def test_table(inputs, name, text, message):
    write_files(inputs.downloads, {name: text})
    assert refusal(inputs, {"kind": "table", "splits": {"train": name}}).startswith(message)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [{"source": "一", "target": "one"}],
            "a.parquet:1: columns are missing\n  found source, target; expected docu",
        ),
        (
            [{"source": "一", "target": "1", "document": "x"}, {"source": "二", "target": None, "document": "x"}],
            "a.parquet:2: not a text\n  found target: None",
        ),
        ([{"source": "一", "target": "1", "document": 1.5}], "a.parquet:1: not a text\n  found document: 1.5"),
    ],
)
def test_parquet_table(inputs, rows, message):
    pq.write_table(pa.Table.from_pylist(rows), inputs.downloads / "a.parquet")
    assert refusal(inputs, {"kind": "table", "splits": {"train": "a.parquet"}}).startswith(message)


def test_table_with_an_unknown_split(inputs):
    write_files(inputs.downloads, {"a.tsv": "part\tdocument\tsource\ttarget\nvalid\tx\t一\tone\n"})
    message = "a.tsv:2: unknown split\n  found valid; expected train, dev, test"
    assert refusal(inputs, {"kind": "table", "file": "a.tsv", "split": "part"}) == message


VERSES = {"kind": "verses", "source": "a.zh", "target": "a.en", "dev": ["Dan"], "test": ["Ruth"]}
ZH = "Gen.1.1\t起初。\nDan.1.1\t王。\nRuth.1.1\t饥荒。\n"
EN = "Gen.1.1\tIn the beginning.\nDan.1.1\tThe king.\nRuth.1.1\tFamine.\nGen.9.1\tMore.\n"


@pytest.mark.parametrize(
    ("zh", "changes", "message"),
    [
        (ZH + "Gen 9\n", {}, "a.zh:4: not a verse\n  found 'Gen 9'; expected Book.Chapter.Verse<TAB>text"),
        (ZH + "Gen.1.1\t再。\n", {}, "a.zh:4: verse given twice\n  found Gen.1.1"),
        (ZH, {"dev": ["Gan"]}, "a.en: book of dev or test is not in the corpus\n  found Gan\n  did you mean 'Gen'?"),
    ],
)
def test_verses(inputs, zh, changes, message):
    write_files(inputs.downloads, {"a.zh": zh, "a.en": EN})
    assert refusal(inputs, {**VERSES, **changes}) == message


XML = {"kind": "iwslt_xml", "files": "t.{set}.{language}.xml", "splits": {"test": ["x"]}}
TALKS = """<?xml version="1.0" encoding="UTF-8"?>
<mteval><srcset>
<doc docid="1">
<seg id="1">one</seg>
<seg id="2">two</seg>
</doc>
<doc docid="2">
<seg id="1">three</seg>
</doc>
</srcset></mteval>
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("two", "t&wo", "t.x.en.xml:5: not an XML file\n  found not well-formed (invalid token)"),
        ('"2">two', '"3">two', "t.x.en.xml:5: segments are not numbered 1, 2, 3 ...\n  found seg id 3; expected 2"),
        ('docid="2"', 'docid="1"', "t.x.en.xml:7: document given twice\n  found docid 1"),
        ('docid="2"', 'talk="2"', "t.x.en.xml:7: document without a docid"),
        (
            'docid="2"',
            'docid="3"',
            "t.x.zh.xml:7: the two languages have different documents\n  found 2 in one; expected 3 in the other",
        ),
        (
            '<doc docid="2">\n<seg id="1">three</seg>\n</doc>\n',
            "",
            "t.x.zh.xml:7: the two languages have different documents\n  found 2 in one; expected no more in the other",
        ),
        ("</doc>\n</srcset>", '</doc>\n<seg id="1">x</seg></srcset>', "t.x.en.xml:10: segment outside of a document"),
    ],
)
def test_iwslt_xml(inputs, old, new, message):
    write_files(inputs.downloads, {"t.x.zh.xml": TALKS, "t.x.en.xml": TALKS.replace(old, new)})
    assert refusal(inputs, XML) == message


def test_iwslt_xml_without_a_set(inputs):
    assert refusal(inputs, XML) == "t.x.zh.xml: file not found\n  check the path"


TAGGED = "<url>u</url>\n<talkid>7</talkid>\none\ntwo\n<url>u</url>\n<talkid>8</talkid>\nthree\n"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<url>u</url>\n<talkid>7", "zero\n<url>u</url>\n<talkid>7", "t.en:1: text before the first talk"),
        ("8", "9", "t.zh:5: the two languages have different documents\n  found 2.8 in one; expected 2.9 in the other"),
    ],
)
def test_iwslt_tags(inputs, old, new, message):
    write_files(inputs.downloads, {"t.zh": TAGGED, "t.en": TAGGED.replace(old, new, 1)})
    assert refusal(inputs, {"kind": "iwslt_tags", "splits": {"train": "t.{language}"}}) == message


SGM = """<refset>
<DOC docid="1" sysid="A">
<seg id=1>one</seg>
<seg id=2>two</seg>
</DOC>
<DOC docid="2" sysid="A">
<seg id=1>three</seg>
</DOC>
</refset>
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("two</seg>", "two", "r.sgm:4: segment is not closed"),
        ("two</seg>\n</DOC>\n", "two</seg>\n", "r.sgm:2: document is not closed\n  found docid 1"),
        ("<seg id=2>", "<seg>", "r.sgm:4: segments are not numbered 1, 2, 3 ...\n  found seg id None; expected 2"),
        ('docid="2"', 'docid="1"', "r.sgm:6: document given twice\n  found docid 1"),
        ('docid="2"', "", "r.sgm:6: document without a docid"),
        ('docid="2"', 'docid="3"', "r.sgm:6: document without a source\n  found docid 3"),
        (SGM[SGM.index('<DOC docid="2"') :], "</refset>", "s.sgm:6: document without a reference\n  found docid 2"),
    ],
)
def test_nist_sgm(inputs, old, new, message):
    assert old in SGM
    write_files(inputs.downloads, {"s.sgm": SGM, "r.sgm": SGM.replace(old, new, 1)})
    files = {"source": "s.sgm", "references": ["r.sgm"]}
    assert refusal(inputs, {"kind": "nist_sgm", "splits": {"test": files}}) == message


def test_nist_sgm_whose_source_has_other_lines(inputs):
    write_files(inputs.downloads, {"s.txt": "一\n" * 2, "r.sgm": SGM})
    files = {"source": "s.txt", "source_form": "lines", "references": ["r.sgm"]}
    message = "s.txt:2: number of lines differs from the segments of the references"
    facts = "found 2 lines; expected 3 lines"
    assert refusal(inputs, {"kind": "nist_sgm", "splits": {"test": files}}) == f"{message}\n  {facts}"


INSTANCE = {"src": "Where _eos Here .", "dst": ["Где _eos Тут .", "Где _eos Там ."], "true_ind": 0, "ctx_dist": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[\n{"src": 1,,\n', "d.json:2: not JSON\n  found Expecting property name enclosed in double quotes"),
        ("{}", "d.json: not a contrastive set\n  found dict; expected a list of items"),
        ('["a"]', "d.json, instance 1: not a contrastive item\n  found str; expected 'src', a str"),
        (
            [INSTANCE, {"src": "a"}],
            "d.json, instance 2: not a contrastive item\n  found src; expected 'dst', a list",
        ),
        (
            [{**INSTANCE, "true_ind": 2}],
            "d.json, instance 1: not a contrastive item\n  found 2 translations, true_ind 2; expected 2 or more",
        ),
        (
            [{**INSTANCE, "dst": ["Где _eos Тут .", "А _eos Там ."]}],
            "d.json, instance 1: translations differ before the last sentence",
        ),
        (
            [{**INSTANCE, "src": "Here ."}],
            "d.json, instance 1: translation has a different number of sentences than the source\n"
            "  found 1 source and 2 target",
        ),
    ],
)
def test_voita(inputs, text, message):
    write_files(inputs.downloads, {"d.json": text if isinstance(text, str) else json.dumps(text)})
    assert refusal(inputs, {"kind": "voita", "sets": {"deixis": "d.json"}}).startswith(message)


def test_combined_parts_whose_documents_have_the_same_names(inputs):
    write_files(inputs.downloads, {"a.zh": "一\n", "a.en": "one\n"})
    message = "a.zh:1: document given twice in train\n  found train1"
    assert refusal(inputs, {"kind": "combined", "parts": [LINES, LINES]}) == message
