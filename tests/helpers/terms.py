"""The terms of docmt, collected from its code: fields of settings, their values, and names that studies state."""

import dataclasses
import re
import typing
from collections.abc import Iterator

from docmt.base.parse import KINDS
from docmt.catalogue.corpus import CorpusConfig
from docmt.catalogue.fixtures import FixtureConfig
from docmt.catalogue.forms import FORMS
from docmt.grid.main_config import MainConfig
from docmt.grid.scale import ScaledView
from docmt.reporting.item import FIGURES as FIGURE_KINDS
from docmt.reporting.item import TABLES as TABLE_KINDS
from docmt.reporting.study import StudyConfig
from docmt.settings.metrics import METRICS
from docmt.settings.models import MODELS

ENDINGS = (
    ("ies", "y"),
    ("oes", "o"),
    ("heses", "hesis"),
    ("ases", "as"),
    ("sses", "ss"),
    ("xes", "x"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("s", ""),
)
"""Endings of plurals and of verbs, and their replacement."""


def singular(word: str) -> str:
    """Return a word in lower case, without the ending of a plural or of a verb's third person, and without 's."""
    word = re.sub("(?<=[A-Z])s$", "", word).lower().removesuffix("'s").removesuffix("s'").removesuffix("'")
    if len(word) > 3 and not word.endswith(("ss", "us", "is", "as")):
        for ending, replacement in ENDINGS:
            if word.endswith(ending):
                return word.removesuffix(ending) + replacement
    return word


def settings_classes() -> set[type]:
    """Return the dataclasses that files of settings, studies, corpora and scales are parsed into."""
    classes: set[type] = set()
    kinds = {cls for _, variants in KINDS.values() for cls in variants.values()}
    waiting = [MainConfig, StudyConfig, CorpusConfig, FixtureConfig, ScaledView, *kinds]
    while waiting:
        cls = waiting.pop()
        if cls not in classes:
            classes.add(cls)
            hints = typing.get_type_hints(cls)
            parts = [part for field in dataclasses.fields(cls) for part in parts_of(hints[field.name])]
            waiting += [part for part in parts if dataclasses.is_dataclass(part)]
    return classes


def parts_of(hint: object) -> Iterator[object]:
    """Yield the types and the literal values inside a type."""
    options = typing.get_args(hint)
    if not options:
        yield hint
    for option in options:
        yield from parts_of(option)


def settings_terms() -> dict[str, str]:
    """Return the fields of settings and the values of their literals, each with the class that has it."""
    terms: dict[str, str] = {}
    for cls in sorted(settings_classes(), key=lambda cls: cls.__qualname__):
        hints = typing.get_type_hints(cls)
        for field in dataclasses.fields(cls):
            place = f"{cls.__module__}.{cls.__qualname__}"
            terms.setdefault(field.name, place)
            values = [part for part in parts_of(hints[field.name]) if isinstance(part, str)]
            for value in values:
                terms.setdefault(value, f"{place}.{field.name}")
    return terms


def names_of_items() -> dict[str, str]:
    """Return the kinds, metrics, presets and names that studies may state, each with the table that has it."""
    tables = {
        "a metric": METRICS,
        "an architecture": MODELS,
        "a form of corpus files": FORMS,
        "a kind of table": TABLE_KINDS,
        "a kind of figure": FIGURE_KINDS,
    }
    return {name: table for table, names in tables.items() for name in names}
