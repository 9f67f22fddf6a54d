"""Tables: their rows, whether they are TSV, CSV, JSON lines or Parquet, with columns by name or by number."""

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal

from docmt.base.foreign import first_line, need_file, reading
from docmt.corpus.inputs import ReaderInputs, fits_header, need_columns

Column = str | int
"""A column: its name, or its number, counted from 1. In JSON and Parquet, dots in a name lead into nested values."""
TableFormat = Literal["tsv", "csv", "jsonl", "parquet"]
Row = tuple[int, Sequence[object]]
"""The number of a row (the number of its line, where the file has lines), and the values of its columns."""
ReadTable = Callable[[ReaderInputs, str, Sequence[Column], bool], Iterator[Row]]
"""A function that reads columns of a file; the last argument says whether the first row has the names of columns."""

ENDINGS: dict[str, TableFormat] = {".tsv": "tsv", ".csv": "csv", ".jsonl": "jsonl", ".parquet": "parquet"}
WITH_LINES = ("tsv", "csv")  # The formats whose columns can be given by number


def format_of(path: str) -> TableFormat | None:
    """Return the format of a table by the ending of its name, before .gz; None where the name has no known ending."""
    name = path.removesuffix(".gz")
    return next((form for ending, form in ENDINGS.items() if name.endswith(ending)), None)


def read_table(
    inputs: ReaderInputs, path: str, form: TableFormat, columns: Sequence[Column], has_header: bool
) -> Iterator[Row]:
    """Return an iterator over the rows of a table, with the values of `columns`.

    A value that a row of JSON lacks is None. In TSV and CSV, the values of a row without text are empty texts. Reports
    rows with too few or too many columns, and lines that are no JSON. Raises UserError for a file that is missing,
    damaged, or lacks a column.
    """
    return READERS[form](inputs, path, columns, has_header)


def _tsv(inputs: ReaderInputs, path: str, columns: Sequence[Column], has_header: bool) -> Iterator[Row]:
    lines = enumerate(inputs.lines(path), 1)
    return _cells(inputs, path, ((number, line.split("\t")) for number, line in lines), columns, has_header)


def _csv(inputs: ReaderInputs, path: str, columns: Sequence[Column], has_header: bool) -> Iterator[Row]:
    def records() -> Iterator[tuple[int, list[str]]]:
        # A quoted cell may span lines, whose ends the module needs.
        rows = csv.reader(f"{line}\n" for line in inputs.lines(path))
        with reading(inputs.display_name(path), "not a CSV file"):
            for row in rows:
                yield rows.line_num, row

    return _cells(inputs, path, records(), columns, has_header)


def _cells(
    inputs: ReaderInputs,
    path: str,
    records: Iterable[tuple[int, list[str]]],
    columns: Sequence[Column],
    has_header: bool,
) -> Iterator[Row]:
    records, file_name = iter(records), inputs.display_name(path)
    header = next(records, (1, []))[1] if has_header else None
    if header is not None:
        need_columns(header, [name for name in columns if isinstance(name, str)], f"{file_name}:1")
    indices = [column - 1 if isinstance(column, int) else header.index(column) for column in columns]
    least = max(indices, default=-1) + 1
    for number, cells in records:
        where = f"{file_name}:{number}"
        if not any(cell.strip() for cell in cells):
            yield number, [""] * len(indices)
        elif header is None and len(cells) < least:
            width, expected = f"{len(cells)} columns", f"{least} or more, the largest number of a column"
            inputs.problems.report("row has too few columns", where=where, found=width, expected=expected)
        elif header is None or fits_header(cells, header, where, inputs.problems):
            yield number, [cells[index] for index in indices]


def _json_lines(inputs: ReaderInputs, path: str, columns: Sequence[Column], has_header: bool) -> Iterator[Row]:
    file_name = inputs.display_name(path)
    for number, line in enumerate(inputs.lines(path), 1):
        where = f"{file_name}:{number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as problem:  # also a number of thousands of digits, deeply nested lists
            is_json = isinstance(problem, json.JSONDecodeError)
            mistake = f"{problem.msg}, column {problem.colno}" if is_json else first_line(problem)
            inputs.problems.report("not JSON", where=where, found=mistake)
            continue
        if isinstance(row, dict):
            yield number, [_nested(row, name) for name in columns]
        else:
            inputs.problems.report("not a JSON object", where=where, found=type(row).__name__)


def _parquet(inputs: ReaderInputs, path: str, columns: Sequence[Column], has_header: bool) -> Iterator[Row]:
    import pyarrow.parquet as pq

    file_name = inputs.display_name(path)
    file_path = inputs.path(path)
    with reading(file_name, "not a Parquet file"):
        need_file(file_path)
        file = pq.ParquetFile(file_path)
    names = file.schema_arrow.names
    outer = [name if name in names else name.partition(".")[0] for name in columns]
    need_columns(names, outer, f"{file_name}:1")
    number = 0
    with reading(file_name, "damaged Parquet file"):
        # The settings may name a column twice, for instance for the document and the source; the column is read once.
        for batch in file.iter_batches(columns=list(dict.fromkeys(outer))):
            values = {name: batch.column(name).to_pylist() for name in dict.fromkeys(outer)}
            for index in range(batch.num_rows):
                number += 1
                row = {name: column[index] for name, column in values.items()}
                yield number, [_nested(row, name) for name in columns]


def _nested(row: dict[str, Any], name: str) -> Any:
    if name in row:
        return row[name]
    # A name with dots may lead to a nested value.
    value: Any = row
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


READERS: dict[TableFormat, ReadTable] = {"tsv": _tsv, "csv": _csv, "jsonl": _json_lines, "parquet": _parquet}
"""The function that reads the rows of a table, by its format."""
