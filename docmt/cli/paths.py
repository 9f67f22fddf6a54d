"""What every command refuses of its paths before it begins: an output that is also an input, above all."""

import functools
import inspect
import os
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from typer.models import OptionInfo, ParameterInfo

from docmt.base.errors import UserError


class Given(NamedTuple):
    """A path of the command line, by the name of its option or argument."""

    name: str
    path: Path
    is_output: bool


def checked(function: Callable[..., None]) -> Callable[..., None]:
    """The command with its paths checked first. What is written is declared as `writable` (`docmt.cli.options`)."""

    @functools.wraps(function)
    def run(**values: Any) -> None:
        check_paths([*given_paths(function, values)])
        function(**values)

    return run


def given_paths(function: Callable[..., None], values: dict[str, Any]) -> Iterator[Given]:
    hints = typing.get_type_hints(function, include_extras=True)
    for name in inspect.signature(function).parameters:
        known = next((one for one in getattr(hints[name], "__metadata__", ()) if isinstance(one, ParameterInfo)), None)
        value = values.get(name)
        for path in value if isinstance(value, list) else [value]:
            if isinstance(path, Path) and known:
                yield Given(_shown(name, known), path, known.writable)


def check_paths(given: list[Given]) -> None:
    """Raises UserError for an output that cannot be where it is named, or is another of the paths."""
    for output in (one for one in given if one.is_output):
        _check_folder(output)
        for other in given:
            if other is not output and os.path.realpath(other.path) == os.path.realpath(output.path):
                raise UserError(
                    f"{other.name} and {output.name} are the same",
                    where=str(output.path),
                    expected="an output that is nothing else",
                    remedy=f"name another path for {output.name}, which would be written over {other.name}",
                )


def _check_folder(output: Given) -> None:
    there = next(parent for parent in output.path.absolute().parents if os.path.lexists(parent))
    if not there.is_dir():
        raise UserError("not a folder", where=str(there), found="a file", expected=f"the folder of {output.name}")


def _shown(name: str, known: ParameterInfo) -> str:
    if not isinstance(known, OptionInfo):
        return name.upper()
    return next(iter(known.param_decls or ()), f"--{name.replace('_', '-')}")
