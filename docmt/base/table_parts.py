"""The digests of the parts of tables: of record batches as they are written, and of columns as they are read."""

import hashlib
import struct

import pyarrow as pa

from docmt.base.digests import TablePart

LENGTH = struct.Struct("<i")
"""The length of the metadata of a record batch, as the bytes 4 to 8 of the batch give it."""
HEAD_BYTES = 8
"""The number of bytes of a record batch before its metadata."""


def metadata_bytes(head: bytes) -> int:
    """Return the number of bytes of a record batch before its columns; `head` has the first 8 bytes of the batch."""
    return HEAD_BYTES + LENGTH.unpack(head[4:HEAD_BYTES])[0]


def batch_part(batch: pa.RecordBatch, end: int) -> TablePart:
    """Return the part that a record batch is in an Arrow file, where byte `end` follows its last byte."""
    message = batch.serialize()
    metadata = memoryview(message)[: metadata_bytes(message[:HEAD_BYTES].to_pybytes())]
    # The buffers of the message and not those of `batch`, which may be a part of longer buffers.
    columns = pa.ipc.read_record_batch(message, batch.schema)
    return TablePart(
        start=end - message.size,
        bytes=message.size,
        sha256=hashlib.sha256(metadata).hexdigest(),
        splits=splits_of(batch),
        columns={name: column_digest(columns.column(name)) for name in batch.schema.names},
    )


def column_digest(column: pa.Array) -> str:
    """Return the SHA-256 of the buffers of a column, each with its length; the column is not a slice of another."""
    result = hashlib.sha256()
    for buffer in column.buffers():
        result.update(struct.pack("<q", -1 if buffer is None else buffer.size))
        if buffer is not None:
            result.update(buffer)
    return result.hexdigest()


def splits_of(table: pa.Table | pa.RecordBatch) -> tuple[str, ...]:
    """Return the values of the column `split`, in the order of the alphabet; none without this column."""
    if "split" not in table.schema.names:
        return ()
    return tuple(sorted(table.column("split").unique().to_pylist()))
