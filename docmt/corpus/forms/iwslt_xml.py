"""The form `iwslt_xml`: the dev and test sets of IWSLT, with an XML file for each language and set.

A document is a talk.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from docmt.base.checks import needed
from docmt.base.errors import UserError
from docmt.catalogue.forms import KIND, Languages, SplitsReaderConfig, need_parts, some_splits
from docmt.corpus.inputs import Document, FixtureFiles, ReaderInputs, Rows, text_of
from docmt.corpus.sides import DocumentCollector, MonolingualDocument, escaped, paired_documents, talk_tags
from docmt.corpus.stock import Stock


@dataclass(frozen=True)
class IwsltXmlConfig(SplitsReaderConfig):
    """The settings of the form `iwslt_xml`.

    `files` is a path with {set} and {language} in it. `splits` has the names of the sets of each split, in order.
    """

    PATHS: ClassVar = ("files",)

    kind: Literal["iwslt_xml"] = needed(KIND)
    files: str = needed("path of the files, with {set} and {language} in it")
    splits: dict[str, tuple[str, ...]] = needed("by split, the names of its sets in order", some_splits)

    def __post_init__(self) -> None:
        """Raise BadValue where the path `files` does not have {set} and {language} in it."""
        super().__post_init__()
        need_parts(self.files, "files", "{set}", "{language}")

    def files_of(self, split: str, languages: Languages) -> list[str]:
        """Return the paths of all sets of a split."""
        return [path for set_ in self.splits[split] for path in self.files_of_set(set_, languages)]

    def files_of_set(self, set_: str, languages: Languages) -> list[str]:
        """Return the paths of the set `set_` in the two languages."""
        return [self.files.format(set=set_, language=language) for language in languages]

    def shares(self) -> dict[str, int]:
        """Return the number of sets of each split."""
        return {split: len(sets) for split, sets in self.splits.items()}


def documents(config: IwsltXmlConfig, inputs: ReaderInputs) -> Iterator[Document]:
    """Yield the talks, named `<set>.<docid>`; a split has the talks of its sets, set by set.

    Reports the problems of `DocumentCollector` and `paired_documents`. Raises UserError for a file that is missing or
    is no XML file.
    """
    for split, sets in config.in_order:
        for set_ in sets:
            sides = [_talks(inputs, file) for file in config.files_of_set(set_, inputs.languages)]
            yield from paired_documents(split, f"{set_}.", sides, inputs.problems)


def _talks(inputs: ReaderInputs, file: str) -> list[MonolingualDocument]:
    from xml.parsers import expat

    file_name = inputs.display_name(file)
    collector, parser = DocumentCollector(file_name, inputs.problems), expat.ParserCreate()
    parser.StartElementHandler = lambda tag, attributes: collector.start(tag, attributes, parser.CurrentLineNumber)
    parser.EndElementHandler = lambda tag: collector.end(tag, parser.CurrentLineNumber)
    parser.CharacterDataHandler = collector.text
    try:
        parser.Parse(inputs.text(file), True)
    except expat.ExpatError as problem:
        where = f"{file_name}:{problem.lineno}"
        raise UserError("not an XML file", where=where, found=expat.ErrorString(problem.code)) from None
    return collector.finish()


def write(config: IwsltXmlConfig, stock: Stock) -> FixtureFiles:
    """Yield the file of each set and language of a fixture."""
    for split, sets in config.in_order:
        for set_ in sets:
            talks = stock.draw_documents(config, split, config.files.format(set=set_, language=""))
            for side, path in enumerate(config.files_of_set(set_, stock.languages)):
                kind = ("srcset", "refset")[side]
                lines = [line for number, rows in enumerate(talks, 1) for line in _xml_talk(number, rows, side)]
                opening = ('<?xml version="1.0" encoding="UTF-8"?>', "<mteval>", f'<{kind} setid="{set_}">')
                yield path, text_of((*opening, *lines, f"</{kind}>", "</mteval>"))


def _xml_talk(number: int, rows: Rows, side: int) -> Iterator[str]:
    yield f'<doc docid="{number}" genre="lectures">'
    yield from talk_tags(number)
    yield from (f'<seg id="{n}"> {escaped(row[side])} </seg>' for n, row in enumerate(rows, 1))
    yield "</doc>"
