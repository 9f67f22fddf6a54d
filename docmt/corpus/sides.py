"""Documents whose two languages are in separate files, paired line by line or by the names of documents."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import ClassVar

from docmt.base.checks import needed, setting
from docmt.corpus.inputs import MANY_SENTENCES, Document, Problems, ReaderInputs, SideText

OTHER_VERSION = "use another version of the corpus, whose documents are known"

Row = tuple[int, tuple[str | None, ...]]
"""The number of a line, counted from 1, and the text of the line in each file, without outer white space.

The text of a reference that lacks the sentence is None.
"""


@dataclass(frozen=True)
class SidesConfig:
    """The paths of files that are translations of each other, line by line.

    `references` are files with further translations beside `target`.
    """

    PATHS: ClassVar = ("source", "target", "references")

    source: str = needed("file of the source sentences")
    target: str = needed("file of the target sentences")
    references: tuple[str, ...] = setting((), "files of further translations beside `target`")

    @property
    def paths(self) -> tuple[str, ...]:
        """The source, the target and the further references, in this order."""
        return (self.source, self.target, *self.references)


def aligned_rows(inputs: ReaderInputs, files: Sequence[str]) -> Iterator[Row]:
    """Yield the lines of several files side by side, with the number of each line.

    Reports files with unequal numbers of lines; the surplus lines of the longer files are not yielded.
    """
    streams = [inputs.lines(name) for name in files]
    for number, texts in enumerate(zip_longest(*streams), 1):
        if None in texts:
            # The text of a file that has ended is None; the other files are read to their end to count lines for the
            # message.
            remaining = [sum(1 for _ in stream) for stream in streams]
            counts = [number - (text is None) + unread for text, unread in zip(texts, remaining, strict=True)]
            shortest, longest = (pick(range(len(files)), key=counts.__getitem__) for pick in (min, max))
            inputs.problems.report(
                "the two sides have different numbers of lines",
                where=f"{inputs.display_name(files[shortest])}:{counts[shortest]}",
                found=f"{counts[shortest]} lines",
                expected=f"{counts[longest]} lines, as in {inputs.display_name(files[longest])}",
            )
            return
        yield number, tuple([text.strip() for text in texts])


def aligned_document(split: str, name: str, rows: Sequence[Row], files: Sequence[str]) -> Document:
    """Return a document of the rows; `files` has the names of its source, target and references in messages."""
    lines = [number for number, _ in rows]
    columns = zip(*(texts for _, texts in rows), strict=True)
    source, target, *references = (SideText(texts, file, lines) for texts, file in zip(columns, files, strict=True))
    return Document(split, name, source, target, f"{files[0]}:{lines[0]}", tuple(references))


@dataclass
class MonolingualDocument:
    """A document in one language."""

    file: str  # its name in messages
    name: str
    line: int  # the line at which the document begins
    system: str = ""  # the translator (`sysid`), where the file states one
    sentences: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)  # the number of the line of each sentence

    @property
    def side(self) -> SideText:
        """The sentences with their file and lines."""
        return SideText(self.sentences, self.file, self.lines)

    @property
    def where(self) -> str:
        """The place at which the document begins, in the form in which messages show it."""
        return f"{self.file}:{self.line}"


def paired_documents(
    split: str, prefix: str, sides: Iterable[Iterable[MonolingualDocument]], problems: Problems
) -> Iterator[Document]:
    """Yield documents that pair a document of the source with the document of the same name in the target.

    `prefix` is put before the names. Reports the first document that only one of the languages has, and ends there.
    """
    for source, target in zip_longest(*sides):
        if source is None or target is None or source.name != target.name:
            names = ["no more" if document is None else document.name for document in (source, target)]
            problem, where = "the two languages have different documents", (source or target).where
            problems.report(problem, where=where, found=f"{names[0]} in one", expected=f"{names[1]} in the other")
            return
        yield Document(split, prefix + source.name, source.side, target.side, source.where)


class DocumentCollector:
    """A receiver of the tags and texts of a parser, which collects documents (`<doc>`) with their sentences (`<seg>`).

    `file` is the name of the file in messages. Reports a segment outside of a document, segments that are not numbered
    1, 2, 3 ... in the document or in a paragraph, a document without a `docid`, a document that a system has twice, and
    documents or segments that are not closed.
    """

    def __init__(self, file: str, problems: Problems) -> None:
        """Start without an open document or segment."""
        self.documents: list[MonolingualDocument] = []
        self._file, self._problems = file, problems
        self._open: MonolingualDocument | None = None
        self._text: list[str] | None = None
        self._line = 0  # The line at which the open segment begins
        self._number = 0  # The number of the last segment
        self._at_paragraph = False  # Whether no segment of the open paragraph or headline has begun yet

    @property
    def in_segment(self) -> bool:
        """Whether a segment is open."""
        return self._text is not None

    def start(self, tag: str, attributes: Mapping[str, str | None], line: int) -> None:
        """Receive a start tag."""
        if tag == "doc":
            self._start_document(attributes, line)
        elif tag == "seg":
            self._start_segment(attributes, line)
        elif tag in ("p", "hl"):
            self._at_paragraph = True

    def end(self, tag: str, line: int) -> None:
        """Receive an end tag."""
        if tag == "seg" and self._text is not None:
            self._add_segment()
        elif tag == "doc":
            self._end_document(closed=True)

    def text(self, text: str) -> None:
        """Receive text between tags; text outside of segments (`<seg>`) is ignored."""
        if self._text is not None:
            self._text.append(text)

    def finish(self) -> list[MonolingualDocument]:
        """Return all documents; this is called after the last line of the file."""
        self._end_document(closed=False)
        return self.documents

    def _start_document(self, attributes: Mapping[str, str | None], line: int) -> None:
        self._end_document(closed=False)
        name, system = attributes.get("docid") or "", attributes.get("sysid") or ""
        if not name:
            self._report("document without a docid", line)
        if any((document.name, document.system) == (name, system) for document in self.documents):
            self._report("document given twice", line, found=f"docid {name}")
        self._open, self._number = MonolingualDocument(self._file, name, line, system), 0
        self.documents.append(self._open)

    def _start_segment(self, attributes: Mapping[str, str | None], line: int) -> None:
        self._close_segment()
        if self._open is None:
            self._report("segment outside of a document", line)
            return
        # The numbers may begin again in each paragraph.
        starts_again = self._at_paragraph and attributes.get("id") == "1"
        self._number = 1 if starts_again else self._number + 1
        if attributes.get("id") != str(self._number):
            segment_id = f"seg id {attributes.get('id')}"
            self._report("segments are not numbered 1, 2, 3 ...", line, found=segment_id, expected=self._number)
        self._text, self._line, self._at_paragraph = [], line, False

    def _end_document(self, closed: bool) -> None:
        self._close_segment()
        document, self._open = self._open, None
        if document is not None and not closed:
            self._report("document is not closed", document.line, found=f"docid {document.name}")

    def _close_segment(self) -> None:
        if self._text is not None:
            self._report("segment is not closed", self._line)
            self._add_segment()

    def _add_segment(self) -> None:
        # A segment may span several lines of the file.
        self._open.sentences.append("".join(self._text).replace("\n", " ").strip())
        self._open.lines.append(self._line)
        self._text = None

    def _report(self, what: str, line: int, **facts: object) -> None:
        self._problems.report(what, where=f"{self._file}:{line}", **facts)


def opus_name(source: str, target: str) -> str:
    """Return the name of a document of OPUS: the path that its two files share, or both paths where they differ."""
    names = dict.fromkeys(_without_language(path) for path in (source, target))
    return " ".join(names)


def _without_language(path: str) -> str:
    # The first folder is the language.
    return re.sub(r"\.xml(\.gz)?$", "", path.partition("/")[2] or path)


def several_documents(documents: Iterable[Document], where: str, problems: Problems) -> Iterator[Document]:
    """Yield the documents of a corpus of OPUS; report one that is all, and longer than MANY_SENTENCES pairs."""
    count = sentences = 0
    for document in documents:
        count, sentences = count + 1, len(document.source.sentences)
        yield document
    if count == 1 and sentences > MANY_SENTENCES:
        problems.report(
            "the corpus is one document: OPUS has no boundaries of its documents",
            where=where,
            found=f"{sentences:,} pairs with the same files",
            expected="several documents",
            remedy=OTHER_VERSION,
        )


def talk_tags(number: int) -> tuple[str, ...]:
    """Return the lines that describe a talk in a file of IWSLT, for a fixture (a generated corpus)."""
    return (
        "<keywords>talks</keywords>",
        f"<speaker>Speaker {number}</speaker>",
        f"<talkid>{number}</talkid>",
        f"<title>Talk {number}</title>",
        f"<description>The talk of speaker {number}</description>",
    )


def escaped(text: str) -> str:
    """Return the text with `&`, `<` and `>` escaped for XML."""
    import html

    return html.escape(text, quote=False)
