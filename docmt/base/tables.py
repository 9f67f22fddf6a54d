"""Functions that read and write the tables of `docmt.base.columns`, and check the bytes that they read.

The manifest of a job has the digests of the parts of each table. A reader checks what it reads: the record batches or
row groups with the wanted split and, in an Arrow file, the wanted columns. It validates an Arrow file as well: a wrong
value can crash the process, and whoever writes a table may write a manifest that agrees with it.
"""

import hashlib
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from docmt.base.artifacts import atomic_file, remove_file
from docmt.base.columns import SEGMENT_CHAINS, check_chains, with_columns
from docmt.base.digests import DigestStream, FileDigest, TablePart, digest_ranges
from docmt.base.errors import UserError
from docmt.base.foreign import need_file, reading
from docmt.base.manifest import ListedFile, listed
from docmt.base.table_parts import HEAD_BYTES, batch_part, column_digest, metadata_bytes, splits_of


class ArrowWriter:
    """A writer of record batches, each of which is a part of the file."""

    def __init__(self, writer: pa.ipc.RecordBatchFileWriter, stream: object) -> None:
        """Write with `writer`; `stream` is the stream that it writes to."""
        self._writer, self._stream = writer, stream

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Write a record batch."""
        self._writer.write_batch(batch)
        # The values of a dictionary are outside the record batch, so that such a file is always checked as a whole.
        has_parts = not any(map(pa.types.is_dictionary, batch.schema.types))
        if has_parts and isinstance(self._stream, DigestStream):
            self._stream.add_part(batch_part(batch, self._stream.tell()))

    def write_table(self, table: pa.Table) -> None:
        """Write a table; each of its chunks becomes a record batch."""
        for batch in table.to_batches():
            self.write_batch(batch)


@contextmanager
def arrow_writer(path: Path, schema: pa.Schema) -> Iterator[ArrowWriter]:
    """Open an Arrow file to write record batch by record batch; the file appears only when it is complete."""
    with atomic_file(path, "wb") as stream, pa.ipc.new_file(stream, schema) as writer:
        yield ArrowWriter(writer, stream)


def write_arrow(path: Path | str, table: pa.Table) -> None:
    """Write a table as an Arrow file; the file appears only when it is complete."""
    with arrow_writer(Path(path), table.schema) as writer:
        writer.write_table(table)


def write_if_any(path: Path, table: pa.Table | None) -> None:
    """Write a table as `write_arrow` does, or remove the file where `table` is none.

    A file of an earlier run would otherwise look like a result of this run.
    """
    if table is None:
        remove_file(path)
    else:
        write_arrow(path, table)


class ParquetWriter:
    """A writer of tables, each of which is a part of the file."""

    def __init__(self, writer: pq.ParquetWriter, stream: object) -> None:
        """Write with `writer`; `stream` is the stream that it writes to."""
        self._writer, self._stream = writer, stream

    def write_table(self, table: pa.Table) -> None:
        """Write a table as one row group, or as several where it is very long."""
        if isinstance(self._stream, DigestStream):
            with self._stream.part(splits_of(table)):
                self._writer.write_table(table)
        else:
            self._writer.write_table(table)


@contextmanager
def parquet_writer(path: Path | str, schema: pa.Schema) -> Iterator[ParquetWriter]:
    """Open a Parquet file to write table by table; the file appears only when it is complete."""
    with atomic_file(path, "wb") as stream, pq.ParquetWriter(stream, schema, compression="zstd") as writer:
        yield ParquetWriter(writer, stream)


def write_parquet(path: Path | str, table: pa.Table) -> None:
    """Write a table as a Parquet file; the file appears only when it is complete."""
    with parquet_writer(path, table.schema) as writer:
        writer.write_table(table)


class CheckedFile:
    """An open file of a table, of which each part is checked before it is read.

    `digest` is what the manifest says of the file; None where no manifest lists it.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, and check its length, its head and its foot."""
        self.path = path
        self._entry: ListedFile | None = listed(path)
        self.digest: FileDigest | None = self._entry and self._entry.digest
        if self._entry is not None and self.digest is not None:
            self._stream = path.open("rb")
            self._entry.check_size(path)
            self.check_range(list(self.digest.gaps()), self.digest.frame or self.digest.sha256)

    def check_range(self, ranges: list[tuple[int, int]], expected: str) -> None:
        """Raise UserError where the bytes of some ranges do not have the digest `expected`."""
        self.check(digest_ranges(self._stream, ranges), expected)

    def check(self, actual: str, expected: str) -> None:
        """Raise UserError where two digests differ."""
        if self._entry is not None:
            self._entry.check_sha256(self.path, actual, expected)

    def check_metadata(self, part: TablePart) -> None:
        """Raise UserError where the metadata of a record batch, which say where its columns are, were changed."""
        self._stream.seek(part.start)
        head = self._stream.read(HEAD_BYTES)
        # A damaged length would name bytes outside the batch.
        length = max(0, min(metadata_bytes(head), part.bytes) - HEAD_BYTES)
        self.check(hashlib.sha256(head + self._stream.read(length)).hexdigest(), part.sha256)


class ArrowFile:
    """The record batches of an Arrow file.

    A record batch is read when it is accessed, so that only the batches in use take memory. With `mapped`, the file is
    mapped into memory, and the columns of a batch are no copies.
    """

    def __init__(self, path: Path | str, schema: pa.Schema, mapped: bool = False) -> None:
        """Open the file and check its columns.

        Raises UserError where the file is missing, is not an Arrow file, or lacks a column of `schema`.
        """
        self.path, self.schema = Path(path), schema
        with reading(path, "not an Arrow file"):
            need_file(path)
            self._checked = CheckedFile(self.path)
            source = (pa.memory_map if mapped else pa.OSFile)(str(path))
            file_schema = pa.ipc.open_file(source).schema
            with_columns(path, file_schema.empty_table(), schema)
            chosen = pa.ipc.IpcReadOptions(included_fields=sorted(map(file_schema.get_field_index, schema.names)))
            self._file = pa.ipc.open_file(source, options=chosen)

    def __len__(self) -> int:
        """Return the number of record batches."""
        return self._file.num_record_batches

    def __iter__(self) -> Iterator[pa.Table]:
        """Iterate over the record batches as tables, in the order of the file."""
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, number: int) -> pa.Table:
        """Read a record batch as a table with the columns of `schema`.

        Raises UserError where the batch is damaged.
        """
        with reading(self.path, "damaged Arrow file"):
            batch = self._batch(number)
            return pa.Table.from_batches([batch]).select(self.schema.names).cast(self.schema)

    def _batch(self, number: int) -> pa.RecordBatch:
        """Read a record batch, compare its metadata and its columns with the manifest, and validate it.

        A manifest says that the bytes are those that were written, and not that their writer was docmt.
        """
        digest = self._checked.digest
        part = digest.parts[number] if digest is not None and digest.parts else None
        if part is not None:
            self._checked.check_metadata(part)
        batch = self._file.get_batch(number)
        batch.validate(full=True)
        for name in batch.schema.names if part is not None else ():
            self._checked.check(column_digest(batch.column(name)), part.columns[name])
        return batch

    def of_split(self, split: str | None) -> list[int]:
        """Return the numbers of the record batches that may have rows of a split; all where `split` is None."""
        digest = self._checked.digest
        if split is None or digest is None or not digest.parts:
            return list(range(len(self)))
        return [number for number, part in enumerate(digest.parts) if split in part.splits]


def read_arrow(path: Path | str, schema: pa.Schema, split: str | None = None) -> pa.Table:
    """Memory-map an Arrow file and return the rows of one split, or all rows where `split` is none.

    Raises UserError where the file is missing, is damaged, or lacks a column of `schema`.
    """
    columns = schema if split is None or "split" in schema.names else schema.append(pa.field("split", pa.string()))
    file = ArrowFile(path, columns, mapped=True)
    batches = [file[number] for number in file.of_split(split)]
    table = pa.concat_tables(batches) if batches else columns.empty_table()
    return table if split is None else table.filter(pc.equal(table["split"], split)).select(schema.names)


def read_parquet(path: Path | str, schema: pa.Schema, split: str | None = None) -> pa.Table:
    """Read the rows of one split of a Parquet file, or all rows where `split` is none.

    Raises UserError where the file is missing, is not Parquet, or lacks a column of `schema`.
    """
    with reading(path, "not a Parquet file"):
        need_file(path)
        checked = CheckedFile(Path(path))
        file = pq.ParquetFile(path)
        groups = _checked_groups(checked, file.metadata, split)
        table = file.read_row_groups(groups)
        table.validate(full=checked.digest is None)
        chosen = table if split is None else table.filter(pc.equal(table["split"], split))
    return with_columns(path, chosen, schema)


def _checked_groups(checked: CheckedFile, metadata: pq.FileMetaData, split: str | None) -> list[int]:
    """Return the numbers of the row groups that may have rows of a split, after a check of their bytes."""
    every = list(range(metadata.num_row_groups))
    if checked.digest is None or not checked.digest.parts:
        return every
    starts = [part.start for part in checked.digest.parts]
    wanted = {n for n, part in enumerate(checked.digest.parts) if split is None or split in part.splits}
    for number in sorted(wanted):
        part = checked.digest.parts[number]
        checked.check_range([(part.start, part.start + part.bytes)], part.sha256)
    return [group for group in every if bisect_right(starts, _first_byte(metadata.row_group(group))) - 1 in wanted]


def _first_byte(group: pq.RowGroupMetaData) -> int:
    """Return the place of the first byte of a row group in its file."""
    column = group.column(0)
    return column.dictionary_page_offset or column.data_page_offset


def read_chains(path: Path, segments: pa.Table) -> pa.Table:
    """Read the chains (SEGMENT_CHAINS) of the segments of a view.

    Raises UserError where chains and segments differ in the number of rows, and for a member beyond its segment.
    """
    table = read_arrow(path, SEGMENT_CHAINS)
    if len(table) != len(segments):
        raise UserError(
            "chains of another view",
            where=str(path),
            found=f"{len(table)} rows",
            expected=f"{len(segments)}, one for each segment",
            remedy="make the chains of this view again with `docmt job`",
        )
    check_chains(path, table, segments)
    return table
