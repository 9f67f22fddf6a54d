"""The form `eos`: each line is a document, whose sentences are joined by a separator between spaces."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from docmt.base.checks import in_schema, need, needed, setting
from docmt.catalogue.forms import KIND, OF_SPLITS, SplitsReaderConfig, some_splits
from docmt.corpus.inputs import Document, FixtureFiles, ReaderInputs, SideText, text_of
from docmt.corpus.sides import SidesConfig, aligned_rows
from docmt.corpus.stock import GROUP, Stock


@in_schema(pattern=r"^\S+$")
def need_word(name: str, value: str) -> None:
    """Raise BadValue for a text that is empty or contains white space."""
    need(value.split() == [value], name, value, "a word without spaces")


@dataclass(frozen=True)
class EosConfig(SplitsReaderConfig):
    """The settings of the form `eos`."""

    kind: Literal["eos"] = needed(KIND)
    splits: dict[str, SidesConfig] = needed(OF_SPLITS, some_splits)
    separator: str = setting("_eos", "the word between sentences", need_word)


def documents(config: EosConfig, inputs: ReaderInputs) -> Iterator[Document]:
    """Yield the documents, whose names are the split and the number of the line: `<split>1`, `<split>2`, ...

    Reports files with unequal numbers of lines.
    """
    separator = re.compile(rf"(?<!\S){re.escape(config.separator)}(?!\S)")
    for split, files in config.in_order:
        file_names = [inputs.display_name(path) for path in files.paths]
        for number, texts in aligned_rows(inputs, files.paths):
            # Unequal numbers of sentences in a document are reported later, by `validated_documents`.
            sides = [[sentence.strip() for sentence in separator.split(text)] for text in texts]
            source, target, *references = (
                SideText(side, file, [number] * len(side)) for side, file in zip(sides, file_names, strict=True)
            )
            where = f"{file_names[0]}:{number}"
            yield Document(split, f"{split}{number}", source, target, where, tuple(references))


def write(config: EosConfig, stock: Stock) -> FixtureFiles:
    """Yield the files of each split for a fixture, with a document of GROUP sentences on each line."""
    for split, sides in config.in_order:
        documents = stock.draw_documents(config, split, sides.source, len(sides.paths) - 1, cut=GROUP)
        for side, path in enumerate(sides.paths):
            yield path, text_of(f" {config.separator} ".join(row[side] for row in rows) for rows in documents)
