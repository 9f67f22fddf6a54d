"""Tables, figures and passages of a study: a file for each kind, with what it states, checks and is made from.

A kind is a subclass of `TableConfig` or `FigureConfig` with a `kind` of its own, in a module of this package, and is
found there; `docmt/reporting/kinds` has a module of the same name, which shows it.
"""

from importlib import import_module
from pkgutil import iter_modules

from docmt.base.parse import KINDS
from docmt.kinds.item import FigureConfig, TableConfig


def _kinds_of(base: type) -> dict[str, type]:
    """By `kind`."""
    modules = [import_module(f"{__name__}.{one.name}") for one in iter_modules(__path__)]
    found = [one for module in modules for one in vars(module).values() if isinstance(one, type)]
    return {one.kind: one for one in found if issubclass(one, base) and one is not base and "kind" in vars(one)}


TABLES, FIGURES = _kinds_of(TableConfig), _kinds_of(FigureConfig)
KINDS[TableConfig] = ("kind of table", TABLES)
KINDS[FigureConfig] = ("kind of figure", FIGURES)
