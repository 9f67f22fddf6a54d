"""Large tables in shards: a shard is a run of whole documents and one record batch of an Arrow file.

A shard ends with the document that reaches a fixed number of sentence pairs. The bytes of a file therefore do not
depend on its writers: one process, several processes, or the jobs of a cluster, where each job writes a part of the
shards.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from docmt.base.columns import with_columns
from docmt.base.errors import UserError
from docmt.base.foreign import need_file, reading
from docmt.base.manifest import check_file
from docmt.base.part import WHOLE, Part
from docmt.base.tables import ArrowFile, arrow_writer

SHARD_PAIRS = 10_000
"""The least number of sentence pairs of a shard but the last: a shard ends with the document that reaches this number.
A change of this number changes the files, since the record batches of tables are shards."""

ROWS_AT_ONCE = 1 << 14  # The number of rows of a Parquet file that are read at once, which limits the memory.


def document_shards(path: Path, schema: pa.Schema, part: Part = WHOLE) -> tuple[Iterator[pa.Table], int]:
    """Return the shards of a file documents.parquet that belong to `part`, and the number of these shards.

    Shards are read while they are iterated. Raises UserError where the file is missing, is not Parquet, lacks a column
    of `schema`, or does not begin with the first sentence of a document.
    """
    file = _open_parquet(path, schema)
    bounds = _bounds(file, path)
    chosen = part.of_range(len(bounds) - 1)
    bounds = bounds[chosen.start : chosen.stop + 1]
    return _cut(file, path, schema, bounds), len(chosen)


def _open_parquet(path: Path, schema: pa.Schema) -> pq.ParquetFile:
    with reading(path, "not a Parquet file"):
        need_file(path)
        check_file(path)
        file = pq.ParquetFile(path, buffer_size=1 << 20)
    with_columns(path, file.schema_arrow.empty_table(), schema)
    return file


def _bounds(file: pq.ParquetFile, path: Path) -> list[int]:
    """Return the number of the first row of each shard and, at the end of the list, the number of all rows."""
    opens, row = [np.zeros(0, np.int64)], 0
    for batch in _batches(file, path, columns=["sentence"]):
        opens.append(row + np.flatnonzero(batch["sentence"].to_numpy() == 0))
        row += len(batch)
    documents = np.concatenate(opens)
    if row and documents[:1].tolist() != [0]:
        raise UserError(
            "the text does not begin with the first sentence of a document", where=str(path), expected="sentence 0"
        )
    bounds, document = [], 0
    while document < len(documents):
        bounds.append(int(documents[document]))
        document = np.searchsorted(documents, bounds[-1] + SHARD_PAIRS)
    return [*bounds, row]


def _batches(file: pq.ParquetFile, path: Path, **chosen: Any) -> Iterator[pa.RecordBatch]:
    """Yield batches of rows; `chosen` are arguments of `iter_batches`. Raises UserError for a damaged one."""
    with reading(path, "damaged Parquet file"):
        for batch in file.iter_batches(ROWS_AT_ONCE, **chosen):
            batch.validate(full=True)
            yield batch


def _cut(file: pq.ParquetFile, path: Path, schema: pa.Schema, bounds: list[int]) -> Iterator[pa.Table]:
    """Yield the rows between neighbouring bounds; row groups without any of these rows are not read."""
    counts = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
    if len(bounds) < 2:
        return
    starts = np.cumsum([0, *counts])
    wanted = [group for group, (start, end) in enumerate(pairwise(starts)) if start < bounds[-1] and end > bounds[0]]
    row = int(starts[wanted[0]])
    batches = _batches(file, path, row_groups=wanted, columns=schema.names)
    # Rows that were read and not yet yielded; `row` is the number of the first of them.
    held = pa.Table.from_batches([], schema)
    for start, end in pairwise(bounds):
        while row + len(held) < end:
            held = pa.concat_tables([held, pa.Table.from_batches([next(batches)]).select(schema.names).cast(schema)])
        yield held.slice(start - row, end - start).combine_chunks()
        held, row = held.slice(end - row), end


def batch_of(table: pa.Table) -> pa.RecordBatch:
    """Return a table as one record batch, which may have no rows."""
    batches = table.combine_chunks().to_batches()
    return batches[0] if batches else pa.RecordBatch.from_pylist([], table.schema)


def join_arrow(paths: Iterable[Path], output: Path, schema: pa.Schema) -> None:
    """Write the shards of several files, file after file, into one file."""
    with arrow_writer(output, schema) as writer:
        for path in paths:
            for shard in ArrowFile(path, schema):
                writer.write_table(shard)


Counts = dict[str, dict[str, int]]
"""Counts by split and name. Each shard has counts, and a card has the counts of all shards together: the sum over
shards, or the maximum where the name of a count ends in `longest`."""


def add_counts(first: Counts, second: Counts) -> Counts:
    """Return the counts of two groups of shards as the counts of one group."""
    return {split: _added(first.get(split, {}), second.get(split, {})) for split in first | second}


def _added(first: dict[str, int], second: dict[str, int]) -> dict[str, int]:
    """Add counts by name; take the maximum where the name ends in `longest`."""
    numbers = {name: (first.get(name, 0), second.get(name, 0)) for name in first | second}
    return {name: max(pair) if name.endswith("longest") else sum(pair) for name, pair in numbers.items()}
