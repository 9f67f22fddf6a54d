import io
import tarfile
from pathlib import Path

import pytest

from docmt.core.catalogue import ReaderConfig
from docmt.core.errors import UserError
from docmt.core.parse import parse
from docmt.corpus.inputs import Document, Inputs
from docmt.corpus.readers import READERS
from docmt.corpus.validate import validated

LINES = {"kind": "lines", "splits": {"train": {"source": "a.zh", "target": "a.en"}}}
VERSES = {
    "kind": "verses",
    "archive": "b.tar.gz",
    "source": "b/zh.tsv",
    "target": "b/en.tsv",
    "dev": ["Dan"],
    "test": ["Ruth"],
}
XML = {
    "kind": "iwslt_xml",
    "archive": "t.tar.gz",
    "files": "t/{set}.{language}.xml",
    "dev": ["dev1"],
    "test": ["t1", "t2"],
}


def archive(path: Path, files: dict[str, str]) -> None:
    with tarfile.open(path, "w:gz") as tar:
        for name, text in files.items():
            data = text.encode()
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))


def read(inputs: Inputs, reader: dict, **changes: object) -> tuple[list[Document], dict[str, int]]:
    config = parse(ReaderConfig, {**reader, **changes}, "corpus.yaml")
    reading = READERS[config.kind](config, inputs)
    documents = list(validated(reading.documents))
    return documents, {what: count for what, count in reading.changed.items() if count}


def refused(inputs: Inputs, reader: dict, **changes: object) -> str:
    with pytest.raises(UserError) as problem:
        read(inputs, reader, **changes)
    return str(problem.value)


def plain(documents: list[Document]) -> list[tuple]:
    return [(d.split, d.name, list(d.source), list(d.target)) for d in documents]


# lines


def lines(inputs: Inputs, source: str | bytes, target: str | bytes) -> None:
    for name, text in (("a.zh", source), ("a.en", target)):
        (inputs.downloads / name).write_bytes(text if isinstance(text, bytes) else text.encode())


@pytest.mark.parametrize("between", ["blank", "<d>"])
def test_lines(inputs, between):
    mark = "" if between == "blank" else between
    lines(
        inputs,
        f"\ufeff{mark}\n 你好。\r\n再见。\n{mark}\n好。\n{mark}\n",
        f"{mark}\nHello.\nBye. \n{mark}\nFine.\n{mark}\n",
    )
    documents, changed = read(inputs, LINES, between=between)
    assert plain(documents) == [
        ("train", "train1", ["你好。", "再见。"], ["Hello.", "Bye."]),
        ("train", "train2", ["好。"], ["Fine."]),
    ]
    assert [document.where for document in documents] == ["a.zh:2", "a.zh:5"]
    assert changed == {}


def test_lines_from_an_archive(inputs):
    archive(inputs.downloads / "a.tar.gz", {"a.zh": "好。\n", "a.en": "Fine.\n"})
    documents, _ = read(inputs, LINES, archive="a.tar.gz")
    assert plain(documents) == [("train", "train1", ["好。"], ["Fine."])]
    assert documents[0].where == "a.tar.gz/a.zh:1"


def test_lines_with_unicode_line_separators_inside(inputs):
    lines(inputs, "一\u3000二\n", "one\u00a0two\n")
    assert plain(read(inputs, LINES)[0]) == [("train", "train1", ["一\u3000二"], ["one\u00a0two"])]


def test_lines_drop_pairs_with_an_empty_side(inputs):
    lines(inputs, "<d>\n你好。\n\n<d>\n\n<d>\n好。\n", "<d>\nHello.\nBye.\n<d>\nWell.\n<d>\nFine.\n")
    documents, changed = read(inputs, LINES, between="<d>", drop_empty=True)
    assert plain(documents) == [("train", "train1", ["你好。"], ["Hello."]), ("train", "train3", ["好。"], ["Fine."])]
    assert changed == {"pairs dropped: a side is empty": 2, "documents dropped: nothing of them is left": 1}


