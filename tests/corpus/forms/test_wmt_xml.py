"""XML of WMT: by a user's settings, and as sacreBLEU takes its references."""

import pytest
from helpers.reader_files import documents_of, plain, refusal, tar_bytes, write_files

from docmt.corpus.inputs import ReaderInputs

XML = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="newstest2026">
<collection id="general">
<doc origlang="zh" id="a" domain="news">
<src lang="zh"><p><seg id="1">一 &amp; 二</seg>
<seg id="2">二</seg></p><p><seg id="1">三</seg></p></src>
<ref lang="en" translator="B"><p><seg id="1">one &lt;b&gt;</seg><seg id="2">two</seg></p>
<p><seg id="1">three
lines</seg></p></ref>
<ref lang="en" translator="A"><p><seg id="1">1</seg><seg id="2"></seg></p></ref>
<hyp system="S" language="en"><p><seg id="1">no</seg></p></hyp>
</doc>
<doc origlang="zh" id="a"><src lang="zh"><seg id="1">四</seg><seg id="2">五</seg></src>
<ref lang="en" translator="B"><seg id="1">four</seg></ref></doc>
<doc origlang="zh" id="t" testsuite="x"><src lang="zh"><seg id="1">六</seg></src></doc>
</collection>
</dataset>
"""
READER = {"kind": "wmt_xml", "splits": {"test": "a.xml"}}


def test_translators_are_in_the_order_of_the_file(inputs):
    """Numbers may begin again in a paragraph, and two documents of one id that follow each other stay two."""
    write_files(inputs.downloads, {"a.xml": XML})
    documents = documents_of(inputs, READER)
    assert plain(documents) == [
        ("test", "a", [("一 & 二", "one <b>", "1"), ("二", "two", None), ("三", "three lines", None)]),
        ("test", "a.2", [("四", "four", None)]),
    ]
    assert inputs.changed["segments dropped: without a reference"] == 1
    assert (documents[0].where, documents[0].target.location(2)) == ("a.xml:4", "a.xml:8")


def test_translators_that_are_stated(inputs):
    write_files(inputs.downloads, {"a.xml": XML})
    assert plain(documents_of(inputs, {**READER, "translators": ["A"]})) == [("test", "a", [("一 & 二", "1")])]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("</dataset>", "", "a.xml:18: not an XML file\n  found no element found"),
        (
            'translator="A"',
            'translator="B"',
            "a.xml:10: document translated twice by one translator\n  found a by B",
        ),
        (' id="a" domain', " domain", 'a.xml:4: document without an id\n  expected <doc id="...">'),
    ],
)
def test_what_is_refused(inputs, old, new, message):
    write_files(inputs.downloads, {"a.xml": XML.replace(old, new, 1)})
    assert refusal(inputs, READER) == message


def test_a_translator_who_is_not_there(inputs):
    write_files(inputs.downloads, {"a.xml": XML})
    message = (
        "a.xml: the file has no reference of this translator\n  found B, A; expected refA\n  `reader: {kind: wmt_xml"
    )
    assert refusal(inputs, {**READER, "translators": ["B", "refA"]}).startswith(message)


def of_sacrebleu(inputs: ReaderInputs, name: str, path: str, xml: str) -> dict:
    write_files(inputs.downloads, {"w.tgz": tar_bytes({path: xml})})
    return {"kind": "sacrebleu", "splits": {"test": [{"set": name, "archives": ["w.tgz"]}]}}


def test_a_set_of_sacrebleu_has_its_references_in_its_order(inputs):
    inputs = ReaderInputs(inputs.downloads, inputs.scratch, "en", "zh")
    reader = of_sacrebleu(
        inputs, "wmt21/AB", "test/newstest2021.en-zh.xml", XML.replace(' id="2"></seg>', ' id="2">2</seg>')
    )
    documents = documents_of(inputs, {**reader, "drop_empty": True})
    # The target is A's, whatever the order in the file; pairs that A has not translated are dropped.
    assert plain(documents) == [("test", "wmt21/AB.a", [("一 & 二", "1", "one <b>"), ("二", "2", "two")])]
    assert documents[0].source.location(0) == "w.tgz/test/newstest2021.en-zh.xml:5"


def test_a_set_of_sacrebleu_with_other_translators_is_refused(inputs):
    inputs = ReaderInputs(inputs.downloads, inputs.scratch, "en", "de")
    reader = of_sacrebleu(inputs, "wmt24", "xml/wmttest2024.en-de.all.xml", XML)
    message = (
        "w.tgz/xml/wmttest2024.en-de.all.xml: the file has no reference of this translator\n  found B, A; expected refA"
    )
    assert refusal(inputs, reader).startswith(message)
