"""OPUS in XML: alignments, and documents in archives and folders."""

import gzip

import pytest
from helpers.reader_files import documents_of, plain, refusal, write_files, zip_bytes

from docmt.corpus.inputs import MANY_SENTENCES

LINKS = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE cesAlign PUBLIC "-//CES//DTD XML cesAlign//EN" "">
<cesAlign version="1.0">
<linkGrp targType="s" fromDoc="en/b/1.xml.gz" toDoc="zh_cn/b/1.xml.gz">
<link certainty="0.5" xtargets="1;1" id="SL1" />
<link xtargets="2;2 3" id="SL2"/>
<link xtargets="3;" id="SL3"/>
</linkGrp>
<linkGrp targType="s" fromDoc="en/b/2.xml.gz" toDoc="zh_cn/b/3.xml.gz">
<link xtargets="s1.1;s1" />
</linkGrp>
<linkGrp targType="s" fromDoc="en/b/4.xml.gz" toDoc="zh_cn/b/4.xml.gz" />
</cesAlign>
"""
EN_1 = """<?xml version="1.0" encoding="utf-8"?>
<text>
<s id="1"><time id="T1S" value="00:00:01,000" />One &amp; all.</s>
<p><s id="2">Two
lines.</s></p>
<s id="3">Alone.</s>
</text>
"""
EN_2 = '<text><s id="s1.1">\n <w id="w1">Words</w>\n <w id="w2">here</w><w id="w3">.</w>\n</s></text>'
ZH_1 = '<text><s id="1">一。</s><s id="2">二。</s><s id="3">三。</s></text>'
ZH_3 = '<text><s id="s1">词。</s></text>'
FILES = {"alignments": "en-zh.xml.gz", "source": "zh.zip/Books/raw", "target": "en.zip/Books/xml"}
READER = {"kind": "opus_xml", "splits": {"train": FILES}, "drop_empty": True}
EXPECTED = [
    ("train", "b/1", [("一。", "One & all."), ("二。 三。", "Two lines.")]),
    ("train", "b/2 b/3", [("词。", "Words here .")]),
]


def write_corpus(inputs, links: str = LINKS, zh: str = ZH_1) -> None:
    english = {"Books/xml/en/b/1.xml": EN_1, "Books/xml/en/b/2.xml.gz": gzip.compress(EN_2.encode())}
    chinese = {"Books/raw/zh_cn/b/1.xml": zh, "Books/raw/zh_cn/b/3.xml": ZH_3}
    files = {"en.zip": zip_bytes(english), "zh.zip": zip_bytes(chinese), "en-zh.xml.gz": gzip.compress(links.encode())}
    write_files(inputs.downloads, files)


def test_links_of_a_pair_that_the_alignments_have_the_other_way_round(inputs):
    write_corpus(inputs)
    documents = documents_of(inputs, READER)
    assert plain(documents) == EXPECTED
    assert inputs.changed == {"pairs dropped: a side is empty": 1}
    assert documents[0].target.location(1) == "en-zh.xml.gz:6"


@pytest.mark.parametrize("first", ["target", None])
def test_documents_of_both_languages_in_one_folder(inputs, first):
    texts = {"en/b/1.xml": EN_1, "en/b/2.xml": EN_2, "zh_cn/b/1.xml": ZH_1, "zh_cn/b/3.xml": ZH_3, "a.xml": LINKS}
    write_files(inputs.downloads, {f"o/{name}": text for name, text in texts.items()})
    files = {"alignments": "o/a.xml", "source": "o", "target": "o", "first": first}
    assert plain(documents_of(inputs, {**READER, "splits": {"train": files}})) == EXPECTED


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "en/b/2.xml.gz",
            "en/b/9.xml.gz",
            "en-zh.xml.gz:9: a document of the alignments is not there\n  found en/b/9.xml.gz; expected a file in en",
        ),
        ("en/b/2.xml.gz", "../../secret", "en-zh.xml.gz:9: not a pair of documents"),
        ("2;2 3", "2;2 7", "en-zh.xml.gz:6: a link to a sentence that is not there\n  found 7; expected an id of <s>"),
        ("2;2 3", "2", "en-zh.xml.gz:6: not a link\n  found '2'; expected ids of sentences, a semicolon"),
        ("</cesAlign>", "", "en-zh.xml.gz:14: not an XML file\n  found no element found"),
    ],
)
def test_what_is_refused(inputs, old, new, message):
    write_corpus(inputs, LINKS.replace(old, new))
    assert refusal(inputs, READER).startswith(message)


def test_a_corpus_that_is_one_document_is_refused(inputs):
    number = MANY_SENTENCES + 1
    sentences = "".join(f'<s id="{n}">{n}</s>' for n in range(number))
    links = "".join(f'<link xtargets="{n};{n}"/>' for n in range(number))
    group = f'<cesAlign><linkGrp fromDoc="zh/a.xml" toDoc="en/a.xml">{links}</linkGrp></cesAlign>'
    texts = {"zh/a.xml": f"<text>{sentences}</text>", "en/a.xml": f"<text>{sentences}</text>", "a.xml": group}
    write_files(inputs.downloads, {f"o/{name}": text for name, text in texts.items()})
    files = {"alignments": "o/a.xml", "source": "o", "target": "o"}
    message = "o/a.xml: the corpus is one document: OPUS has no boundaries of its documents\n  found 1,001 pairs with"
    assert refusal(inputs, {**READER, "splits": {"train": files}}).startswith(message)