@pytest.mark.parametrize(
    ("source", "target", "between", "message"),
    [
        (
            "一\n二\n三\n",
            "one\n",
            "blank",
            "a.en: the two sides have unequal numbers of lines\n  found 1 lines; expected 3 lines, as in a.zh",
        ),
        (
            "一\n",
            "one\ntwo\n",
            "blank",
            "a.zh: the two sides have unequal numbers of lines\n  found 1 lines; expected 2 lines, as in a.en",
        ),
        ("一\n\n三\n", "one\ntwo\nthree\n", "blank", "a.zh:2: document boundary on one side only"),
        ("一\n二\n", "one\n<d>\n", "<d>", "a.en:2: document boundary on one side only"),
        ("一\n\n\n二\n", "one\n\n\ntwo\n", "blank", "a.zh:3: empty document"),
        ("一\n\n", "one\ntwo\n", "<d>", "a.zh:1, source sentence 2: empty sentence"),
        ("一\n<d>\n", "one\n<d>\n", "blank", "a.zh:1, source sentence 2: stray marker in the text\n  found <d>"),
        (
            "一\n二\n",
            "one\ntwo _eos three\n",
            "blank",
            "a.zh:1, target sentence 2: stray marker in the text\n  found _eos",
        ),
        ("一\n", "one </s>\n", "blank", "a.zh:1, target sentence 1: stray marker in the text\n  found </s>"),
        ("一\t二\n", "one\n", "blank", "a.zh:1, source sentence 1: control character in the text\n  found U+0009"),
        ("一\u2028二\n", "one\n", "blank", "a.zh:1, source sentence 1: control character in the text\n  found U+2028"),
        (
            "一\n二\n".encode() + b"caf\xe9\n",
            "one\ntwo\nthree\n",
            "blank",
            "a.zh:3: not valid UTF-8\n  found byte 0xe9 at column 4",
        ),
    ],
)
def test_lines_that_are_refused(inputs, source, target, between, message):
    lines(inputs, source, target)
    assert refused(inputs, LINES, between=between) == message


def test_lines_missing_file(inputs):
    assert refused(inputs, LINES) == "a.zh: file not found"


# verses


ZH = (
    "Gen.1.1\t起初。\nGen.1.2\t地。\nGen.1.3\ta\nGen.2.1\t天。&lt;X&gt;\nDan.1.1\t王。\nRuth.1.1\t-\nRuth.1.2\t饥荒。\n"
)
EN = "Gen.1.1\tIn the beginning.\nGen.1.2\tEarth, \nGen.1.3\tand light.\nGen.2.1\tHeaven.\nGen.3.1\tSerpent.\n"
EN += "Dan.1.1\tThe king.\nRuth.1.1\tJudges.\nRuth.1.2\tFamine.\n"


def test_verses(inputs):
    archive(inputs.downloads / "b.tar.gz", {"b/zh.tsv": ZH, "b/en.tsv": EN})
    documents, changed = read(inputs, VERSES, continued="a", missing="-", remove=["&lt;X&gt;"])
    assert plain(documents) == [
        ("train", "Gen.1", ["起初。", "地。"], ["In the beginning.", "Earth, and light."]),
        ("train", "Gen.2", ["天。"], ["Heaven."]),
        ("dev", "Dan.1", ["王。"], ["The king."]),
        ("test", "Ruth.1", ["饥荒。"], ["Famine."]),
    ]
    assert changed == {
        "verses in one language only": 1,
        "pairs joined to the pair before: a verse stands in the one before": 1,
        "pairs dropped: a verse is missing": 1,
        "&lt;X&gt; removed": 1,
    }


