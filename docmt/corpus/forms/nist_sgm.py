"""The form `nist_sgm`: sets of the NIST evaluations, with a file of the source and files of one or more references.

The text of an element `<doc>` is a document, and that of an element `<seg>` is a sentence.
"""

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import ClassVar, Literal

from docmt.base.checks import Checked, needed, setting, some
from docmt.catalogue.forms import KIND, OF_SPLITS, SplitsReaderConfig, some_splits
from docmt.corpus.inputs import Document, FixtureFiles, ReaderInputs, Rows, text_of
from docmt.corpus.sides import DocumentCollector, MonolingualDocument, escaped
from docmt.corpus.stock import Stock

TAG = re.compile(
    r"<(?P<slash>/?)(?P<tag>mteval|srcset|refset|tstset|doc|hl|p|seg)(?P<attributes>(?:\s[^<>]*)?)/?>", re.IGNORECASE
)
"""The pattern of the tags of the format. All else in a segment is text as it is written, since the files of evaluations
have `&`, `<`, comments and CDATA that nobody has escaped."""
MARKUP = re.compile(rf"<!--.*?-->|{TAG.pattern}", re.IGNORECASE | re.DOTALL)  # What is markup outside of segments.
ATTRIBUTE = re.compile(r"""(?P<name>[\w:.-]+)\s*=\s*(?:"(?P<quoted>[^"]*)"|'(?P<single>[^']*)'|(?P<plain>[^\s"']+))""")
# The entities that are resolved: those of XML; `&copy` may be a part of an address.
ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);", re.IGNORECASE)


@dataclass(frozen=True)
class SgmFilesConfig(Checked):
    """The files of a set.

    The first of several references is the target. References are in the order of the files and, inside a file, in the
    order of the text.
    """

    PATHS: ClassVar = ("source", "references")

    source: str = needed("file of the source text")
    references: tuple[str, ...] = needed("files of the references", some("one file or more", found="nothing"))
    source_form: Literal["sgm", "lines"] = setting("sgm", "lines = plain text, a line for each segment")


@dataclass(frozen=True)
class NistSgmConfig(SplitsReaderConfig):
    """The settings of the form `nist_sgm`."""

    kind: Literal["nist_sgm"] = needed(KIND)
    splits: dict[str, SgmFilesConfig] = needed(OF_SPLITS, some_splits)


def documents(config: NistSgmConfig, inputs: ReaderInputs) -> Iterator[Document]:
    """Yield the documents, named by their `docid`.

    The documents are in the order of the source or, where the source is plain text, in the order of the references.
    Reports the problems of `DocumentCollector`, and a document that is missing in the source or in the references.
    """
    for split, files in config.in_order:
        references: dict[str, list[MonolingualDocument]] = {}
        for reference in (reference for file in files.references for reference in _parsed(inputs, file)):
            references.setdefault(reference.name, []).append(reference)
        sources = _sources(inputs, files, [translations[0] for translations in references.values()])
        yield from _joined(split, sources, references, inputs)


def _joined(
    split: str,
    sources: Sequence[MonolingualDocument],
    references: dict[str, list[MonolingualDocument]],
    inputs: ReaderInputs,
) -> Iterator[Document]:
    known = {source.name for source in sources}
    for name in (name for name in references if name not in known):
        inputs.problems.report("document without a source", where=references[name][0].where, found=f"docid {name}")
    for source in sources:
        if source.name not in references:
            inputs.problems.report("document without a reference", where=source.where, found=f"docid {source.name}")
            continue
        target, *further = (reference.side for reference in references[source.name])
        yield Document(split, source.name, source.side, target, source.where, tuple(further))


def _sources(
    inputs: ReaderInputs, files: SgmFilesConfig, references: Sequence[MonolingualDocument]
) -> list[MonolingualDocument]:
    if files.source_form == "sgm":
        return _parsed(inputs, files.source)
    # Plain text is cut into documents of the same lengths as the references.
    file_name, lines = inputs.display_name(files.source), [line.strip() for line in inputs.lines(files.source)]
    expected = sum(len(reference.sentences) for reference in references)
    if len(lines) != expected:
        inputs.problems.report(
            "number of lines differs from the segments of the references",
            where=f"{file_name}:{len(lines)}",
            found=f"{len(lines)} lines",
            expected=f"{expected} lines",
        )
    sources, first = [], 0
    for reference in references:
        # Where problems are collected, reading goes on although there may be too few lines.
        last = min(first + len(reference.sentences), len(lines))
        sources.append(
            MonolingualDocument(
                file_name, reference.name, first + 1, "", lines[first:last], list(range(first + 1, last + 1))
            )
        )
        first = last
    return sources


def _parsed(inputs: ReaderInputs, file: str) -> list[MonolingualDocument]:
    collector, text = DocumentCollector(inputs.display_name(file), inputs.problems), inputs.text(file)
    line, last = 1, 0
    while match := (TAG if collector.in_segment else MARKUP).search(text, last):
        collector.text(_resolved(text[last : match.start()]))
        line += text.count("\n", last, match.start())
        # A comment has no tag.
        if match["tag"] and match["slash"]:
            collector.end(match["tag"].lower(), line)
        elif match["tag"]:
            pairs = ATTRIBUTE.finditer(match["attributes"])
            attributes = {pair["name"].lower(): _resolved(pair[pair.lastgroup]) for pair in pairs}
            collector.start(match["tag"].lower(), attributes, line)
        last = match.end()
        line += text.count("\n", match.start(), last)
    return collector.finish()


def _resolved(text: str) -> str:
    return ENTITY.sub(lambda match: html.unescape(match[0]), text)


def write(config: NistSgmConfig, stock: Stock) -> FixtureFiles:
    """Yield the files of each split of a fixture."""
    for split, files in config.in_order:
        name = PurePosixPath(files.source).name
        # Where the settings name one file of references, this file has all references; else each file has one
        # reference.
        number = len(files.references) if len(files.references) > 1 else stock.config.references
        documents = stock.draw_documents(config, split, files.source, number)
        if files.source_form == "lines":
            yield files.source, text_of(row[0] for rows in documents for row in rows)
        else:
            yield files.source, _sgm("srcset", name, documents, (0,))
        columns = range(1, number + 1)
        for first, path in enumerate(files.references, 1):
            yield path, _sgm("refset", name, documents, columns if len(files.references) == 1 else (first,))


def _sgm(kind: str, name: str, documents: Sequence[Rows], sides: Sequence[int]) -> str:
    lines = [f'<{kind} setid="{name}" srclang="Chinese">']
    # Each of the columns `sides` is written as one `sysid`.
    for side in sides:
        for number, rows in enumerate(documents, 1):
            lines += [f'<DOC docid="{name}.{number}" sysid="{f"E{side:02}" if side else "source"}">', "<p>"]
            lines += [f"<seg id={n}> {escaped(row[side])} </seg>" for n, row in enumerate(rows, 1)]
            lines += ["</p>", "</DOC>"]
    return text_of((*lines, f"</{kind}>"))
