"""The form `opus_xml`: corpora of OPUS in XML, with a file for each document and language, and a file of alignments.

Source: Tiedemann (2012), "Parallel Data, Tools and Interfaces in OPUS". The alignments (xces, `de-en.xml.gz`) have a
`<linkGrp>` for each pair of documents, and a `<link>` for each pair of sentences: `xtargets="1 2;1"` says that the
sentences 1 and 2 of one document are sentence 1 of the other. The sentences of a link are joined by a space. A document
has its sentences as text (the archives `raw` of OPUS) or as words (`<w>`, the archives `xml`), which are joined by
spaces too.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from docmt.base.checks import needed, setting
from docmt.base.untrusted import is_inside
from docmt.catalogue.forms import KIND, OF_SPLITS, Languages, SplitsReaderConfig, some_splits
from docmt.corpus.inputs import Document, FixtureFiles, ReaderInputs, SideText, text_of
from docmt.corpus.sides import escaped, opus_name, several_documents
from docmt.corpus.stock import Stock
from docmt.corpus.xml_stream import TEXT, on_one_line, xml_events

Sentences = dict[str, str]  # The text of each sentence of a document, by its id
Links = list[tuple[str, int]]  # `xtargets` of each link of a pair of documents, and its line


@dataclass(frozen=True)
class OpusXmlFilesConfig:
    """The file of alignments, and the folders with the documents of each language."""

    PATHS = ("alignments", "source", "target")

    alignments: str = needed("file of the alignments, such as `de-en.xml.gz`")
    source: str = needed(
        "folder of the source documents, in which the paths of the alignments begin, as `de.zip/Books/raw`"
    )
    target: str = needed("folder of the target documents, to which the alignments' paths lead: `en.zip/Books/raw`")
    first: Literal["source", "target"] | None = setting(
        None, "the language of `fromDoc` in the alignments; none = that which the first folder of its path names"
    )


@dataclass(frozen=True)
class OpusXmlConfig(SplitsReaderConfig):
    """The settings of the form `opus_xml`."""

    kind: Literal["opus_xml"] = needed(KIND)
    splits: dict[str, OpusXmlFilesConfig] = needed(OF_SPLITS, some_splits)


def documents(config: OpusXmlConfig, inputs: ReaderInputs) -> Iterator[Document]:
    """Yield the pairs of documents in the order of the alignments, named as `docmt.corpus.forms.opus` names them.

    A sentence without a counterpart is a pair with an empty side. Reports a document that is not there, a link to a
    sentence that is not there, and text that is one single document of more than MANY_SENTENCES pairs. Raises UserError
    for a file that is missing or is no XML.
    """
    for split, files in config.in_order:
        alignments = inputs.display_name(files.alignments)
        pairs = (_pair(files, split, *group, inputs) for group in _groups(inputs, files.alignments))
        yield from several_documents(filter(None, pairs), alignments, inputs.problems)


def _groups(inputs: ReaderInputs, path: str) -> Iterator[tuple[dict[str, str], int, Links]]:
    """Yield the attributes of each pair of documents with links, its line, and its links."""
    group: dict[str, str] = {}
    links: Links = []
    begin = 0
    for tag, attributes, line in xml_events(inputs, path):
        if tag == "linkGrp":
            group, links, begin = attributes, [], line
        elif tag == "link":
            links.append((attributes.get("xtargets", ""), line))
        elif tag == "/linkGrp" and links:
            yield group, begin, links


def _pair(
    files: OpusXmlFilesConfig, split: str, group: dict[str, str], line: int, links: Links, inputs: ReaderInputs
) -> Document | None:
    alignments, problems = inputs.display_name(files.alignments), inputs.problems
    where = f"{alignments}:{line}"
    paths = [group.get(name, "") for name in ("fromDoc", "toDoc")]
    if not all(map(is_inside, paths)):
        problems.report("not a pair of documents", where=where, found=paths, expected="paths in fromDoc and toDoc")
        return None
    is_reversed, document = _is_reversed(files, paths[0], inputs.languages), opus_name(*paths)
    paths = paths[::-1] if is_reversed else paths
    folders = files.source, files.target
    names = [_existing(inputs, folder, path) for folder, path in zip(folders, paths, strict=True)]
    if None in names:
        side = names.index(None)
        expected = f"a file in {inputs.display_name(folders[side])}"
        problems.report("a document of the alignments is not there", where=where, found=paths[side], expected=expected)
        return None
    sentences = [_sentences(inputs, name) for name in names]
    pairs = list(_linked(links, sentences[::-1] if is_reversed else sentences, alignments, inputs))
    texts = [[pair[side] for pair in pairs] for side in range(2)]
    lines = [place for _, _, place in pairs]
    source, target = (SideText(column, alignments, lines) for column in (texts[::-1] if is_reversed else texts))
    return Document(split, document, source, target, where)


def _is_reversed(files: OpusXmlFilesConfig, from_doc: str, languages: Languages) -> bool:
    if files.first is not None:
        return files.first == "target"
    # The folder may say more than docmt's code of the language, such as `zh_cn`.
    folder = re.split("[_-]", from_doc.partition("/")[0].lower())[0]
    return folder == languages[1]


def _existing(inputs: ReaderInputs, folder: str, path: str) -> str | None:
    # The documents of a zip are not compressed, although the paths of the alignments say so.
    names = (f"{folder}/{name}" for name in (path, path.removesuffix(".gz"), f"{path}.gz"))
    return next((name for name in names if inputs.path(name).is_file()), None)


def _linked(links: Links, sides: list[Sentences], file: str, inputs: ReaderInputs) -> Iterator[tuple[str, str, int]]:
    """Yield the two texts of each link, in the order of the alignments, and its line."""
    for xtargets, line in links:
        ids = [side.split() for side in xtargets.split(";")]
        if len(ids) != len(sides):
            found, expected = repr(xtargets), "ids of sentences, a semicolon, and ids of sentences"
            inputs.problems.report("not a link", where=f"{file}:{line}", found=found, expected=expected)
            continue
        missing = [name for names, side in zip(ids, sides, strict=True) for name in names if name not in side]
        if missing:
            what = "a link to a sentence that is not there"
            inputs.problems.report(what, where=f"{file}:{line}", found=missing[0], expected="an id of <s>")
            continue
        first, second = (" ".join([side[name] for name in names]) for names, side in zip(ids, sides, strict=True))
        yield first, second, line


def _sentences(inputs: ReaderInputs, path: str) -> Sentences:
    sentences: Sentences = {}
    name, words = "", []
    parts: list[str] | None = None  # The texts of the open sentence or word
    for tag, value, _ in xml_events(inputs, path):
        if parts is None:
            if tag == "s":
                name, words, parts = value.get("id", ""), [], []
        elif tag == TEXT:
            parts.append(value)
        elif tag == "w":
            parts = []
        elif tag == "/w":
            words.append(on_one_line(parts))
            parts = []
        elif tag == "/s":
            sentences[name] = " ".join(words) if words else on_one_line(parts)
            parts = None
    return sentences


def write(config: OpusXmlConfig, stock: Stock) -> FixtureFiles:
    """Yield the documents and the alignments of each split of a fixture."""
    for split, files in config.in_order:
        lines = ['<?xml version="1.0" encoding="utf-8"?>', '<cesAlign version="1.0">']
        for number, rows in enumerate(stock.draw_documents(config, split, files.alignments), 1):
            paths = [f"{language}/{split}/{number}.xml" for language in stock.languages]
            for side, folder in enumerate((files.source, files.target)):
                yield f"{folder}/{paths[side]}", _document_xml([row[side] for row in rows])
            links = [tuple(str(n) if text else "" for text in row) for n, row in enumerate(rows, 1)]
            if files.first == "target":
                paths, links = paths[::-1], [link[::-1] for link in links]
            lines.append(f'<linkGrp targType="s" fromDoc="{paths[0]}.gz" toDoc="{paths[1]}.gz">')
            lines += [f'<link xtargets="{";".join(link)}"/>' for link in links]
            lines.append("</linkGrp>")
        yield files.alignments, text_of((*lines, "</cesAlign>"))


def _document_xml(sentences: list[str]) -> str:
    lines = [f'<s id="{number}">{escaped(text)}</s>' for number, text in enumerate(sentences, 1)]
    return text_of(('<?xml version="1.0" encoding="utf-8"?>', "<text>", *lines, "</text>"))
