"""The form `nist_sgm`: sets of the NIST evaluations, a srcset and refsets of one or more references.

A document is a `<doc>`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import ClassVar, Literal

from docmt.base.checks import need, setting
from docmt.catalogue.forms import SplitsReaderConfig
from docmt.corpus.inputs import Document, FixtureFiles, ReaderInputs, Rows, text_of
from docmt.corpus.sides import DocumentCollector, MonolingualDocument, escaped
from docmt.corpus.stock import Stock

STRUCTURE = frozenset(("mteval", "srcset", "refset", "tstset", "doc", "hl", "p", "seg"))
"""The tags of the format; anything else that looks like a tag is text."""


@dataclass(frozen=True)
class SgmFilesConfig:
    """The files of a set.

    The first of several references is the target, in the order of the files and, inside a file, of the `sysid`s.
    """

    PATHS: ClassVar = ("source", "references")

    source: str
    references: tuple[str, ...]
    source_form: Literal["sgm", "lines"] = setting("sgm", "lines = plain text, a line for each segment")

    def __post_init__(self) -> None:
        """Refuse a set without references."""
        need(bool(self.references), "references", "nothing", "one file or more")


@dataclass(frozen=True)
class NistSgmConfig(SplitsReaderConfig):
    """The settings of `nist_sgm`."""

    kind: Literal["nist_sgm"]
    splits: dict[str, SgmFilesConfig]


def documents(config: NistSgmConfig, inputs: ReaderInputs) -> Iterator[Document]:
    """Yield the documents, named by their `docid`.

    Their order is the source's or, where the source is plain text, the first reference's. Reports the problems of
    `DocumentCollector`, and documents that the source or the references lack.
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
    """Yield the documents that have both a source and a reference."""
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
    """Return the source's documents; in plain text they are cut to the lengths of the `references`."""
    if files.source_form == "sgm":
        return _parsed(inputs, files.source)
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
        # There may be too few lines, which has been reported above; reading goes on where problems are
        # collected.
        last = min(first + len(reference.sentences), len(lines))
        sources.append(
            MonolingualDocument(
                file_name, reference.name, first + 1, "", lines[first:last], list(range(first + 1, last + 1))
            )
        )
        first = last
    return sources


def _parsed(inputs: ReaderInputs, file: str) -> list[MonolingualDocument]:
    """Return the documents of an SGM file, read by an HTML parser.

    SGML is close enough to HTML: tags in either case, attributes with or without quotes, the same entities.
    """
    from html.parser import HTMLParser

    collector = DocumentCollector(inputs.display_name(file), inputs.problems)

    class Parser(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            if tag in STRUCTURE:
                collector.start(tag, dict(attrs), self.getpos()[0])
            else:
                collector.text(self.get_starttag_text() or "")

        def handle_endtag(self, tag: str) -> None:
            if tag in STRUCTURE:
                collector.end(tag, self.getpos()[0])
            else:
                collector.text(f"</{tag}>")

        def handle_data(self, data: str) -> None:
            collector.text(data)

    parser = Parser(convert_charrefs=True)
    parser.feed(inputs.text(file))
    parser.close()
    return collector.finish()


def write(config: NistSgmConfig, stock: Stock) -> FixtureFiles:
    """Yield the files of each split.

    Where one file of references is named, it has all references; else each file has one reference.
    """
    for split, files in config.in_order:
        name = PurePosixPath(files.source).name
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
    """Return the content of a file. `sides`: the columns of `documents` that are written, each as a system."""
    lines = [f'<{kind} setid="{name}" srclang="Chinese">']
    for side in sides:
        for number, rows in enumerate(documents, 1):
            lines += [f'<DOC docid="{name}.{number}" sysid="{f"E{side:02}" if side else "source"}">', "<p>"]
            lines += [f"<seg id={n}> {escaped(row[side])} </seg>" for n, row in enumerate(rows, 1)]
            lines += ["</p>", "</DOC>"]
    return text_of((*lines, f"</{kind}>"))
