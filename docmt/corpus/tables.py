"""Tables: their rows, in TSV, CSV, JSON, JSON lines, Parquet or Arrow, with columns by name or by number."""

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Literal, get_args

from docmt.base.foreign import first_line, need_file, reading
from docmt.corpus.compression import without_ending
from docmt.corpus.inputs import Problems, ReaderInputs, fits_header, need_columns
from docmt.corpus.json_items import is_list, json_items
from docmt.corpus.quotes import has_quotes

Column = str | int
"""A column: its name, or its number, counted from 1. In JSON, Parquet and Arrow, dots in a name lead into nested
values."""
TableFormat = Literal["tsv", "csv", "json", "jsonl", "parquet", "arrow"]
Row = tuple[int, Sequence[object], bool]
"""The number of a row (the number of its line, where the file has lines), the values of its columns, and whether the
row is one of the sentences of a row that has a whole document."""

ENDINGS: dict[str, TableFormat] = {f".{form}": form for form in get_args(TableFormat)}
WITH_LINES = ("tsv", "csv")  # The formats whose columns can be given by number
ROWS_AT_ONCE = 10_000  # The largest number of rows of Parquet and Arrow that are Python's values at one time


@dataclass(frozen=True)
class Wanted:
    """The columns that are read; whether the first row has their names; and whether cells of a TSV are in quotes.

    `quotes`: None = where the file shows it.
    """

    columns: Sequence[Column]
    header: bool = True
    quotes: bool | None = None


def format_of(path: str) -> TableFormat | None:
    """Return the format of a table by the ending of its name, compressed or not; None for no known ending."""
    name = without_ending(path)
    return next((form for ending, form in ENDINGS.items() if name.endswith(ending)), None)


def read_table(inputs: ReaderInputs, path: str, form: TableFormat, wanted: Wanted) -> Iterator[Row]:
    """Return an iterator over the rows of a table, with the values of the columns `wanted`.

    A value that a row of JSON lacks is None. In TSV and CSV, the values of a row without text are empty texts. In the
    other formats, a row with lists is a document: each sentence is a row, with the row's other values. Reports rows
    with too few or too many columns, lists of unequal lengths, and lines that are no JSON. Raises UserError for a file
    that is missing, damaged, or lacks a column or has several of its name.
    """
    return READERS[form](inputs, path, wanted)


def _tsv(inputs: ReaderInputs, path: str, wanted: Wanted) -> Iterator[Row]:
    if has_quotes(inputs, path) if wanted.quotes is None else wanted.quotes:
        return _cells(inputs, path, _quoted_cells(inputs, path, "\t"), wanted)
    lines = enumerate(inputs.lines(path), 1)
    return _cells(inputs, path, ((number, line.split("\t")) for number, line in lines), wanted)


def _csv(inputs: ReaderInputs, path: str, wanted: Wanted) -> Iterator[Row]:
    return _cells(inputs, path, _quoted_cells(inputs, path, ","), wanted)


