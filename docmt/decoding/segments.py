"""The test segments of a view, and the checks that they fit a model."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from torch import nn

from docmt.base.columns import SEGMENTS, check_segments
from docmt.base.errors import UserError
from docmt.base.tables import read_arrow, read_chains
from docmt.models import check_chains
from docmt.nn.positions import check_positions
from docmt.nn.rows import Rows

Sentence = list[int]  # The ids of the pieces of a sentence, without special symbols

Restore = Callable[[Sentence], tuple[str, str]]
"""A function from the ids of a sentence to its tokens (joined by spaces) and its plain text."""


@dataclass(frozen=True)
class View:
    """The folder of a view and, where the model reads lexical chains, the folder of the chains of the view."""

    folder: Path
    chains: Path | None = None

    def read(self, name: str, schema: pa.Schema, model: nn.Module) -> tuple[pa.Table, pa.Table | None]:
        """Return a table of the view, and its lexical chains or None; `name` is the name of the file of each.

        Raises UserError where the table does not fit the model (see `read_table`), for chains of another view, where
        the model reads chains and there are none, and where there are chains and the model does not read them.
        """
        check_chains(model.config.kind, self.chains)
        table = read_table(self.folder / name, schema, model)
        return table, read_chains(self.chains / name, table) if self.chains else None


@dataclass(frozen=True, eq=False)
class SegmentTable:
    """The segments of whole documents, in order; each segment whose `first` is 0 begins a document."""

    rows: Rows
    first: list[int]
    """The number of the first sentence of each segment within its document, from 0."""

    @classmethod
    def read(cls, view: View, model: nn.Module) -> "SegmentTable":
        """Read the test segments of a view; raises UserError as `View.read` and `from_table` do."""
        table, chains = view.read("test.arrow", SEGMENTS, model)
        return cls.from_table(table, str(view.folder / "test.arrow"), chains)

    @classmethod
    def from_table(cls, table: pa.Table, where: str, chains: pa.Table | None = None) -> "SegmentTable":
        """Return the segments of a table.

        Raises UserError where the segments of a document are not consecutive, or do not begin with its first sentence.
        """
        documents, first = table["document"].to_pylist(), table["first"].to_pylist()
        before = [None, *documents]
        if any((name != before[i]) != (first[i] == 0) for i, name in enumerate(documents)):
            raise UserError("segments are out of order", where=where, expected="each document's from sentence 0 on")
        return cls(Rows.from_table(table, chains), first)

    @property
    def lengths(self) -> list[int]:
        """The number of sentences of each segment."""
        return self.rows.sentences.tolist()

    def by_document(self) -> Iterator[range]:
        """Yield the range of the numbers of the segments of each document."""
        borders = [row for row, first in enumerate(self.first) if first == 0]
        for start, end in zip(borders, [*borders[1:], len(self.first)], strict=True):
            yield range(start, end)

    def first_sentences(self, copies: int = 0) -> list[int]:
        """Return the number of the first sentence of each segment, counted from 0 over all documents.

        `copies` sentences at the head of each document are not counted; a segment that begins with one has the number
        of its first other sentence.
        """
        numbers, lengths, start = [], self.lengths, 0
        for segments in self.by_document():
            numbers += [start + max(self.first[segment] - copies, 0) for segment in segments]
            start += self.first[segments[-1]] + lengths[segments[-1]] - copies
        return numbers


def read_table(path: Path, schema: pa.Schema, model: nn.Module) -> pa.Table:
    """Read a table of segments for a model; `schema` is a schema of docmt.base.columns.

    Raises UserError where the file is missing, damaged, of another form, or empty, or where it has ids of another
    vocabulary, or a segment that is longer than the model's table of positions.
    """
    table = read_arrow(path, schema)
    # The target of a segment of test is its reference, which decoding does not read.
    check_fits(path, table, model, ("source",) if schema == SEGMENTS else ("source", "target"))
    return table


def check_fits(path: Path, table: pa.Table, model: nn.Module, sides: tuple[str, ...] = ("source", "target")) -> None:
    """Check segments from the file `path`, of which a model reads `sides`; raises UserError as `read_table` does."""
    if not len(table):
        raise UserError("no segments to decode", where=str(path))
    for side, size in (("source", model.source_size), ("target", model.target_size)):
        largest = max(int(chunk.flatten().to_numpy().max(initial=0)) for chunk in table[f"{side}_ids"].chunks)
        if largest >= size:
            raise UserError(
                "the view was made with another vocabulary than the model",
                where=str(path),
                found=f"{side} id {largest}",
                expected=f"ids below {size}, the size of the model's {side} vocabulary",
                remedy="decode the view of the corpus and text that the model was trained on",
            )
    check_segments(path, table, {"source": model.source_size, "target": model.target_size})
    check_positions(path, table, [model.config.learned_positions], sides)
