"""Metrics and models of other packages, which announce them as entry points of docmt's groups "metrics" and "models".

A folder of Python files is no plugin: docmt runs no code of the folder in which somebody starts it, which may be one
that others passed on.
"""

from collections.abc import Iterable
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from docmt.base.errors import UserError
from docmt.base.foreign import first_line


def plugins(group: str, kind: type, known: Iterable[str]) -> dict[str, Any]:
    """Return what installed packages announce in a group, by name.

    Raises UserError for an object that is no `kind`, for a name of docmt's own (`known`), and where loading fails.
    """
    found = {}
    for point in entry_points(group=group):
        where = f"the entry point {point.name} of {group}, {point.value}"
        if point.name in known or point.name in found:
            remedy = "give it another name, or uninstall the package"
            raise UserError("the name of a plugin is taken", where=where, found=point.name, remedy=remedy)
        try:
            found[point.name] = point.load()
        except Exception as problem:
            reason = f"{type(problem).__name__}: {first_line(problem)}"
            raise UserError("a plugin cannot be loaded", where=where, found=reason) from problem
        if not isinstance(found[point.name], kind):
            expected = f"a {kind.__name__} of docmt"
            raise UserError("not a plugin of this kind", where=where, found=found[point.name], expected=expected)
    return found


def plugin_file(module: str) -> Path | None:
    """Return the file of a plugin's module, which decides results as docmt's versions do; None for docmt's own."""
    if not module or module.partition(".")[0] == "docmt":
        return None
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        expected = "a Python file that can be imported"
        raise UserError("the module of a plugin is not there", found=module, expected=expected)
    return Path(spec.origin)
