"""The kinds of tables, figures and passages of a study: a module per kind, with its fields, checks and inputs.

A kind is a subclass of `TableConfig` or `FigureConfig` with its own value of `kind`. This file imports every module of
the package and enters the kinds into `TABLES` or `FIGURES`. A kind is rendered by the module of the same name in
`docmt/reporting/kinds`.
"""

from importlib import import_module
from pkgutil import iter_modules

from docmt.base.parse import KINDS
from docmt.reporting.item import FigureConfig, TableConfig


def _kinds_of(base: type) -> dict[str, type]:
    """Return the subclasses of `base` in this package that declare `kind` themselves, by the value of `kind`."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    classes = [member for module in modules for member in vars(module).values() if isinstance(member, type)]
    # A class that only inherits `kind` is a common base, such as that of figures of attention and of latent variables.
    return {cls.kind: cls for cls in classes if issubclass(cls, base) and cls is not base and "kind" in vars(cls)}


TABLES, FIGURES = _kinds_of(TableConfig), _kinds_of(FigureConfig)
KINDS[TableConfig] = ("kind of table", TABLES)
KINDS[FigureConfig] = ("kind of figure", FIGURES)
