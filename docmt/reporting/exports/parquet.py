"""Records of an item in Parquet, with their types: numbers stay numbers, and lists stay lists."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from docmt.base.digests import canonical_json
from docmt.base.tables import write_parquet


def write_records(records: Sequence[dict[str, Any]], output: Path) -> None:
    """Write records as a table, a column for each key; a key that a record lacks is null.

    A column whose values have several types, such as published numbers of which some are texts, is a column of texts.
    """
    names = list(dict.fromkeys(key for record in records for key in record)) or ["nothing"]
    columns = {name: _column([record.get(name) for record in records]) for name in names}
    write_parquet(output, pa.table(columns))


def _column(values: list[Any]) -> pa.Array:
    """Return the values of a column; as texts where they have several types."""
    if all(value is None for value in values):
        return pa.array(values, pa.string())
    # Whole numbers and other numbers are one type, but a truth value is no number.
    try:
        if len({isinstance(value, bool) for value in values if value is not None}) == 1:
            return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        pass
    return pa.array([_text(value) for value in values], pa.string())


def _text(value: Any) -> str | None:
    """Return a value as a text: a text as it is, any other value as JSON."""
    return value if value is None or isinstance(value, str) else canonical_json(value)
