"""The documents and items that each reader returns for files of its form."""

import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.reader_files import documents_of, items_of, plain, refusal, tar_bytes, write_files, zip_bytes

LINES = {"kind": "lines", "splits": {"train": {"source": "a.zh", "target": "a.en"}}}
TWO_DOCUMENTS = [
    ("train", "train1", [("你好。", "Hello."), ("再见。", "Bye.")]),
    ("train", "train2", [("好。", "Fine.")]),
]


# lines


@pytest.mark.parametrize(
    ("documents", "source", "target"),
    [
        ({"blank": True}, "\n你好。\n再见。\n \n好。\n\n", "\nHello.\nBye.\n\nFine.\n\n"),
        (
            {"marker": "<d>", "at": "start"},
            "<d>\r\n你好。\r\n再见。\r\n<d> 2\r\n好。",
            "<d>\nHello.\nBye.\n<d>\nFine.\n",
        ),
    ],
    ids=["blank at the ends", "line ends of Windows"],
)
def test_lines(inputs, documents, source, target):
    """Each layout as it is is in test_written.py."""
    write_files(inputs.downloads, {"a.zh": f"\ufeff{source}", "a.en": target})
    assert plain(documents_of(inputs, {**LINES, "documents": documents})) == TWO_DOCUMENTS
    assert not inputs.changed


# What all readers of files can be told


def test_pairs_with_an_empty_side_are_dropped(inputs):
    source, target = "<d>\n你好。\n\n<d>\n\n<d>\n好。\n", "<d>\nHello.\nBye.\n<d>\nWell.\n<d>\nFine.\n"
    write_files(inputs.downloads, {"a.zh": source, "a.en": target})
    documents = documents_of(inputs, {**LINES, "documents": {"marker": "<d>", "at": "start"}, "drop_empty": True})
    assert plain(documents) == [("train", "train1", [("你好。", "Hello.")]), ("train", "train3", [("好。", "Fine.")])]
    assert documents[1].target.location(0) == "a.en:7"
    assert inputs.changed == {"pairs dropped: a side is empty": 2, "documents dropped: nothing of them is left": 1}


def test_an_empty_reference_is_none(inputs):
    sides = {"source": "a.zh", "target": "a.en", "references": ["b.en"]}
    texts = {"a.zh": "一\n二\n\n", "a.en": "one\ntwo\nthree\n", "b.en": "\n2\n3\n", "o": "0\n"}
    write_files(inputs.downloads, texts)
    reader = {**LINES, "splits": {"dev": sides}, "documents": {"offsets": {"dev": "o"}}, "drop_empty": True}
    assert plain(documents_of(inputs, reader)) == [("dev", "dev1", [("一", "one", None), ("二", "two", "2")])]


def test_control_characters_become_spaces(inputs):
    write_files(inputs.downloads, {"a.zh": "一\t二\x85\n", "a.en": "one\u2028two\n"})
    assert plain(documents_of(inputs, {**LINES, "control": "space"})) == [("train", "train1", [("一 二", "one two")])]
    assert inputs.changed == {"control characters replaced by a space": 2}


def test_files_inside_archives_inside_archives(inputs):
    inner = tar_bytes({"x/a.zh": "一\n", "x/b.zh.gz": gzip.compress("二\n".encode())})
    outer = {"y/in.tgz": inner, "y/in.zip": zip_bytes({"a.en": "one\n", "b.en": "two\n"})}
    write_files(inputs.downloads, {"out.zip": zip_bytes(outer)})
    splits = {
        "train": {"source": "y/in.tgz/x/a.zh", "target": "y/in.zip/a.en"},
        "dev": {"source": "y/in.tgz/x/b.zh.gz", "target": "y/in.zip/b.en"},
    }
    documents = documents_of(inputs, {**LINES, "archive": "out.zip", "splits": splits})
    assert plain(documents) == [("train", "train1", [("一", "one")]), ("dev", "dev1", [("二", "two")])]


# files


def test_files(inputs):
    texts = {f"t/{n}.{language}": f"{language} {n}\n{language}\n" for n in (10, 9, 100) for language in ("zh", "en")}
    write_files(inputs.downloads, {**texts, "t/README": "", "t/deep/9.zh": ""})
    reader = {"kind": "files", "splits": {"train": {"source": "t/{document}.zh", "target": "t/{document}.en"}}}
    documents = documents_of(inputs, reader)
    assert [name for _, name, _ in plain(documents)] == ["9", "10", "100"]
    assert plain(documents)[0][2] == [("zh 9", "en 9"), ("zh", "en")]
    assert documents[2].target.location(1) == "t/100.en:2"


