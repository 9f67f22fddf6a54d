"""Functions that read and write the tables of `docmt.base.columns`, and check the bytes that they read.

A reader compares a table with its manifest, and validates it as well: a wrong value can crash the process, and whoever
writes a table may write a manifest that agrees with it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from docmt.base.artifacts import atomic_file, remove_file
from docmt.base.columns import OF_CHAINS, SEGMENT_CHAINS, check_chains, with_columns
from docmt.base.errors import UserError
from docmt.base.foreign import need_file, reading
from docmt.base.manifest import check_file


@contextmanager
def arrow_writer(path: Path, schema: pa.Schema) -> Iterator[pa.ipc.RecordBatchFileWriter]:
    """Open an Arrow file to write record batch by record batch; the file appears only when it is complete."""
    with atomic_file(path, "wb") as stream, pa.ipc.new_file(stream, schema) as writer:
        yield writer


def write_arrow(path: Path | str, table: pa.Table) -> None:
    """Write a table as an Arrow file; the file appears only when it is complete."""
    with arrow_writer(Path(path), table.schema) as writer:
        writer.write_table(table)


def write_if_any(path: Path, table: pa.Table | None) -> None:
    """Write a table as `write_arrow` does, or remove the file where `table` is none."""
    if table is None:
        # A file of an earlier run would look like a result of this run.
        remove_file(path)
    else:
        write_arrow(path, table)


@contextmanager
def parquet_writer(path: Path | str, schema: pa.Schema) -> Iterator[pq.ParquetWriter]:
    """Open a Parquet file to write table by table; the file appears only when it is complete."""
    with atomic_file(path, "wb") as stream, pq.ParquetWriter(stream, schema, compression="zstd") as writer:
        yield writer


def write_parquet(path: Path | str, table: pa.Table) -> None:
    """Write a table as a Parquet file; the file appears only when it is complete."""
    with parquet_writer(path, table.schema) as writer:
        writer.write_table(table)


class ArrowFile:
    """The record batches of an Arrow file.

    A record batch is read when it is accessed, so that only the batches in use take memory. With `mapped`, the file is
    mapped into memory, and the columns of a batch are no copies.
    """

    def __init__(self, path: Path | str, schema: pa.Schema, mapped: bool = False) -> None:
        """Open the file and check its columns. Raises UserError where it is missing, or another file."""
        self.path, self.schema = Path(path), schema
        with reading(path, "not an Arrow file"):
            need_file(path)
            check_file(path)
            # All columns of a mapped file are parts of one buffer, as `Ragged.from_arrow` needs them.
            source = pa.BufferReader(pa.memory_map(str(path)).read_buffer()) if mapped else pa.OSFile(str(path))
            file_schema = pa.ipc.open_file(source).schema
            with_columns(path, file_schema.empty_table(), schema)
            # Arrow copies a batch of which it reads some columns only, also where the file is mapped.
            wanted = [] if mapped else sorted(map(file_schema.get_field_index, schema.names))
            self._file = pa.ipc.open_file(source, options=pa.ipc.IpcReadOptions(included_fields=wanted))

    def __len__(self) -> int:
        """Return the number of record batches."""
        return self._file.num_record_batches

    def __iter__(self) -> Iterator[pa.Table]:
        """Iterate over the record batches as tables, in the order of the file."""
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, number: int) -> pa.Table:
        """Read a record batch as a table with the columns of `schema`. Raises UserError where the batch is damaged."""
        with reading(self.path, "damaged Arrow file"):
            batch = self._file.get_batch(number).select(self.schema.names)
            batch.validate(full=True)
            return pa.Table.from_batches([batch]).cast(self.schema)

    def of_split(self, split: str) -> list[int]:
        """Return the numbers of the record batches that have rows of a split, by their column `split` alone."""
        numbers = []
        for number in range(len(self)):
            with reading(self.path, "damaged Arrow file"):
                column = self._file.get_batch(number).column("split")
                column.validate(full=True)
                numbers += [number] if split in column.unique().to_pylist() else []
        return numbers


def read_arrow(path: Path | str, schema: pa.Schema, split: str | None = None) -> pa.Table:
    """Memory-map an Arrow file: the rows of one split, or all rows. Raises UserError for a missing or other file."""
    columns = schema if split is None or "split" in schema.names else schema.append(pa.field("split", pa.string()))
    file = ArrowFile(path, columns, mapped=True)
    batches = [*file] if split is None else [file[number] for number in file.of_split(split)]
    table = pa.concat_tables(batches) if batches else columns.empty_table()
    return table if split is None else table.filter(pc.equal(table["split"], split)).select(schema.names)


def read_parquet(path: Path | str, schema: pa.Schema, split: str | None = None) -> pa.Table:
    """Read the rows of one split of a Parquet file, or all rows. Raises UserError for a missing or other file."""
    with reading(path, "not a Parquet file"):
        need_file(path)
        check_file(path)
        chosen = None if split is None else pc.field("split") == split
        table = pq.read_table(path, filters=chosen, partitioning=None)
        table.validate(full=True)
    return with_columns(path, table, schema)


def read_chains(path: Path, segments: pa.Table) -> pa.Table:
    """Read the chains (SEGMENT_CHAINS) of the segments of a view.

    Raises UserError where chains and segments differ in the number of rows, and for a member beyond its segment.
    """
    table = read_arrow(path, SEGMENT_CHAINS)
    if len(table) != len(segments):
        raise UserError(
            "the lexical chains belong to another view",
            where=str(path),
            found=f"chains of {len(table)} segments",
            expected=f"chains of {len(segments)}, as the view has",
            remedy=OF_CHAINS,
        )
    check_chains(path, table, segments)
    return table