def _quoted_cells(inputs: ReaderInputs, path: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    # A quoted cell may span lines, whose ends the module needs.
    rows = csv.reader((f"{line}\n" for line in inputs.lines(path)), delimiter=delimiter)
    with reading(inputs.display_name(path), "not a CSV file"):
        for row in rows:
            yield rows.line_num, row


def _cells(inputs: ReaderInputs, path: str, records: Iterable[tuple[int, list[str]]], wanted: Wanted) -> Iterator[Row]:
    records, file_name = iter(records), inputs.display_name(path)
    header = next(records, (1, []))[1] if wanted.header else None
    if header is not None:
        need_columns(header, [name for name in wanted.columns if isinstance(name, str)], f"{file_name}:1")
    indices = [column - 1 if isinstance(column, int) else header.index(column) for column in wanted.columns]
    least = max(indices, default=-1) + 1
    for number, cells in records:
        where = f"{file_name}:{number}"
        if not any(cell.strip() for cell in cells):
            yield number, [""] * len(indices), False
        elif header is None and len(cells) < least:
            width, expected = f"{len(cells)} columns", f"{least} or more, the largest number of a column"
            inputs.problems.report("row has too few columns", where=where, found=width, expected=expected)
        elif header is None or fits_header(cells, header, where, inputs.problems):
            yield number, [cells[index] for index in indices], False


def _json(inputs: ReaderInputs, path: str, wanted: Wanted) -> Iterator[Row]:
    # Many files with the ending of JSON have an object on each line.
    if not is_list(inputs, path):
        return _json_lines(inputs, path, wanted)
    return _rows(enumerate(json_items(inputs, path), 1), inputs, path, wanted)


def _json_lines(inputs: ReaderInputs, path: str, wanted: Wanted) -> Iterator[Row]:
    return _rows(_parsed_lines(inputs, path), inputs, path, wanted)


def _parsed_lines(inputs: ReaderInputs, path: str) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(inputs.lines(path), 1):
        # The last line may be blank.
        if not line or line.isspace():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as problem:  # also a number of thousands of digits, deeply nested lists
            is_json = isinstance(problem, json.JSONDecodeError)
            mistake = f"{problem.msg}, column {problem.colno}" if is_json else first_line(problem)
            inputs.problems.report("not JSON", where=f"{inputs.display_name(path)}:{number}", found=mistake)
            continue
        yield number, row


def _parquet(inputs: ReaderInputs, path: str, wanted: Wanted) -> Iterator[Row]:
    import pyarrow.parquet as pq

    file_name, file_path = inputs.display_name(path), inputs.plain_path(path)
    with reading(file_name, "not a Parquet file"):
        need_file(file_path)
        file = pq.ParquetFile(file_path)
    outer = _outer_columns(file.schema_arrow.names, wanted, file_name)
    return _rows(_objects(file.iter_batches(columns=outer), outer, file_name), inputs, path, wanted)


def _arrow(inputs: ReaderInputs, path: str, wanted: Wanted) -> Iterator[Row]:
    # Imported late, as all that planning does not need.
    from docmt.corpus.arrow_files import arrow_batches

    file_name, batches = inputs.display_name(path), arrow_batches(inputs, path)
    first = [*islice(batches, 1)]
    outer = _outer_columns(first[0].schema.names, wanted, file_name) if first else []
    return _rows(_objects(chain(first, batches), outer, file_name), inputs, path, wanted)


def _outer_columns(names: Sequence[str], wanted: Wanted, file_name: str) -> list[str]:
    outer = [name if name in names else name.partition(".")[0] for name in wanted.columns]
    need_columns(names, outer, f"{file_name}:1")
    # The settings may name a column twice, for instance for the document and the source; the column is read once.
    return list(dict.fromkeys(outer))


def _objects(batches: Iterable[Any], columns: Sequence[str], file_name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    number = 0
    with reading(file_name, "damaged Parquet or Arrow file"):
        for batch in batches:
            for start in range(0, batch.num_rows, ROWS_AT_ONCE):
                part = batch.slice(start, ROWS_AT_ONCE)
                values = {name: part.column(name).to_pylist() for name in columns}
                for index in range(part.num_rows):
                    number += 1
                    yield number, {name: column[index] for name, column in values.items()}


def _rows(rows: Iterable[tuple[int, Any]], inputs: ReaderInputs, path: str, wanted: Wanted) -> Iterator[Row]:
    file_name = inputs.display_name(path)
    for number, row in rows:
        if not isinstance(row, dict):
            where = f"{file_name}:{number}"
            inputs.problems.report("not a JSON object", where=where, found=type(row).__name__)
            continue
        values = [_nested(row, name) for name in wanted.columns]
        if list in map(type, values):
            yield from _sentences(number, values, f"{file_name}:{number}", inputs.problems)
        else:
            yield number, values, False


def _sentences(number: int, values: list[Any], where: str, problems: Problems) -> Iterator[Row]:
    lengths = [len(value) for value in values if isinstance(value, list)]
    if len(set(lengths)) > 1:
        problems.report("lists of sentences differ in length", where=where, found=", ".join(map(str, lengths)))
    elif not any(lengths):
        problems.report("empty document", where=where)
    for place in range(min(lengths)):
        yield number, [value[place] if isinstance(value, list) else value for value in values], True


def _nested(row: dict[str, Any], name: str) -> Any:
    if name in row:
        return row[name]
    # A name with dots may lead to a nested value, or to one in each item of a list.
    value: Any = row
    for part in name.split("."):
        if isinstance(value, list):
            value = [item.get(part) if isinstance(item, dict) else None for item in value]
        else:
            value = value.get(part) if isinstance(value, dict) else None
    return value


READERS: dict[TableFormat, Callable[[ReaderInputs, str, Wanted], Iterator[Row]]] = {
    "tsv": _tsv,
    "csv": _csv,
    "json": _json,
    "jsonl": _json_lines,
    "parquet": _parquet,
    "arrow": _arrow,
}
"""The function that reads the rows of a table, by its format."""
