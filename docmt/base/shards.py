"""Large tables shard by shard: consecutive whole documents, a record batch of an Arrow file each.

Shards are cut at a fixed number of sentence pairs, so that files are the same bytes whoever makes them: one process,
many, or the jobs of a cluster, each of which takes a part of the shards.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from docmt.base.artifacts import atomic_file
from docmt.base.columns import with_columns
from docmt.base.errors import UserError
from docmt.base.foreign import need_file, reading

SHARD_PAIRS = 10_000
"""A shard ends with the document in which it reaches so many sentence pairs. Part of what tables are: their record
batches follow from it."""

ROWS_AT_ONCE = 1 << 14


@dataclass(frozen=True)
class Part:
    """One of `of` nearly equal parts of all shards; `number` counts from 1."""

    number: int = 1
    of: int = 1

    @classmethod
    def parse(cls, text: str) -> "Part":
        """From `2/8`. Raises UserError for any other text."""
        found = re.fullmatch(r"(\d+)/(\d+)", text)
        if not found or not 1 <= int(found[1]) <= int(found[2]):
            raise UserError("not a part", found=text, expected="such as 2/8, the second of eight")
        return cls(int(found[1]), int(found[2]))

    def of_range(self, count: int) -> range:
        return range((self.number - 1) * count // self.of, self.number * count // self.of)


WHOLE = Part()


def document_shards(path: Path, schema: pa.Schema, part: Part = WHOLE) -> tuple[Iterator[pa.Table], int]:
    """The shards of a `documents.parquet`, and how many there are.

    Raises UserError where the file is missing, is no Parquet, lacks a column of `schema`, or does not begin with a
    document's first sentence.
    """
    file = _open_parquet(path, schema)
    bounds = _bounds(file, path)
    chosen = part.of_range(len(bounds) - 1)
    bounds = bounds[chosen.start : chosen.stop + 1]
    return _cut(file, path, schema, bounds), len(chosen)


def _open_parquet(path: Path, schema: pa.Schema) -> pq.ParquetFile:
    with reading(path, "not a Parquet file"):
        need_file(path)
        file = pq.ParquetFile(path, buffer_size=1 << 20)
    with_columns(path, file.schema_arrow.empty_table(), schema)
    return file


def _bounds(file: pq.ParquetFile, path: Path) -> list[int]:
    """The first row of each shard, and the number of rows."""
    opens, row = [np.zeros(0, np.int64)], 0
    for batch in _batches(file, path, columns=["sentence"]):
        opens.append(row + np.flatnonzero(batch["sentence"].to_numpy() == 0))
        row += len(batch)
    documents = np.concatenate(opens)
    if row and documents[:1].tolist() != [0]:
        raise UserError("the first row is not a document's first sentence", where=str(path), expected="sentence 0")
    bounds, document = [], 0
    while document < len(documents):
        bounds.append(int(documents[document]))
        document = np.searchsorted(documents, bounds[-1] + SHARD_PAIRS)
    return [*bounds, row]


def _batches(file: pq.ParquetFile, path: Path, **chosen: Any) -> Iterator[pa.RecordBatch]:
    """Raises UserError where a batch is damaged."""
    with reading(path, "damaged Parquet file"):
        for batch in file.iter_batches(ROWS_AT_ONCE, **chosen):
            batch.validate(full=True)
            yield batch


def _cut(file: pq.ParquetFile, path: Path, schema: pa.Schema, bounds: list[int]) -> Iterator[pa.Table]:
    """The rows from bound to bound; row groups without any of them are not read."""
    counts = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
    if len(bounds) < 2:
        return
    starts = np.cumsum([0, *counts])
    wanted = [g for g, (start, end) in enumerate(pairwise(starts)) if start < bounds[-1] and end > bounds[0]]
    row = int(starts[wanted[0]])
    batches = _batches(file, path, row_groups=wanted, columns=schema.names)
    held = pa.Table.from_batches([], schema)
    for start, end in pairwise(bounds):
        while row + len(held) < end:
            held = pa.concat_tables([held, pa.Table.from_batches([next(batches)]).select(schema.names).cast(schema)])
        yield held.slice(start - row, end - start).combine_chunks()
        held, row = held.slice(end - row), end


@contextmanager
def arrow_writer(path: Path, schema: pa.Schema) -> Iterator[pa.ipc.RecordBatchFileWriter]:
    """Write an Arrow file record batch by record batch; see `atomic_file`."""
    with atomic_file(path, "wb") as stream, pa.ipc.new_file(stream, schema) as writer:
        yield writer


def batch_of(table: pa.Table) -> pa.RecordBatch:
    """A table as one record batch, even if it has no rows."""
    batches = table.combine_chunks().to_batches()
    return batches[0] if batches else pa.RecordBatch.from_pylist([], table.schema)


class ArrowShards:
    """The record batches of an Arrow file, each read when it is asked for, so that only those in use take memory."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        """Raises UserError where the file is missing, is no Arrow file, or lacks a column of `schema`."""
        self.path, self.schema = path, schema
        with reading(path, "not an Arrow file"):
            need_file(path)
            found = pa.ipc.open_file(pa.OSFile(str(path))).schema
            with_columns(path, found.empty_table(), schema)
            chosen = pa.ipc.IpcReadOptions(included_fields=sorted(map(found.get_field_index, schema.names)))
            self._file = pa.ipc.open_file(pa.OSFile(str(path)), options=chosen)

    def __len__(self) -> int:
        return self._file.num_record_batches

    def __iter__(self) -> Iterator[pa.Table]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, number: int) -> pa.Table:
        """Raises UserError for a damaged batch."""
        with reading(self.path, "damaged Arrow file"):
            batch = self._file.get_batch(number)
            batch.validate(full=True)
            return pa.Table.from_batches([batch]).select(self.schema.names).cast(self.schema)


def join_arrow(paths: Iterable[Path], output: Path, schema: pa.Schema) -> None:
    """Write the shards of several files one after another."""
    with arrow_writer(output, schema) as writer:
        for path in paths:
            for shard in ArrowShards(path, schema):
                writer.write_table(shard)


Counts = dict[str, dict[str, int]]
"""By split and name, which shards have each for themselves and a card has in all. What is called `longest`, or ends
so, is no sum."""


def add_counts(one: Counts, other: Counts) -> Counts:
    return {split: _added(one.get(split, {}), other.get(split, {})) for split in one | other}


def _added(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    numbers = {name: (one.get(name, 0), other.get(name, 0)) for name in one | other}
    return {name: max(pair) if name.endswith("longest") else sum(pair) for name, pair in numbers.items()}
