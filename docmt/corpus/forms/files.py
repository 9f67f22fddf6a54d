"""`files`: a file a document and language, aligned line by line; {document} in a path is the document's name."""

import glob
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import ClassVar, Literal

from docmt.base.errors import UserError
from docmt.catalogue.forms import SplitsReaderConfig
from docmt.corpus.inputs import Document, FixtureFiles, ReaderInputs, text_of
from docmt.corpus.sides import SidesConfig, aligned_document, aligned_rows
from docmt.corpus.stock import Stock

NAME = "{document}"


@dataclass(frozen=True)
class FilesConfig(SplitsReaderConfig):
    IN_BRACES: ClassVar = (NAME,)

    kind: Literal["files"]
    splits: dict[str, SidesConfig]


def documents(config: FilesConfig, inputs: ReaderInputs) -> Iterator[Document]:
    """Documents go by what {document} stands for, in the order of the numbers in it: 2 before 10.

    Reports a document that only some of the files have, an empty one, and files of unequal length.
    Raises UserError for a pattern that no file has.
    """
    for split, sides in config.in_order:
        found = [_names(inputs, pattern) for pattern in sides.paths]
        for name in sorted(set().union(*found), key=natural):
            paths = [pattern.replace(NAME, name) for pattern in sides.paths]
            shown = [inputs.display_name(path) for path in paths]
            there = [name in names for names in found]
            if not all(there):
                inputs.problems.report(
                    "document without its counterpart",
                    where=shown[there.index(True)],
                    expected=shown[there.index(False)],
                )
                continue
            rows = list(aligned_rows(inputs, paths))
            if rows:
                yield aligned_document(split, name, rows, shown)
            else:
                inputs.problems.report("empty document", where=f"{shown[0]}:1")


def natural(name: str) -> tuple[list[tuple[int, str]], str]:
    """A key that sorts the numbers in names by their value."""
    parts = re.split(r"(\d+)", name)
    return [(int(part), "") if number % 2 else (-1, part) for number, part in enumerate(parts)], name


def _names(inputs: ReaderInputs, pattern: str) -> set[str]:
    """What {document} stands for in the files that there are; the same text wherever it is in the pattern."""
    parts = PurePosixPath(pattern).parts
    fixed = next(number for number, part in enumerate(parts) if NAME in part)
    folder = inputs.path(str(PurePosixPath(*parts[:fixed])))
    rest = "/".join(parts[fixed:])
    first, *others = (re.escape(part) for part in rest.split(NAME))
    expression = re.compile("(?P<name>[^/]+)".join([first, "(?P=name)".join(others)]))
    wanted = "*".join(glob.escape(part) for part in rest.split(NAME))
    files = (path.relative_to(folder).as_posix() for path in folder.glob(wanted) if path.is_file())
    names = {match["name"] for match in map(expression.fullmatch, files) if match}
    if not names:
        raise UserError("no such files", where=inputs.display_name(pattern))
    return names


def write(config: FilesConfig, stock: Stock) -> FixtureFiles:
    for split, sides in config.in_order:
        documents = stock.draw_documents(config, split, sides.source, len(sides.paths) - 1)
        for number, rows in enumerate(documents, 1):
            for side, path in enumerate(sides.paths):
                yield path.replace(NAME, str(number)), text_of(row[side] for row in rows)
