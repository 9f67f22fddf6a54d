"""`nist_sgm`: sets of the NIST evaluations, a srcset and refsets of one reference or more; a document is a `<doc>`."""

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
"""Tags of the format; anything else that looks like one is text."""


@dataclass(frozen=True)
class SgmFilesConfig:
    """The files of one set; of several references the first is the target, in the order of files and `sysid`s."""

    PATHS: ClassVar = ("source", "references")

    source: str
    references: tuple[str, ...]
    source_form: Literal["sgm", "lines"] = setting("sgm", "lines = plain text, a line for each segment")

    def __post_init__(self) -> None:
        need(bool(self.references), "references", "nothing", "one file or more")


@dataclass(frozen=True)
class NistSgmConfig(SplitsReaderConfig):
    kind: Literal["nist_sgm"]
    splits: dict[str, SgmFilesConfig]


def documents(config: NistSgmConfig, inputs: ReaderInputs) -> Iterator[Document]:
    """Documents go by their `docid`; their order is the source's, or, where it is plain text, the first reference's.

    Of several references the first is the target: in the order of the files and, in one, of `sysid`s.
    Reports what `DocumentCollector` finds, and documents that source or references lack.
    """
    for split, files in config.in_order:
        references: dict[str, list[MonolingualDocument]] = {}
        for one in (one for file in files.references for one in _parsed(inputs, file)):
            references.setdefault(one.name, []).append(one)
        sources = _sources(inputs, files, [found[0] for found in references.values()])
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
        target, *further = (one.side for one in references[source.name])
        yield Document(split, source.name, source.side, target, source.where, tuple(further))


def _sources(
    inputs: ReaderInputs, files: SgmFilesConfig, references: Sequence[MonolingualDocument]
) -> list[MonolingualDocument]:
    """The source's documents; those of plain text are as long as the `references`."""
    if files.source_form == "sgm":
        return _parsed(inputs, files.source)
    shown, lines = inputs.display_name(files.source), [line.strip() for line in inputs.lines(files.source)]
    expected = sum(len(one.sentences) for one in references)
    if len(lines) != expected:
        inputs.problems.report(
            "not a line for each segment of the references",
            where=f"{shown}:{len(lines)}",
            found=f"{len(lines)} lines",
            expected=f"{expected} lines",
        )
    found, first = [], 0
    for one in references:
        last = min(first + len(one.sentences), len(lines))
        found.append(
            MonolingualDocument(shown, one.name, first + 1, "", lines[first:last], list(range(first + 1, last + 1)))
        )
        first = last
    return found


def _parsed(inputs: ReaderInputs, file: str) -> list[MonolingualDocument]:
    """SGML is near enough to HTML: tags in either case, attributes with or without quotes, the same entities."""
    from html.parser import HTMLParser

    found = DocumentCollector(inputs.display_name(file), inputs.problems)

    class Parser(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            if tag in STRUCTURE:
                found.start(tag, dict(attrs), self.getpos()[0])
            else:
                found.text(self.get_starttag_text() or "")

        def handle_endtag(self, tag: str) -> None:
            if tag in STRUCTURE:
                found.end(tag, self.getpos()[0])
            else:
                found.text(f"</{tag}>")

        def handle_data(self, data: str) -> None:
            found.text(data)

    parser = Parser(convert_charrefs=True)
    parser.feed(inputs.text(file))
    parser.close()
    return found.finish()


def write(config: NistSgmConfig, stock: Stock) -> FixtureFiles:
    """All references in one file, where there is one; else each file has one."""
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
    """`sides`: the columns that are written, a system each."""
    lines = [f'<{kind} setid="{name}" srclang="Chinese">']
    for side in sides:
        for number, rows in enumerate(documents, 1):
            lines += [f'<DOC docid="{name}.{number}" sysid="{f"E{side:02}" if side else "source"}">', "<p>"]
            lines += [f"<seg id={n}> {escaped(row[side])} </seg>" for n, row in enumerate(rows, 1)]
            lines += ["</p>", "</DOC>"]
    return text_of((*lines, f"</{kind}>"))