def test_files_whose_names_are_numbers(inputs):
    """TVsub has processed text beside the files of an episode, under names that end in the same way."""
    texts = {f"{n}.{language}": f"{language} {n}\n" for n in (7, 12) for language in ("zh", "en")}
    write_files(inputs.downloads, {**texts, "7.np.tk.qb.es.zh": "a\n", "7.qb.np.tk.lc.en": "b\n", "x.zh": "c\n"})
    reader = {"kind": "files", "splits": {"train": {"source": "{document}.zh", "target": "{document}.en"}}}
    documents = documents_of(inputs, {**reader, "numbered": True})
    assert [(name, pairs) for _, name, pairs in plain(documents)] == [
        ("7", [("zh 7", "en 7")]),
        ("12", [("zh 12", "en 12")]),
    ]
    assert "document without its counterpart" in refusal(inputs, reader)
    sides = {"source": "numbers/{document}.zh", "target": "numbers/{document}.en"}
    write_files(inputs.downloads, {"numbers/x.zh": "a\n", "numbers/x.en": "b\n"})
    named = {"kind": "files", "splits": {"train": sides}, "numbered": True}
    assert "numbers/{document}.zh: no file has such a path" in refusal(inputs, named)


def test_files_whose_folders_are_the_documents(inputs):
    texts = {f"talks/{name}/{side}.{name}": f"{side} {name}\n" for name in "ab" for side in ("de", "en")}
    write_files(inputs.downloads, {"t.zip": zip_bytes(texts)})
    sides = {"source": "talks/{document}/de.{document}", "target": "talks/{document}/en.{document}"}
    documents = documents_of(inputs, {"kind": "files", "archive": "t.zip", "splits": {"dev": sides}})
    assert plain(documents) == [("dev", "a", [("de a", "en a")]), ("dev", "b", [("de b", "en b")])]


# eos


def test_eos_with_another_separator(inputs):
    source, target = ([f"{text} ||| {text}。", text] for text in ("一", "one"))
    write_files(inputs.downloads, {"a.zh": "\n".join(source) + "\n", "a.en": "\n".join(target) + "\n"})
    reader = {"kind": "eos", "splits": LINES["splits"], "separator": "|||"}
    documents = documents_of(inputs, reader)
    assert plain(documents) == [
        ("train", "train1", [("一", "one"), ("一。", "one。")]),
        ("train", "train2", [("一", "one")]),
    ]
    assert documents[0].target.location(1) == "a.en:1"


# table

ROWS = [
    ("train", "a", "一", "one"),
    ("train", "a", "二", "two"),
    ("dev", "a", "三", "three"),
    ("train", "7", "四", "4"),
]


def table_file(inputs, form: str, names: list[str], rows: list[tuple]) -> str:
    records = [dict(zip(names, row, strict=True)) for row in rows]
    if form == "parquet":
        pq.write_table(pa.Table.from_pylist(records), inputs.downloads / "a.parquet")
        return "a.parquet"
    tsv = "".join("\t".join("" if value is None else value for value in row) + "\n" for row in [names, *rows])
    text = tsv if form.startswith("tsv") else "".join(json.dumps(record) + "\n" for record in records)
    name = f"a.{form}"
    write_files(inputs.downloads, {name: gzip.compress(text.encode()) if form.endswith(".gz") else text})
    return name


FORMS = ["tsv", "tsv.gz", "jsonl", "jsonl.gz", "parquet"]


@pytest.mark.parametrize("form", FORMS)
def test_table_with_a_column_of_splits(inputs, form):
    name = table_file(inputs, form, ["split", "document", "source", "target"], ROWS)
    documents = documents_of(inputs, {"kind": "table", "file": name, "split": "split"})
    assert plain(documents) == [
        ("train", "a", [("一", "one"), ("二", "two")]),
        ("dev", "a", [("三", "three")]),
        ("train", "7", [("四", "4")]),
    ]
    assert documents[1].source.location(0) == f"{name}:{4 if form.startswith('tsv') else 3}"


