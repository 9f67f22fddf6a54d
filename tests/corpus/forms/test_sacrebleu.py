"""Test sets of WMT, in the archives and layouts that sacreBLEU knows."""

from pathlib import Path

import pytest
from helpers.reader_files import documents_of, plain, refusal, tar_bytes, write_files

from docmt.corpus.inputs import ReaderInputs

TWO = {"set": "wmt20/tworefs", "archives": ["wmt20.tgz"]}
LATER = {"set": "wmt22", "archives": ["wmt22.tar.gz"]}


def sgm(*documents: tuple[str, list[str]]) -> str:
    lines = []
    for name, sentences in documents:
        lines += [f'<doc sysid="x" docid="{name}" genre="news" origlang="zh">', "<p>"]
        lines += [f'<seg id="{number}">{text}</seg>' for number, text in enumerate(sentences, 1)]
        lines += ["</p>", "</doc>"]
    return "\n".join(['<srcset setid="newstest2020">', *lines, "</srcset>", ""])


SGML = {
    "sgm/newstest2020-zhen-src.zh.sgm": sgm(("a.1", ["一 ", "二"]), ("b.2", ["三"])),
    "sgm/newstest2020-zhen-ref.en.sgm": sgm(("a.1", ["one  one", "two"]), ("b.2", ["three"])),
    "sgm/newstestB2020-zhen-ref.en.sgm": sgm(("a.1", ["1", "2"]), ("b.2", [""])),
}
XML = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="wmttest2022">
<doc origlang="zh" id="zh.1">
<src lang="zh"><p><seg id="1">一 &amp; 二</seg><seg id="2">三</seg></p></src>
<ref lang="en" translator="A"><p><seg id="1">one &amp; two</seg><seg id="2">three</seg></p></ref>
<ref lang="en" translator="B"><p><seg id="1">1</seg></p></ref>
</doc>
</dataset>
"""


def test_sgml_with_two_references(inputs, monkeypatch):
    """As sacreBLEU reads them; a sentence that a further reference leaves empty is missing there."""
    monkeypatch.chdir(inputs.downloads)
    inputs.scratch = Path("scratch")  # as in the workflow
    write_files(inputs.downloads, {"wmt20.tgz": tar_bytes(SGML)})
    assert plain(documents_of(inputs, {"kind": "sacrebleu", "splits": {"test": [TWO]}})) == [
        ("test", "wmt20/tworefs.a.1", [("一", "one one", "1"), ("二", "two", "2")]),
        ("test", "wmt20/tworefs.b.2", [("三", "three", None)]),
    ]


def test_folders_may_be_relative_as_those_of_jobs_are(inputs, monkeypatch):
    write_files(inputs.downloads, {"wmt20.tgz": tar_bytes(SGML)})
    monkeypatch.chdir(inputs.downloads)
    relative = ReaderInputs(Path(), Path("scratch"), "zh", "en")
    reader = {"kind": "sacrebleu", "splits": {"test": [TWO]}}
    assert plain(documents_of(relative, reader)) == plain(documents_of(inputs, reader))


def test_xml_with_the_reference_that_sacrebleu_takes(inputs):
    files = {"wmt22-news-systems-1.1/xml/wmttest2022.zh-en.all.xml": XML}
    write_files(inputs.downloads, {"wmt22.tar.gz": tar_bytes(files), "wmt20.tgz": tar_bytes(SGML)})
    documents = documents_of(inputs, {"kind": "sacrebleu", "splits": {"dev": [TWO], "test": [LATER]}})
    assert plain(documents)[2:] == [("test", "wmt22.zh.1", [("一 & 二", "one & two"), ("三", "three")])]
    assert documents[-1].target.location(1) == "wmt22.tar.gz/wmt22-news-systems-1.1/xml/wmttest2022.zh-en.all.xml:5"


def test_two_documents_of_one_name_that_follow_each_other_stay_two(inputs):
    files = {name: text.replace("b.2", "a.1") for name, text in SGML.items()}
    write_files(inputs.downloads, {"wmt20.tgz": tar_bytes(files)})
    documents = documents_of(inputs, {"kind": "sacrebleu", "splits": {"test": [TWO]}})
    assert [(name, len(pairs)) for _, name, pairs in plain(documents)] == [
        ("wmt20/tworefs.a.1", 2),
        ("wmt20/tworefs.a.1.2", 1),
    ]


@pytest.mark.parametrize(
    ("stated", "files", "message"),
    [
        ({"set": "wmt2"}, SGML, "unknown test set of sacreBLEU with documents\n  found wmt2\n  did you mean"),
        ({"set": "wmt16"}, SGML, "unknown pair of wmt16\n  found zh-en"),
        ({"set": "iwslt17"}, SGML, "unknown test set of sacreBLEU with documents\n  found iwslt17"),
        ({"set": "wmt20"}, {"other": "x"}, "wmt20.tgz: the archive does not have the files of wmt20"),
        ({"archives": ["wmt21.tgz"]}, SGML, "wmt21.tgz: file not found"),
        (
            {},
            {**SGML, "sgm/newstestB2020-zhen-ref.en.sgm": sgm(("a.1", ["1"]))},
            "wmt20.tgz: not the files of wmt20/tworefs",
        ),
    ],
)
def test_what_is_no_set_of_sacrebleu(inputs, stated, files, message):
    write_files(inputs.downloads, {"wmt20.tgz": tar_bytes(files)})
    text = refusal(inputs, {"kind": "sacrebleu", "splits": {"test": [{**TWO, **stated}]}})
    assert text.startswith(message), text
