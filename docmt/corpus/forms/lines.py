"""The form `lines`: plain text with a sentence on each line; equal lines of two files are a sentence pair."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

from docmt.base.checks import need, needed, setting
from docmt.catalogue.forms import KIND, OF_SPLITS, Languages, SplitsReaderConfig, some_splits
from docmt.corpus.boundaries import BoundariesConfig, aligned_runs, boundary_file
from docmt.corpus.inputs import Document, FixtureFiles, ReaderInputs, text_of
from docmt.corpus.sides import SidesConfig, aligned_document
from docmt.corpus.stock import Stock


@dataclass(frozen=True)
class LinesConfig(SplitsReaderConfig):
    """The settings of the form `lines`."""

    PATHS: ClassVar = ("splits", "documents")

    kind: Literal["lines"] = needed(KIND)
    splits: dict[str, SidesConfig] = needed(OF_SPLITS, some_splits)
    documents: BoundariesConfig | None = setting(
        BoundariesConfig(blank=True), "the boundaries of documents; none = each line is a document"
    )

    def __post_init__(self) -> None:
        """Raise BadValue for `drop_empty` with blank lines as boundaries, and for boundary files of other splits."""
        super().__post_init__()
        boundaries = self.documents
        blank = boundaries is not None and boundaries.blank and self.drop_empty
        need(not blank, "drop_empty", True, "another boundary (a blank line already ends a document)")
        if boundaries is not None and boundaries.beside is not None:
            name, files = boundaries.beside
            same = files.keys() == self.splits.keys()
            need(same, f"documents.{name}", list(files), f"the splits: {', '.join(self.splits)}")

    def files_of(self, split: str, languages: Languages) -> list[str]:
        """Return the paths of a split: its text and, where there is one, the file that states its boundaries."""
        beside = self.documents.beside if self.documents is not None else None
        return [*super().files_of(split, languages), *([beside[1][split]] if beside else [])]

    def with_splits(self, splits: Mapping[str, Any]) -> Self:
        """Return the same settings with the given splits, and with the boundary files of these splits only."""
        documents = None if self.documents is None else self.documents.limited(splits)
        return replace(self, splits=splits, documents=documents)


def documents(config: LinesConfig, inputs: ReaderInputs) -> Iterator[Document]:
    """Yield the documents; without names of their own they are `<split>1`, `<split>2`, ...

    Reports files with unequal numbers of lines, and mistakes in the boundaries of documents.
    """
    for split, sides in config.in_order:
        file_names = [inputs.display_name(path) for path in sides.paths]
        for number, (name, rows) in enumerate(aligned_runs(sides.paths, config.documents, split, inputs), 1):
            yield aligned_document(split, name or f"{split}{number}", rows, file_names)


def write(config: LinesConfig, stock: Stock) -> FixtureFiles:
    """Yield the files of each split of a fixture and, where there is one, the file that states its boundaries."""
    boundaries = config.documents
    for split, sides in config.in_order:
        documents = stock.draw_documents(
            config, split, sides.source, len(sides.paths) - 1, cut=1 if boundaries is None else None
        )
        for side, path in enumerate(sides.paths):
            tag = "fromDoc" if side == 0 else "toDoc"
            texts = [[row[side] for row in rows] for rows in documents]
            yield path, text_of(_with_boundaries(texts, boundaries, f"{stock.languages[min(side, 1)]}/{split}", tag))
        if boundaries is not None:
            yield from boundary_file(boundaries, split, documents).items()


def _with_boundaries(
    documents: list[list[str]], boundaries: BoundariesConfig | None, folder: str, tag: str
) -> Iterator[str]:
    marks = {} if boundaries is None else {boundaries.at: [boundaries.marker]}
    for number, sentences in enumerate(documents):
        yield from marks.get("start", ())
        if boundaries is not None and boundaries.blank and number > 0:
            yield ""
        if boundaries is not None and boundaries.opus_tags:
            yield from ("", f"<{tag}>{folder}{number + 1}.xml.gz</{tag}>", "")
        yield from sentences
        yield from marks.get("end", ())