@pytest.mark.parametrize("form", FORMS)
def test_table_with_other_names_and_references(inputs, form):
    rows = [("x", "一", "one", "1", None), ("x", "二", "two", "", "2")]
    name = table_file(inputs, form, ["talk", "zh", "en", "en1", "en2"], rows)
    columns = {"document": "talk", "source": "zh", "target": "en", "references": ["en1", "en2"]}
    documents = documents_of(inputs, {"kind": "table", "splits": {"test": name}, **columns})
    assert plain(documents) == [("test", "x", [("一", "one", "1", None), ("二", "two", None, "2")])]


def test_table_with_line_ends_of_windows(inputs):
    write_files(inputs.downloads, {"a.tsv": "document\tsource\ttarget\r\nx\t一\tone\r\n"})
    documents = documents_of(inputs, {"kind": "table", "splits": {"dev": "a.tsv"}})
    assert plain(documents) == [("dev", "x", [("一", "one")])]


# verses

ZH = (
    "Gen.1.1\t起初。\nGen.1.2\t地。\nGen.1.3\ta\nGen.2.1\t天。&lt;X&gt;\nDan.1.1\t王。\nRuth.1.1\t-\nRuth.1.2\t饥荒。\n"
)
EN = "Gen.1.1\tIn the beginning.\nGen.1.2\tEarth, \nGen.1.3\tand light.\nGen.2.1\tHeaven.\nGen.3.1\tSerpent.\n"
EN += "Dan.1.1\tThe king.\nRuth.1.1\tJudges.\nRuth.1.2\tFamine.\n"


def test_continued_verses(inputs):
    """Their markup is removed; where the verse before was dropped, or is not of the chapter, they are dropped too."""
    lines = {
        "a.zh": ["Gen.1.1\t<r>", "Gen.1.2\t一", "Gen.1.3\t<r>", "Gen.2.1\t缺", "Gen.2.2\t<r>", "Gen.2.3\t三"],
        "a.en": ["Gen.1.1\tone", "Gen.1.2\ttwo", "Gen.1.3\t*three", "Gen.2.1\ta", "Gen.2.2\tb", "Gen.2.3\t*c"],
    }
    write_files(inputs.downloads, {name: "".join(f"{line}\n" for line in texts) for name, texts in lines.items()})
    reader = {"kind": "verses", "source": "a.zh", "target": "a.en", "dev": [], "test": []}
    documents = documents_of(inputs, {**reader, "continued": "<r>", "missing": "缺", "remove": ["*"]})
    assert plain(documents) == [
        ("train", "Gen.1", [("一", "two three")]),
        ("train", "Gen.2", [("三", "c")]),
    ]
    assert inputs.changed["pairs dropped: a verse is missing"] == 3


def test_verses(inputs):
    write_files(inputs.downloads, {"b.tar.gz": tar_bytes({"b/zh.tsv": ZH, "b/en.tsv": EN})})
    files = {"archive": "b.tar.gz", "source": "b/zh.tsv", "target": "b/en.tsv"}
    cleaning = {"continued": "a", "missing": "-", "remove": ["&lt;X&gt;"]}
    documents = documents_of(inputs, {"kind": "verses", **files, "dev": ["Dan"], "test": ["Ruth"], **cleaning})
    assert plain(documents) == [
        ("train", "Gen.1", [("起初。", "In the beginning."), ("地。", "Earth, and light.")]),
        ("train", "Gen.2", [("天。", "Heaven.")]),
        ("dev", "Dan.1", [("王。", "The king.")]),
        ("test", "Ruth.1", [("饥荒。", "Famine.")]),
    ]
    assert documents[2].target.location(0) == "b.tar.gz/b/en.tsv:6"
    assert {what: count for what, count in inputs.changed.items() if count} == {
        "verses in one language only": 1,
        "pairs joined to the pair before: a verse stands in the one before": 1,
        "pairs dropped: a verse is missing": 1,
        "&lt;X&gt; removed": 1,
    }


# iwslt_xml

DEV_ZH = """<?xml version="1.0" encoding="UTF-8"?>
<mteval>
<srcset setid="iwslt2015-dev2010" srclang="chinese">
<doc docid="69" genre="lectures">
<url>http://www.ted.com/talks/69</url>
<title>A talk &amp; more</title>
<seg id="1"> 你好 世界 </seg>
<seg id="2"> 好
。 </seg>
</doc>
<doc docid="7" genre="lectures">
<seg id="1">七</seg>
</doc>
</srcset>
</mteval>
"""
DEV_EN = DEV_ZH.replace("你好 世界", "Hello &lt;world&gt; &amp; all").replace("好\n。", "Well.").replace("七", "Seven")
XML = {"kind": "iwslt_xml", "files": "{set}.{language}.xml", "splits": {"dev": ["dev1"], "test": ["t2", "t1"]}}


