"""The form `wmt_xml`: test sets of WMT in XML, as they are published since 2021, and XML of one's own in this form.

An element `<doc>` has a source (`<src>`) and references (`<ref>`), each the work of a `translator`; their segments
(`<seg>`) are paired by their ids. The translations of systems (`<hyp>`) are not read, nor are the documents of test
suites, which have an attribute `testsuite`.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from docmt.base.checks import needed, setting
from docmt.base.errors import UserError
from docmt.catalogue.forms import KIND, OF_SPLITS, Languages, SplitsReaderConfig, some_splits
from docmt.corpus.inputs import Document, FixtureFiles, ReaderInputs, Rows, SideText, text_of
from docmt.corpus.sides import escaped
from docmt.corpus.stock import Stock
from docmt.corpus.xml_stream import TEXT, on_one_line, xml_events

FIXTURE_TRANSLATORS = ("A", "B")  # The translators in the files of a fixture whose settings name none.
SegmentId = tuple[str | None, int]  # The id of a segment, and how often it has occurred: numbers may begin again.
Segments = dict[SegmentId, tuple[str, int]]  # The text of each segment, and its line in the file


@dataclass(frozen=True)
class WmtXmlConfig(SplitsReaderConfig):
    """The settings of the form `wmt_xml`: a file for each split, and whose translations are its references."""

    kind: Literal["wmt_xml"] = needed(KIND)
    splits: dict[str, str] = needed(OF_SPLITS, some_splits)
    translators: tuple[str, ...] = setting(
        (), "translators of the references, the target's first; none = all of them, in the order of the file"
    )


@dataclass
class WmtDocument:
    """A document of the file: the segments of the source and of each translator; a translator may have no name."""

    name: str
    line: int
    source: Segments = field(default_factory=dict)
    references: dict[str, Segments] = field(default_factory=dict)


def documents(config: WmtXmlConfig, inputs: ReaderInputs) -> Iterator[Document]:
    """Yield the documents, named by their `id`.

    Segments that none of the translators has translated are left out, and counted. Reports a document without an id,
    and a translator who has translated a document twice. Raises UserError for a file that is missing or is no XML, and
    for a translator who is not in the file.
    """
    for split, path in config.in_order:
        present = translators(inputs, path)
        labels = config.translators or present
        missing = [label for label in labels if label not in present]
        if missing or not present:
            raise no_reference(inputs, path, missing)
        yield from wmt_documents(inputs, path, labels, split)


def translators(inputs: ReaderInputs, path: str) -> list[str]:
    """Return the names of the translators in the order of the file; a reference may have none, which is ""."""
    references = (attributes for tag, attributes, _ in xml_events(inputs, path) if tag == "ref")
    return list(dict.fromkeys(attributes.get("translator", "") for attributes in references))


def no_reference(inputs: ReaderInputs, path: str, labels: Sequence[str]) -> UserError:
    """Return the error about a file without references of these translators."""
    found, expected = (
        ", ".join(label or "a reference without a translator" for label in names) or None
        for names in (translators(inputs, path), labels)
    )
    return UserError(
        "the file has no reference of this translator",
        where=inputs.display_name(path),
        found=found or "no reference",
        expected=expected,
        remedy="`reader: {kind: wmt_xml, translators: [...]}` names the translators whose references are read",
    )


def wmt_documents(
    inputs: ReaderInputs,
    path: str,
    labels: Sequence[str],
    split: str,
    prefix: str = "",
    clean: Callable[[str], str] = str.strip,
) -> Iterator[Document]:
    """Yield the documents of a file with the references of the translators `labels`, the target's first.

    `prefix` is put before the names; `clean` is applied to each text. A name that has occurred gets a number.
    """
    file, names = inputs.display_name(path), Counter()
    for document in _parsed(inputs, path):
        columns = [document.source, *(document.references.get(label, {}) for label in labels)]
        ids = [key for key in document.source if any(column.get(key, ("",))[0] for column in columns[1:])]
        inputs.changed["segments dropped: without a reference"] += len(document.source) - len(ids)
        if not ids:
            continue
        names[document.name] += 1
        number = names[document.name]
        name = f"{prefix}{document.name}{f'.{number}' if number > 1 else ''}"
        # A segment that a translator lacks has the line of the source.
        rows = [[column.get(key, ("", document.source[key][1])) for key in ids] for column in columns]
        texts = [[clean(text) for text, _ in row] for row in rows]
        lines = [[line for _, line in row] for row in rows]
        source, target = (SideText(texts[side], file, lines[side]) for side in range(2))
        further = (SideText([t or None for t in text], file, n) for text, n in zip(texts[2:], lines[2:], strict=True))
        yield Document(split, name, source, target, f"{file}:{document.line}", tuple(further))


def _parsed(inputs: ReaderInputs, path: str) -> Iterator[WmtDocument]:
    document = segments = parts = None
    counts: Counter[str | None] = Counter()
    for tag, attributes, line in xml_events(inputs, path):
        where = f"{inputs.display_name(path)}:{line}"
        if tag == TEXT:
            if parts is not None:
                parts.append(attributes)
        elif tag == "doc" and "testsuite" not in attributes:
            if not attributes.get("id"):
                inputs.problems.report("document without an id", where=where, expected='<doc id="...">')
            document = WmtDocument(attributes.get("id", ""), line)
        elif tag == "/doc" and document is not None:
            yield document
            document = None
        elif document is None:
            continue
        elif tag in ("src", "ref"):
            segments, counts = _segments_of(document, tag, attributes, inputs, where), Counter()
        elif tag in ("/src", "/ref"):
            segments = None
        elif tag == "seg" and segments is not None:
            counts[attributes.get("id")] += 1
            key, first, parts = (attributes.get("id"), counts[attributes.get("id")]), line, []
        elif tag == "/seg" and parts is not None:
            segments[key], parts = (on_one_line(parts), first), None


def _segments_of(
    document: WmtDocument, tag: str, attributes: dict[str, str], inputs: ReaderInputs, where: str
) -> Segments:
    if tag == "src":
        return document.source
    label = attributes.get("translator", "")
    if label in document.references:
        found = f"{document.name} by {label or 'a translator without a name'}"
        inputs.problems.report("document translated twice by one translator", where=where, found=found)
    return document.references.setdefault(label, {})


def write(config: WmtXmlConfig, stock: Stock) -> FixtureFiles:
    """Yield the file of each split of a fixture."""
    labels = config.translators or FIXTURE_TRANSLATORS
    for split, path in config.in_order:
        drawn = stock.draw_documents(config, split, path, len(labels))
        yield path, wmt_xml(drawn, labels, stock.languages)


def wmt_xml(documents: Sequence[Rows], labels: Sequence[str], languages: Languages) -> str:
    """Return the content of a file with these documents, whose references are by the translators `labels`."""
    source, target = languages
    tags = [("src", f'lang="{source}"'), *(("ref", f'lang="{target}" translator="{label}"') for label in labels)]
    lines = ["<?xml version='1.0' encoding='utf-8'?>", '<dataset id="fixture">']
    for number, rows in enumerate(documents, 1):
        lines.append(f'<doc origlang="{source}" id="{number}">')
        for side, (tag, attributes) in enumerate(tags):
            lines.append(f"<{tag} {attributes}><p>")
            lines += [f'<seg id="{n}">{escaped(row[side])}</seg>' for n, row in enumerate(rows, 1)]
            lines.append(f"</p></{tag}>")
        lines.append("</doc>")
    return text_of((*lines, "</dataset>"))
