"""The files of tables that docmt writes: fixtures and exports."""

import io
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from docmt.base.spreadsheets import csv_lines, tsv_line
from docmt.corpus.inputs import text_of
from docmt.corpus.tables import Column, TableFormat

Records = Sequence[dict[Column, str]]  # Rows of a table; all have the same columns


def table_bytes(records: Records, form: TableFormat, has_header: bool) -> bytes:
    """Return the content of a table; columns that are numbers have empty columns between them."""
    return WRITERS[form](records, has_header)


def saved_data_set(folder: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a folder as Hugging Face datasets saves it; `content` is that of its one Arrow file."""
    name = "data-00000-of-00001.arrow"
    yield f"{folder}/{name}", content
    yield f"{folder}/state.json", json.dumps({"_data_files": [{"filename": name}]}).encode()


def _grid(records: Records, has_header: bool) -> list[list[str]]:
    numbers = [column for column in records[0] if isinstance(column, int)]
    if not numbers:
        rows = [list(record.values()) for record in records]
        return [list(map(str, records[0])), *rows] if has_header else rows
    # A column's number is its place.
    places = range(1, max(numbers) + 1)
    rows = [[record.get(place, "") for place in places] for record in records]
    return [[f"column {place}" for place in places], *rows] if has_header else rows


def _tsv(records: Records, has_header: bool) -> bytes:
    return text_of(map(tsv_line, _grid(records, has_header))).encode()


def _csv(records: Records, has_header: bool) -> bytes:
    return csv_lines(_grid(records, has_header)).encode()


def _json_lines(records: Records, has_header: bool) -> bytes:
    return text_of(json.dumps(_nested(record), ensure_ascii=False) for record in records).encode()


def _json(records: Records, has_header: bool) -> bytes:
    return json.dumps([_nested(record) for record in records], ensure_ascii=False, indent=1).encode()


def _arrow(records: Records, has_header: bool) -> bytes:
    import pyarrow as pa

    table, stream = pa.Table.from_pylist([_nested(record) for record in records]), pa.BufferOutputStream()
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table)
    return stream.getvalue().to_pybytes()


def _parquet(records: Records, has_header: bool) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    stream = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([_nested(record) for record in records]), stream)
    return stream.getvalue()


def _nested(record: dict[Column, str]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    # A name with dots is a path of nested values.
    for name, text in record.items():
        *outer, last = name.split(".")
        inner = row
        for part in outer:
            inner = inner.setdefault(part, {})
        inner[last] = text
    return row


WRITERS: dict[TableFormat, Callable[[Records, bool], bytes]] = {
    "tsv": _tsv,
    "csv": _csv,
    "json": _json,
    "jsonl": _json_lines,
    "parquet": _parquet,
    "arrow": _arrow,
}
"""The function that returns the content of a table, by its format."""