def test_iwslt_xml(inputs):
    for set_ in ("dev1", "t1", "t2"):
        write_files(inputs.downloads, {f"{set_}.zh.xml": DEV_ZH, f"{set_}.en.xml": DEV_EN})
    documents = documents_of(inputs, XML)
    assert [(split, name) for split, name, _ in plain(documents)] == [
        ("dev", "dev1.69"),
        ("dev", "dev1.7"),
        ("test", "t2.69"),
        ("test", "t2.7"),
        ("test", "t1.69"),
        ("test", "t1.7"),
    ]
    assert plain(documents)[0][2] == [("你好 世界", "Hello <world> & all"), ("好 。", "Well.")]
    assert (documents[0].where, documents[0].target.location(1)) == ("dev1.zh.xml:4", "dev1.en.xml:8")


# iwslt_tags

HEAD = "<keywords>talks, {n}</keywords>\n<speaker>S</speaker>\n<talkid>{n}</talkid>\n<title>T {n}</title>\n"
HEAD += "<description>D</description>\n"
TAIL = '<reviewer href="http://r">R</reviewer>\n<translator href="http://t">T</translator>\n'


@pytest.mark.parametrize(
    "talk",
    [
        "<url>http://{n}</url>\n" + HEAD + "{text}\n" + TAIL,
        '<doc docid="{n}" genre="lectures">\n<url>http://{n}</url>\n' + HEAD + "{text}\n" + TAIL + "</doc>\n",
        "<title>T {n}</title>\n{text}\n<talkid>{n}</talkid>\n<keywords>k</keywords>\n",
    ],
    ids=["2015", "2017", "tags after the text"],
)
def test_iwslt_tags(inputs, talk):
    talks = {"zh": {"11": "一\n二", "5": "三"}, "en": {"11": "One, <i>two</i>\nand more", "5": " Three "}}
    for language, texts in talks.items():
        text = "".join(talk.format(n=n, text=text) for n, text in texts.items())
        write_files(inputs.downloads, {f"train.tags.zh-en.{language}": text})
    documents = documents_of(inputs, {"kind": "iwslt_tags", "splits": {"train": "train.tags.zh-en.{language}"}})
    assert plain(documents) == [
        ("train", "1.11", [("一", "One, <i>two</i>"), ("二", "and more")]),
        ("train", "2.5", [("三", "Three")]),
    ]


# nist_sgm

SOURCE = """<srcset setid="mt02" srclang="Chinese">
<DOC docid="A1" sysid="manual">
<hl>
<seg id=1> 标题 </seg>
</hl>
<p>
<seg id=2>一&amp;二</seg>
</p>
</DOC>
<DOC sysid='manual' docid='B2'>
<seg id="1">三</seg>
</DOC>
</srcset>
"""
REFERENCES = """<refset setid="mt02" srclang="Chinese" trglang="English">
<doc docid="A1" sysid="E01"><seg id="1">Title</seg><seg id="2">one &amp; two &apos;s</seg></doc>
<doc docid="B2" sysid="E01"><seg id="1">a <i>three</i> < 4</seg></doc>
<doc docid="A1" sysid="E02"><seg id="1">Heading</seg>
<seg id="2">1 &quot;2&quot;</seg></doc>
<doc docid="B2" sysid="E02"><seg id="1">third</seg></doc>
</refset>
"""
EXPECTED = [
    ("test", "A1", [("标题", "Title", "Heading", "H"), ("一&二", "one & two 's", '1 "2"', "1 2")]),
    ("test", "B2", [("三", "a <i>three</i> < 4", "third", "3rd")]),
]
THIRD = REFERENCES.replace("E01", "E03").split('<doc docid="A1" sysid="E02">')[0] + "</refset>"
THIRD = THIRD.replace("Title", "H").replace("one &amp; two &apos;s", "1 2").replace("a <i>three</i> < 4", "3rd")
SGM = {"kind": "nist_sgm", "splits": {"test": {"source": "s.sgm", "references": ["r.sgm", "r3.sgm"]}}}


def test_nist_sgm(inputs):
    write_files(inputs.downloads, {"s.sgm": SOURCE, "r.sgm": REFERENCES, "r3.sgm": THIRD})
    documents = documents_of(inputs, SGM)
    assert plain(documents) == EXPECTED
    assert (documents[0].where, documents[0].references[0].location(1)) == ("s.sgm:2", "r.sgm:5")


