"""The form `files`: a file for each document and language; the two files of a document are aligned line by line.

In a path, {document} stands for the name of the document.
"""

import glob
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import ClassVar, Literal

from docmt.base.checks import needed, setting
from docmt.base.errors import UserError
from docmt.catalogue.forms import KIND, OF_SPLITS, SplitsReaderConfig, some_splits
from docmt.corpus.inputs import Document, FixtureFiles, ReaderInputs, text_of
from docmt.corpus.sides import SidesConfig, aligned_document, aligned_rows
from docmt.corpus.stock import Stock

NAME = "{document}"


@dataclass(frozen=True)
class FilesConfig(SplitsReaderConfig):
    """The settings of the form `files`."""

    IN_BRACES: ClassVar = (NAME,)

    kind: Literal["files"] = needed(KIND)
    splits: dict[str, SidesConfig] = needed(OF_SPLITS, some_splits)
    numbered: bool = setting(
        False,
        "{document} stands for a number alone, as in 7.zh; other files, such as 7.tok.zh, are not read",
    )


def documents(config: FilesConfig, inputs: ReaderInputs) -> Iterator[Document]:
    """Yield the documents, sorted by name; numbers in names are sorted by value, 2 before 10.

    The name of a document is the text for which {document} stands in its paths. Reports a document without the file of
    one language or reference, an empty document, and files with unequal numbers of lines. Raises UserError for a path
    that no file matches.
    """
    for split, sides in config.in_order:
        names_of_files = [_names(inputs, pattern, config.numbered) for pattern in sides.paths]
        for name in sorted(set().union(*names_of_files), key=natural):
            paths = [pattern.replace(NAME, name) for pattern in sides.paths]
            file_names = [inputs.display_name(path) for path in paths]
            exists = [name in names for names in names_of_files]
            if not all(exists):
                inputs.problems.report(
                    "document without its counterpart",
                    where=file_names[exists.index(True)],
                    expected=file_names[exists.index(False)],
                )
                continue
            rows = list(aligned_rows(inputs, paths))
            if rows:
                yield aligned_document(split, name, rows, file_names)
            else:
                inputs.problems.report("empty document", where=f"{file_names[0]}:1")


def natural(name: str) -> tuple[list[tuple[int, str]], str]:
    """Return a sort key for names, with which numbers in names are sorted by their value."""
    parts = re.split(r"(\d+)", name)
    return [(int(part), "") if number % 2 else (-1, part) for number, part in enumerate(parts)], name


def _names(inputs: ReaderInputs, pattern: str, numbered: bool) -> set[str]:
    """Return the names of the documents whose files exist: the texts for which {document} stands in `pattern`."""
    parts = PurePosixPath(pattern).parts
    # The folders before the first {document} are fixed; archives among them are unpacked by `inputs.path`.
    depth = next(number for number, part in enumerate(parts) if NAME in part)
    folder = inputs.path(str(PurePosixPath(*parts[:depth])))
    rest = "/".join(parts[depth:])
    # Where `pattern` has {document} several times, it stands for the same text each time.
    first, *others = (re.escape(part) for part in rest.split(NAME))
    name = "(?P<name>[0-9]+)" if numbered else "(?P<name>[^/]+)"
    expression = re.compile(name.join([first, "(?P=name)".join(others)]))
    wildcards = "*".join(glob.escape(part) for part in rest.split(NAME))
    files = (path.relative_to(folder).as_posix() for path in folder.glob(wildcards) if path.is_file())
    names = {match["name"] for match in map(expression.fullmatch, files) if match}
    if not names:
        raise UserError("no file has such a path", where=inputs.display_name(pattern))
    return names


def write(config: FilesConfig, stock: Stock) -> FixtureFiles:
    """Yield a file for each document and language of a fixture; the names of the documents are numbers from 1."""
    for split, sides in config.in_order:
        documents = stock.draw_documents(config, split, sides.source, len(sides.paths) - 1)
        for number, rows in enumerate(documents, 1):
            for side, path in enumerate(sides.paths):
                yield path.replace(NAME, str(number)), text_of(row[side] for row in rows)
