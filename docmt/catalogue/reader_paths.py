"""The paths that the settings of a reader state: they must lead to something inside the corpus' files."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from docmt.base.errors import UserError, shown
from docmt.base.names import INSIDE, stays_inside
from docmt.base.yaml_files import Lines
from docmt.catalogue.reader_options import FileReaderConfig, ReaderConfig
from docmt.catalogue.readers import IwsltXmlConfig, TableConfig, readers_of_files

FIELDS = ("archive", "source", "target", "references", "files", "splits", "file", "documents", "offsets", "sets")
"""Fields of readers' settings that hold paths, or that have some within."""
OTHERS: dict[type[FileReaderConfig], tuple[str, ...]] = {
    TableConfig: ("source", "target", "references"),
    IwsltXmlConfig: ("splits",),
}
"""Fields of such names that hold something else: columns, names of sets."""
NO_PATHS = ("marker", "at", "source_form")
"""Fields within the fields."""


def check_paths(reader: ReaderConfig, lines: Lines) -> None:
    """Raises UserError for a path that is absolute or leads up, out of the folder of the corpus' files."""
    for place, one in readers_of_files(reader, ("reader",)):
        for name, path in paths_of(one):
            if not stays_inside(path):
                where = lines.place((*place, *name))
                raise UserError("a path that leads elsewhere", where=where, found=shown(path), expected=INSIDE)


def paths_of(reader: FileReaderConfig) -> Iterator[tuple[tuple, str]]:
    """Each path that is stated, with its place in the reader's settings."""
    fields = dataclasses.asdict(reader)
    for name in FIELDS:
        if name in fields and name not in OTHERS.get(type(reader), ()):
            yield from _texts(fields[name], (name,))


def _texts(value: Any, place: tuple) -> Iterator[tuple[tuple, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if key not in NO_PATHS:
                yield from _texts(item, (*place, key))
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value):
            yield from _texts(item, (*place, number))