@pytest.mark.parametrize(
    "text",
    [
        "See ?x=1&copy=2&notes=3, R&D and &mdash; there.",
        "I <3 you: 5 < 6 > 4, a<b and c>d",
        "See <!-- gone --> here, and <![CDATA[x]]>.",
        "Take <title>, <textarea> or <script>, <p-adic> too.",
    ],
)
def test_nist_sgm_with_markup_that_nobody_has_escaped(inputs, text):
    files = {"s.sgm": SGM_OF.format("一"), "r.sgm": SGM_OF.format(f"{text} &amp;lt; &quot;&#39;&apos;")}
    write_files(inputs.downloads, files)
    reader = {"kind": "nist_sgm", "splits": {"test": {"source": "s.sgm", "references": ["r.sgm"]}}}
    pairs = [("一", f"{text} &lt; \"''"), ("two", "two"), ("three", "three")]
    assert plain(documents_of(inputs, reader)) == [("test", "A&B", pairs)]


SGM_OF = """<!-- <DOC docid="0"><seg id="1">a draft</seg></DOC> -->
<DOC DocId='A&amp;B' sysid=x>
<P>
<seg id="1">{0}</seg><seg id="2">two</seg>
</P>
<p><SEG ID=1>three</SEG></p>
</DOC>
"""
"""Segments are numbered in each paragraph."""


def test_nist_sgm_whose_source_is_plain_text(inputs):
    write_files(inputs.downloads, {"s.txt": "标题\n一&二\n三\n", "r.sgm": REFERENCES})
    files = {"source": "s.txt", "source_form": "lines", "references": ["r.sgm"]}
    documents = documents_of(inputs, {"kind": "nist_sgm", "splits": {"test": files}})
    assert [(name, [pair[:2] for pair in pairs]) for _, name, pairs in plain(documents)] == [
        ("A1", [("标题", "Title"), ("一&二", "one & two 's")]),
        ("B2", [("三", "a <i>three</i> < 4")]),
    ]
    assert documents[1].source.location(0) == "s.txt:3"


# voita

INSTANCE = {
    "src": "It 's here . _eos Where _eos Here .",
    "dst": ["Тут . _eos Где _eos Здесь .", "Тут . _eos Где _eos Там .", "Тут . _eos Где _eos Вот ."],
    "true_ind": 1,
    "ctx_dist": 2,
}
VOITA = {"kind": "voita", "sets": {"deixis_dev": "d.json"}}


@pytest.mark.parametrize(
    ("variants", "right", "expected", "correct", "changed"),
    [
        ("abb", 0, "ab", 0, {"variants dropped: given twice": 1}),
        ("abac", 2, "abc", 0, {"variants dropped: equal to the right one": 1}),
        ("aaaa", 0, "aa", 0, {"variants dropped: equal to the right one": 2}),
        ("bbac", 2, "bac", 1, {"variants dropped: given twice": 1}),
        ("aabbba", 5, "ab", 0, {"variants dropped: given twice": 2, "variants dropped: equal to the right one": 2}),
    ],
)
def test_voita_translations_that_are_there_twice(inputs, variants, right, expected, correct, changed):
    instance = {**INSTANCE, "src": "x _eos y", "dst": [f"c _eos {text}" for text in variants], "true_ind": right}
    write_files(inputs.downloads, {"d.json": json.dumps([instance])})
    (item,) = items_of(inputs, VOITA)
    assert (item.variants, item.correct) == (tuple(expected), correct)
    assert {what: count for what, count in inputs.changed.items() if count} == changed


# combined


def test_combined(inputs):
    write_files(inputs.downloads, {"a.zh": "一\n", "a.en": "one\n", "b.zh": "二\n", "b.en": "two\n"})
    write_files(inputs.downloads, {"d.json": json.dumps([INSTANCE])})
    other = {**LINES, "splits": {"train": {"source": "b.zh", "target": "b.en"}}, "prefix": "b."}
    reader = {"kind": "combined", "parts": [LINES, {"kind": "combined", "parts": [other, VOITA]}]}
    assert plain(documents_of(inputs, reader)) == [
        ("train", "train1", [("一", "one")]),
        ("train", "b.train1", [("二", "two")]),
    ]
    assert [item.set for item in items_of(inputs, reader)] == ["deixis_dev"]
