"""Readers return the text that was written in each style, whatever the text is."""

import gzip
import html
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import escape

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.reader_files import Pairs, Texts, documents_of, items_of, plain, tar_bytes, write_files, zip_bytes
from hypothesis import given, settings
from hypothesis import strategies as st

from docmt.corpus.forms.iwslt_tags import TAG
from docmt.corpus.inputs import ReaderInputs
from docmt.corpus.opening import MARKER

NO_TEXT = "\ufeff\ufffe\uffff"
"""The byte order mark, and what XML forbids."""


def _is_sentence(text: str) -> bool:
    return bool(text) and not MARKER.search(text) and not TAG.match(text)


SENTENCES = (
    (
        st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters=NO_TEXT), max_size=12)
        | st.sampled_from(
            ["&amp;", "a & b", "<b>", "</seg>", "a < 4 > 2", "\"q\" 's'", "d>", "eos _ eos", "\\t", "one  two"]
        )
    )
    .map(str.strip)
    .filter(_is_sentence)
)


@st.composite
def corpora(draw: st.DrawFn) -> list[Pairs]:
    """Documents of one corpus: each sentence with its translation and up to two further ones."""
    sides = draw(st.integers(2, 4))
    pairs = st.tuples(*[SENTENCES] * sides)
    return draw(st.lists(st.lists(pairs, min_size=1, max_size=4), min_size=1, max_size=4))


Written = tuple[Texts, dict]
"""The files, and the reader that is told of them."""


def _names(corpus: list[Pairs], ending: str = "") -> dict:
    source, target, *references = [f"{n}{ending}" for n in range(len(corpus[0][0]))]
    return {"source": source, "target": target, "references": references}


def _columns(corpus: list[Pairs], join: Callable[[list[list[str]]], str]) -> Texts:
    """A file a side, by its number. `join`: the sentences of each document to a file's text."""
    sides = range(len(corpus[0][0]))
    return {str(side): join([[pair[side] for pair in document] for document in corpus]) for side in sides}


def _lines(*sentences: str) -> str:
    return "".join(f"{sentence}\n" for sentence in sentences)


def lines_with_blanks(corpus: list[Pairs]) -> Written:
    files = _columns(corpus, lambda documents: "\n".join(_lines(*document) for document in documents))
    return files, {"kind": "lines", "splits": {"train": _names(corpus)}}


def lines_that_open(corpus: list[Pairs]) -> Written:
    files = _columns(corpus, lambda documents: "".join(_lines("<d>", *document) for document in documents))
    boundaries = {"marker": "<d>", "at": "start"}
    return files, {"kind": "lines", "splits": {"train": _names(corpus)}, "documents": boundaries}


def lines_that_close(corpus: list[Pairs]) -> Written:
    files = _columns(corpus, lambda documents: "".join(_lines(*document, "<d> end") for document in documents))
    boundaries = {"marker": "<d>", "at": "end"}
    return files, {"kind": "lines", "splits": {"train": _names(corpus)}, "documents": boundaries}


def lines_with_offsets(corpus: list[Pairs]) -> Written:
    files = _columns(corpus, lambda documents: "".join(_lines(*document) for document in documents))
    starts = [sum(map(len, corpus[:n])) for n in range(len(corpus))]
    boundaries = {"offsets": {"train": "doc"}}
    splits = {"train": _names(corpus)}
    return {**files, "doc": _lines(*map(str, starts))}, {"kind": "lines", "splits": splits, "documents": boundaries}


def files(corpus: list[Pairs]) -> Written:
    texts = {
        f"{name}.{side}": _lines(*(pair[side] for pair in document))
        for name, document in enumerate(corpus, 8)
        for side in range(len(document[0]))
    }
    return texts, {"kind": "files", "splits": {"train": _names_of_files(corpus)}}


def _names_of_files(corpus: list[Pairs]) -> dict:
    source, target, *references = [f"{{document}}.{side}" for side in range(len(corpus[0][0]))]
    return {"source": source, "target": target, "references": references}


def eos(corpus: list[Pairs]) -> Written:
    files = _columns(corpus, lambda documents: _lines(*(" _eos ".join(document) for document in documents)))
    return files, {"kind": "eos", "splits": {"train": _names(corpus)}}


def _records(corpus: list[Pairs]) -> tuple[list[str], list[dict]]:
    references = [f"r{n}" for n in range(len(corpus[0][0]) - 2)]
    names = ["document", "source", "target", *references]
    rows = [(f"d{n}", *pair) for n, document in enumerate(corpus) for pair in document]
    return references, [dict(zip(names, row, strict=True)) for row in rows]


def tsv(corpus: list[Pairs]) -> Written:
    references, records = _records(corpus)
    text = _lines(*("\t".join(row) for row in [list(records[0]), *(record.values() for record in records)]))
    return {"a.tsv": text}, {"kind": "table", "splits": {"train": "a.tsv"}, "references": references, "quotes": False}


def json_lines(corpus: list[Pairs]) -> Written:
    references, records = _records(corpus)
    text = _lines(*(json.dumps(record, ensure_ascii=False) for record in records))
    return {"a.jsonl": text}, {"kind": "table", "splits": {"train": "a.jsonl"}, "references": references}


def parquet(corpus: list[Pairs]) -> Written:
    references, records = _records(corpus)
    stream = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(records), stream)
    reader = {"kind": "table", "splits": {"train": "a.parquet"}, "references": references}
    return {"a.parquet": stream.getvalue().to_pybytes()}, reader