@pytest.mark.parametrize(
    ("zh", "changes", "message"),
    [
        (ZH + "Gen 9\n", {}, "b.tar.gz/b/zh.tsv:8: not a verse\n  found 'Gen 9'; expected Book.Chapter.Verse<TAB>text"),
        (ZH + "Gen.1.1\t再。\n", {}, "b.tar.gz/b/zh.tsv:8: verse given twice\n  found Gen.1.1"),
        (ZH, {"dev": ["Gan"]}, "b.tar.gz: held-out book is not in the corpus\n  found Gan\n  did you mean 'Gen'?"),
        (ZH, {"source": "b/de.tsv"}, "b.tar.gz/b/de.tsv: file not found"),
        (ZH + "Gen.3.1\t \n", {}, "b.tar.gz Gen.3, source sentence 1: empty sentence"),
    ],
)
def test_verses_that_are_refused(inputs, zh, changes, message):
    archive(inputs.downloads / "b.tar.gz", {"b/zh.tsv": zh, "b/en.tsv": EN})
    assert refused(inputs, VERSES, **changes) == message


# iwslt_xml


def xml(*talks: tuple[str, list[str]]) -> str:
    """As IWSLT writes it, with what surrounds the segments."""
    docs = []
    for name, sentences in talks:
        segments = "".join(f'<seg id="{n}"> {text} </seg>\n' for n, text in enumerate(sentences, 1))
        head = "<url>http://example.org</url>\n<title>A talk &amp; more</title>"
        docs.append(f'<doc docid="{name}" genre="lectures">\n{head}\n{segments}</doc>\n')
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<mteval>\n<refset setid="s">\n{"".join(docs)}</refset>\n</mteval>\n'
    )


TALKS = {
    "t/dev1.zh.xml": xml(("69", ["你好 世界"])),
    "t/dev1.en.xml": xml(("69", ["Hello &lt;world&gt; &amp; all"])),
    "t/t1.zh.xml": xml(("1", ["一", "二"]), ("2", ["三"])),
    "t/t1.en.xml": xml(("1", ["one", "two"]), ("2", ["three"])),
    "t/t2.zh.xml": xml(("1", ["四"])),
    "t/t2.en.xml": xml(("1", ["four"])),
}


def test_iwslt_xml(inputs):
    archive(inputs.downloads / "t.tar.gz", TALKS)
    documents, changed = read(inputs, XML)
    assert plain(documents) == [
        ("dev", "dev1.69", ["你好 世界"], ["Hello <world> & all"]),
        ("test", "t1.1", ["一", "二"], ["one", "two"]),
        ("test", "t1.2", ["三"], ["three"]),
        ("test", "t2.1", ["四"], ["four"]),
    ]
    assert changed == {}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "t/t1.en.xml",
            xml(("1", ["one"]), ("2", ["three"])),
            "t.tar.gz t1 talk 1: source and target differ in length\n  found 2 source and 1 target sentences",
        ),
        ("t/t2.en.xml", xml(("7", ["four"])), "t.tar.gz t2: the two languages hold other talks\n  found 1; expected 7"),
        (
            "t/t2.en.xml",
            xml(("1", [])),
            "t.tar.gz t2 talk 1: source and target differ in length\n  found 1 source and 0 target sentences",
        ),
        ("t/t2.en.xml", xml(("1", [" "])), "t.tar.gz t2 talk 1, target sentence 1: empty sentence"),
        (
            "t/t2.en.xml",
            xml(("1", ["fo&r"])),
            "t.tar.gz/t/t2.en.xml:7: not an XML file\n  found not well-formed (invalid token)",
        ),
        (
            "t/t2.en.xml",
            xml(("1", ["four"])).replace('id="1">', 'id="2">'),
            "t.tar.gz/t/t2.en.xml talk 1: segments are not numbered 1, 2, 3 ...\n  found seg id 2; expected 1",
        ),
        (
            "t/t2.en.xml",
            xml(("1", ["four"]), ("1", ["five"])),
            "t.tar.gz/t/t2.en.xml: talk given twice\n  found docid 1",
        ),
    ],
)
def test_iwslt_xml_that_is_refused(inputs, name, text, message):
    archive(inputs.downloads / "t.tar.gz", {**TALKS, name: text})
    assert refused(inputs, XML) == message


def test_iwslt_xml_without_a_set(inputs):
    archive(inputs.downloads / "t.tar.gz", TALKS)
    assert refused(inputs, XML, dev=["dev2"]) == "t.tar.gz/t/dev2.zh.xml: file not found"
