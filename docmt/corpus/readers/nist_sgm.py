"""`nist_sgm`: sets of the NIST evaluations, with one reference or several; a document is a `<doc>`."""

from collections.abc import Iterator, Sequence
from html.parser import HTMLParser

from docmt.catalogue.readers import NistSgmConfig, SgmFilesConfig, in_order
from docmt.corpus.inputs import Document, Inputs, Reading, place
from docmt.corpus.readers.documents import MarkedUp, OneSided

STRUCTURE = frozenset(("mteval", "srcset", "refset", "tstset", "doc", "hl", "p", "seg"))
"""Tags of the format; anything else that looks like one is text."""


def read_nist_sgm(config: NistSgmConfig, inputs: Inputs) -> Reading:
    """Documents go by their `docid`; their order is the source's, or, where it is plain text, the first reference's.

    Of several references the first is the target: in the order of the files and, in one, of `sysid`s.
    Reports what `MarkedUp` finds, and documents that source or references lack.
    """
    return Reading(_documents(config, inputs))


def _documents(config: NistSgmConfig, inputs: Inputs) -> Iterator[Document]:
    for split, files in in_order(config.splits):
        references = [(file, one) for file in files.references for one in _parsed(config, inputs, file)]
        by_name: dict[str, list[tuple[str, OneSided]]] = {}
        for file, one in references:
            by_name.setdefault(one.name, []).append((file, one))
        sources = _sources(config, inputs, files, [found[0][1] for found in by_name.values()])
        yield from _joined(config, inputs, split, files, sources, by_name)


def _joined(
    config: NistSgmConfig,
    inputs: Inputs,
    split: str,
    files: SgmFilesConfig,
    sources: Sequence[OneSided],
    references: dict[str, list[tuple[str, OneSided]]],
) -> Iterator[Document]:
    shown = place(config.archive, files.source)
    known = {source.name for source in sources}
    for name, found in references.items():
        if name not in known:
            file, one = found[0]
            where = f"{place(config.archive, file)}:{one.line}"
            inputs.problems.report("document without a source", where=where, found=f"docid {name}")
    for source in sources:
        where = f"{shown}:{source.line}"
        if source.name not in references:
            inputs.problems.report("document without a reference", where=where, found=f"docid {source.name}")
            continue
        target, *further = (one.side(place(config.archive, file)) for file, one in references[source.name])
        yield Document(split, source.name, source.side(shown), target, where, tuple(further))


def _sources(
    config: NistSgmConfig, inputs: Inputs, files: SgmFilesConfig, references: Sequence[OneSided]
) -> list[OneSided]:
    """The source's documents; those of plain text are as long as the `references`."""
    if files.source_form == "sgm":
        return _parsed(config, inputs, files.source)
    lines = [line.strip() for line in inputs.lines(config.archive, files.source)]
    expected = sum(len(one.sentences) for one in references)
    if len(lines) != expected:
        inputs.problems.report(
            "not a line for each segment of the references",
            where=f"{place(config.archive, files.source)}:{len(lines)}",
            found=f"{len(lines)} lines",
            expected=f"{expected} lines",
        )
    found, first = [], 0
    for one in references:
        last = min(first + len(one.sentences), len(lines))
        found.append(OneSided(one.name, first + 1, "", lines[first:last], list(range(first + 1, last + 1))))
        first = last
    return found


def _parsed(config: NistSgmConfig, inputs: Inputs, file: str) -> list[OneSided]:
    parser = _Parser(MarkedUp(place(config.archive, file), inputs.problems))
    parser.feed(inputs.text(config.archive, file))
    parser.close()
    return parser.found.finish()


class _Parser(HTMLParser):
    """SGML is near enough to HTML: tags in either case, attributes with or without quotes, the same entities."""

    def __init__(self, found: MarkedUp) -> None:
        super().__init__(convert_charrefs=True)
        self.found = found

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in STRUCTURE:
            self.found.start(tag, dict(attrs), self.getpos()[0])
        else:
            self.found.text(self.get_starttag_text() or "")

    def handle_endtag(self, tag: str) -> None:
        if tag in STRUCTURE:
            self.found.end(tag, self.getpos()[0])
        else:
            self.found.text(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self.found.text(data)