def nist_sgm(corpus: list[Pairs]) -> Written:
    def marked(side: int, system: str) -> str:
        documents = []
        for n, document in enumerate(corpus):
            segments = [f"<seg id={k}> {html.escape(pair[side])}</seg>" for k, pair in enumerate(document, 1)]
            documents.append(f'<DOC sysid="{system}" docid=d{n}>\n<p>\n' + _lines(*segments) + "</p>\n</DOC>\n")
        return "".join(documents)

    references = [f'<refset setid="x">\n{marked(side, f"r{side}")}</refset>\n' for side in range(1, len(corpus[0][0]))]
    source = f'<srcset setid="x">\n{marked(0, "s")}</srcset>\n'
    reader = {"kind": "nist_sgm", "splits": {"train": {"source": "s", "references": ["r"]}}}
    return {"s": source, "r": "".join(references)}, reader


def iwslt_xml(corpus: list[Pairs]) -> Written:
    def marked(side: int) -> str:
        documents = []
        for n, document in enumerate(corpus):
            segments = [f'<seg id="{k}"> {escape(pair[side])} </seg>' for k, pair in enumerate(document, 1)]
            documents.append(f'<doc docid="{n}">\n<title>T</title>\n' + _lines(*segments) + "</doc>\n")
        return f'<?xml version="1.0" encoding="UTF-8"?>\n<mteval>\n<srcset>\n{"".join(documents)}</srcset>\n</mteval>\n'

    reader = {"kind": "iwslt_xml", "files": "{set}.{language}.xml", "splits": {"train": ["a"]}}
    return {"a.zh.xml": marked(0), "a.en.xml": marked(1)}, reader


def iwslt_tags(corpus: list[Pairs]) -> Written:
    files = _columns(
        corpus,
        lambda documents: "".join(
            _lines("<url>u</url>", f"<talkid>{n}</talkid>", "<title>T</title>", *document, "<reviewer>R</reviewer>")
            for n, document in enumerate(documents)
        ),
    )
    reader = {"kind": "iwslt_tags", "splits": {"train": "train.{language}"}}
    return {"train.zh": files["0"], "train.en": files["1"]}, reader


def verses(corpus: list[Pairs]) -> Written:
    def book(documents: list[list[str]]) -> str:
        return _lines(
            *(f"Gen.{n}.{k}\t{text}" for n, document in enumerate(documents) for k, text in enumerate(document))
        )

    files = _columns(corpus, book)
    return files, {"kind": "verses", "source": "0", "target": "1", "dev": [], "test": []}


ALL_SIDES = [
    lines_with_blanks,
    lines_that_open,
    lines_that_close,
    lines_with_offsets,
    files,
    eos,
    tsv,
    json_lines,
    parquet,
    nist_sgm,
]
TWO_SIDES = [iwslt_xml, iwslt_tags, verses]


def plainly(files: Texts, reader: dict) -> Written:
    return files, reader


def in_a_tar(files: Texts, reader: dict) -> Written:
    return {"a.tgz": tar_bytes(files)}, {**reader, "archive": "a.tgz"}


def in_a_zip(files: Texts, reader: dict) -> Written:
    return {"a.zip": zip_bytes(files)}, {**reader, "archive": "a.zip"}


def read_back(style: Callable[[list[Pairs]], Written], pack: Callable, corpus: list[Pairs]) -> list[Pairs]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        written_files, reader = pack(*style(corpus))
        write_files(folder, written_files)
        documents = plain(documents_of(ReaderInputs(folder, folder / "scratch", "zh", "en"), reader))
    assert len({name for _, name, _ in documents}) == len(documents)
    return [pairs for _, _, pairs in documents]


PACKS = st.sampled_from([plainly, in_a_tar, in_a_zip])


@pytest.mark.some(4)
@pytest.mark.parametrize("style", ALL_SIDES)
@settings(max_examples=40)
@given(corpus=corpora(), pack=PACKS)
def test_with_references(style, corpus, pack):
    assert read_back(style, pack, corpus) == corpus


@pytest.mark.parametrize("style", TWO_SIDES)
@settings(max_examples=40)
@given(corpus=corpora(), pack=PACKS)
def test_with_a_single_translation(style, corpus, pack):
    assert read_back(style, pack, corpus) == [[pair[:2] for pair in document] for document in corpus]


@settings(max_examples=40)
@given(corpus=corpora())
def test_lines_that_are_documents_each_and_compressed_files(corpus):
    def style(corpus: list[Pairs]) -> Written:
        texts, reader = lines_with_offsets(corpus)
        compressed = {f"{name}.gz": gzip.compress(text.encode()) for name, text in texts.items()}
        splits = {"train": {**_names(corpus, ".gz")}}
        return compressed, {**reader, "documents": None, "splits": splits}

    assert read_back(style, plainly, corpus) == [[pair] for document in corpus for pair in document]


@settings(max_examples=40)
@given(
    texts=st.lists(SENTENCES, min_size=3, max_size=8, unique=True),
    context=st.lists(SENTENCES, max_size=3),
    distance=st.integers(0, 3),
    data=st.data(),
)
def test_contrastive_sets(texts, context, distance, data):
    source, *variants = texts
    right = data.draw(st.integers(0, len(variants) - 1))
    instance = {
        "src": " _eos ".join([*context, source]),
        "dst": [" _eos ".join([*context, text]) for text in variants],
        "true_ind": right,
        "ctx_dist": distance,
    }
    with tempfile.TemporaryDirectory() as name:
        write_files(Path(name), {"a.json": json.dumps([instance])})
        (item,) = items_of(ReaderInputs(Path(name), Path(name), "en", "ru"), {"kind": "voita", "sets": {"s": "a.json"}})
    assert (item.set, item.distance, item.source) == ("s", distance, (*context, source))
    assert (item.target_context, item.variants, item.correct) == (tuple(context), tuple(variants), right)
