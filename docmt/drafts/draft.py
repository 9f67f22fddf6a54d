"""A draft: the part of a corpus file that one address gives."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from docmt.catalogue.missing import is_remote
from docmt.drafts.address import Pair

Value = dict[str, Any]
"""A value of YAML: a file or a reader of a corpus file."""


@dataclass(frozen=True)
class Draft:
    """The files and the reader of an address, and facts for the people who use the corpus.

    `reader` lacks `splits`; `splits` has the value of each split that the address gives, whose key is None where the
    text may become any split. `documents`: the number of documents that the place states; None = unknown.
    `sentences`: the number of its sentence pairs, and `index` who states it and where. `notes`: what a person should
    know or check.
    """

    name: str
    pair: Pair
    about: str
    licence: str
    citation: str
    files: tuple[Value, ...]
    reader: Value
    splits: Mapping[str | None, Any]
    documents: int | None = None
    sentences: int | None = None
    index: tuple[str, str] = ("", "")
    notes: tuple[str, ...] = field(default_factory=tuple)


def file_value(name: str, urls: list[str], grade: str, **checksums: str | int | None) -> Value:
    """Return a file of a corpus file with its sources, and the checksums that are known; a path has no grade."""
    known = {kind: value for kind, value in checksums.items() if value}
    sources = [{"url": url, "grade": grade} if is_remote(url) else url for url in urls]
    return {"name": name, "sources": sources, **known}


@cache
def index_rows(name: str) -> tuple[Mapping[str, str], ...]:
    """Return the rows of an index of this package, a TSV file; an empty value is unknown."""
    header, *lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return tuple(dict(zip(header.split("\t"), line.split("\t"), strict=True)) for line in lines)


def index_row(name: str, **keys: str) -> Mapping[str, str]:
    """Return the row of an index with these values, or an empty mapping."""
    return next((row for row in index_rows(name) if all(row[key] == value for key, value in keys.items())), {})


def number_of(row: Mapping[str, str], column: str) -> int | None:
    """Return a number of a row of an index; None where it is unknown."""
    return int(row[column]) if row.get(column) else None
