"""Standard input as an input file: the value `-` of any option or argument that names an input file."""

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from docmt.base.errors import UserError
from docmt.base.foreign import naming, reading
from docmt.base.untrusted import limited_lines
from docmt.cli.options import parameters_of

DASH = Path("-")
NAME = "standard input"  # The name of standard input in messages and results.


@contextmanager
def standard_input_as_file(command: Callable[..., None], values: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Replace `-` among a command's input files by a temporary file that holds standard input.

    Readers may open a file several times, or ask for its size; a pipe allows neither. Messages call the temporary file
    "standard input". Raises UserError where `-` stands for several files.
    """
    inputs = {name for name, known in parameters_of(command).items() if known.dir_okay is False and not known.writable}
    uses = [name for name in inputs for path in _paths(values[name]) if path == DASH]
    if not uses:
        yield values
        return
    if len(uses) > 1:
        raise UserError("standard input is one file", where="-", found=f"{len(uses)} times -", expected="once")
    with tempfile.TemporaryDirectory(prefix="docmt.") as folder:
        file = Path(folder) / NAME
        with naming(file), file.open("wb") as copy:
            copy.writelines(_received())
        try:
            yield {name: _replaced(value, file) if name in uses else value for name, value in values.items()}
        except UserError as problem:
            raise renamed(problem, folder) from problem


def _received() -> Iterator[bytes]:
    with reading(NAME, "cannot be read"):
        yield from limited_lines(sys.stdin.buffer, NAME)


def renamed(problem: UserError, folder: str) -> UserError:
    """Return the error with "standard input" in its texts instead of the path of the temporary file."""
    names = ("what", "where", "found", "expected", "remedy")
    texts = {name: getattr(problem, name) for name in names}
    what, facts = texts.pop("what"), {name: text and text.replace(f"{folder}/", "") for name, text in texts.items()}
    return UserError(what, **facts, status=problem.status)


def label(path: Path) -> str:
    """Return the name of an input file in results."""
    return NAME if path.name == NAME else str(path)


def _paths(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _replaced(value: Any, file: Path) -> Any:
    if isinstance(value, list):
        return [file if path == DASH else path for path in value]
    return file
