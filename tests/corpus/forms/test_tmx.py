"""Translation memories, as programs of translators and EU institutions write them."""

import pytest
from helpers.reader_files import documents_of, plain, refusal, write_files

TMX = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4">
<header srclang="zh-CN" segtype="sentence"/>
<body>
<tu><prop type="x-document">a.docx</prop>
<tuv xml:lang="zh-CN"><seg>打开<bpt i="1">&lt;b&gt;</bpt>窗户<ept i="1">&lt;/b&gt;</ept>。</seg></tuv>
<tuv xml:lang="EN-GB"><seg>Open the <hi>window</hi> &amp; door.</seg></tuv>
<tuv xml:lang="de"><seg>Fenster</seg></tuv></tu>
<tu><prop type="x-document">a.docx</prop>
<tuv xml:lang="zh-CN"><seg>关上。</seg></tuv><tuv xml:lang="en"><seg>Close
it.</seg></tuv></tu>
<tu><tuv xml:lang="zh"><seg>无</seg></tuv><tuv xml:lang="fr"><seg>rien</seg></tuv></tu>
<tu><prop type="x-document">b.docx</prop>
<tuv lang="zh"><seg>谢谢。</seg></tuv><tuv lang="en_us"><seg>Thanks&nbsp;a lot.</seg></tuv></tu>
</body>
</tmx>
"""
READER = {"kind": "tmx", "splits": {"train": "m.tmx"}}
PAIRS = [("打开窗户。", "Open the window & door."), ("关上。", "Close it."), ("谢谢。", "Thanks&nbsp;a lot.")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_units_of_documents(inputs, encoding):
    write_files(inputs.downloads, {"m.tmx": TMX.replace("UTF-8", encoding).encode(encoding)})
    documents = documents_of(inputs, READER)
    assert plain(documents) == [("train", "a.docx", PAIRS[:2]), ("train", "b.docx", PAIRS[2:])]
    assert inputs.changed == {"codes of the translated file removed": 2, "units dropped: a language is missing": 1}
    assert documents[1].target.location(0) == "m.tmx:14"


def test_units_that_are_documents_each(inputs):
    write_files(inputs.downloads, {"m.tmx": TMX})
    documents = documents_of(inputs, {**READER, "document": None})
    assert plain(documents) == [("train", f"train{n}", [pair]) for n, pair in enumerate(PAIRS, 1)]


def test_codes_that_are_stated(inputs):
    write_files(inputs.downloads, {"m.tmx": TMX})
    assert (
        len(documents_of(inputs, {**READER, "source_code": "zh_CN", "target_code": "en-gb"})[0].source.sentences) == 1
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'xml:lang="de"',
            'xml:lang="en-US"',
            "m.tmx:6: unit with several texts of one language\n  found zh-CN, EN-GB, en",
        ),
        (
            '<prop type="x-document">b.docx</prop>',
            '<prop type="file">b.docx</prop>',
            'm.tmx:14: unit without a document\n  found file; expected <prop type="x-document">\n  name the type',
        ),
        ("</body>", "", "m.tmx:17: not an XML file\n  found mismatched tag"),
    ],
)
def test_what_is_refused(inputs, old, new, message):
    write_files(inputs.downloads, {"m.tmx": TMX.replace(old, new)})
    assert refusal(inputs, READER).startswith(message)
