"""Files that are translations of each other line by line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import ClassVar

from docmt.corpus.inputs import Document, Inputs, Side

Row = tuple[int, tuple[str | None, ...]]
"""The number of a line, from 1, and what it is in each file, stripped; a reference that is not there is None."""


@dataclass(frozen=True)
class SidesConfig:
    """Files that are translations of each other; `references`: further translations beside `target`."""

    PATHS: ClassVar = ("source", "target", "references")

    source: str
    target: str
    references: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.source, self.target, *self.references)


def aligned_rows(inputs: Inputs, files: Sequence[str]) -> Iterator[Row]:
    """The files side by side. Reports unequal numbers of lines; what one file has more is not given."""
    streams = [inputs.lines(name) for name in files]
    for number, texts in enumerate(zip_longest(*streams), 1):
        if None in texts:
            rest = [sum(1 for _ in stream) for stream in streams]
            counts = [number - (text is None) + more for text, more in zip(texts, rest, strict=True)]
            short, long = (pick(range(len(files)), key=counts.__getitem__) for pick in (min, max))
            inputs.problems.report(
                "the two sides have unequal numbers of lines",
                where=f"{inputs.shown(files[short])}:{counts[short]}",
                found=f"{counts[short]} lines",
                expected=f"{counts[long]} lines, as in {inputs.shown(files[long])}",
            )
            return
        yield number, tuple([text.strip() for text in texts])


def aligned_document(split: str, name: str, rows: Sequence[Row], files: Sequence[str]) -> Document:
    """Rows as a document. `files` as shown in messages: source, target, references."""
    lines = [number for number, _ in rows]
    columns = zip(*(texts for _, texts in rows), strict=True)
    source, target, *references = (Side(texts, file, lines) for texts, file in zip(columns, files, strict=True))
    return Document(split, name, source, target, f"{files[0]}:{lines[0]}", tuple(references))
