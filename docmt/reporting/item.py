"""The common base of tables, figures and passages, and the checks that their kinds call."""

import re
from collections import UserDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any, ClassVar

from docmt.base.checks import Checked, in_schema, need, needed, setting
from docmt.base.errors import UserError, check_known
from docmt.base.parse import KINDS
from docmt.base.yaml_files import Lines
from docmt.catalogue.corpus import CorpusConfig
from docmt.settings.metrics import parse_metric
from docmt.settings.system import ExternalSystem, SystemConfig

# The published value of a number that the paper has only in a picture; docmt never guesses such a number.
NOT_DIGITISED = "not digitised"
# The pattern of a number as text; a text keeps the number of decimals that the paper prints.
PRINTED = re.compile(r"-?\d+(\.\d+)?")

# The published values by column and metric; a value is a number, a printed number (text), or `NOT_DIGITISED`.
Published = dict[str, dict[str, Any]]

SystemOnCorpus = tuple[str, str]  # The name of a corpus and the name of a system on it.

# The name of a corpus, of a system on it, and of a metric or count that stands beside a published number.
BesidePublished = tuple[str, str | None, str]

Count = tuple[str, str, str]  # The name of a corpus, of a count, and of a split.


def is_published(value: object) -> bool:
    """Return whether a study may state this value as published: a number, a printed number, or `NOT_DIGITISED`."""
    if isinstance(value, str):
        return value == NOT_DIGITISED or PRINTED.fullmatch(value) is not None
    # A boolean is an instance of int.
    return isinstance(value, int | float) and not isinstance(value, bool)


@in_schema(pattern=rf"^(?:{PRINTED.pattern}|{NOT_DIGITISED})$")
def need_published(name: str, value: Any) -> None:
    """Raise BadValue for a value that a study may not state as published."""
    need(is_published(value), name, value, f"a number, or {NOT_DIGITISED}")


def published_number(value: Any) -> float | None:
    """Return a published value as a number; return none where there is no value, or where it is `NOT_DIGITISED`."""
    return None if value is None or value == NOT_DIGITISED else float(value)


@dataclass(frozen=True)
class Checks:
    """The checks that items call; `path` of a check is the path of keys that leads to the checked value in the study.

    `study_corpora` has the names of the study's corpora, `systems` the settings of the study's systems by name, and
    `corpora` the names of each system's corpora. `catalogue` has the settings of all corpora by name. `lines` has the
    line of each key of the study, for messages.
    """

    study_corpora: Sequence[str]
    systems: Mapping[str, SystemConfig]
    corpora: Mapping[str, Sequence[str]]
    catalogue: Mapping[str, CorpusConfig]
    lines: Lines

    def at(self, path: tuple) -> str:
        """Return the file, line and keys of a path, for messages."""
        return self.lines.place(path)

    def known(self, what: str, name: object, valid: Iterable[str], path: tuple) -> None:
        """Raise UserError, with the nearest valid name, where the name is not valid."""
        check_known(what, name, list(valid), self.at(path))

    def corpus(self, corpus: str, path: tuple) -> None:
        """Raise UserError where the study does not have the corpus."""
        self.known("corpus of the study", corpus, self.study_corpora, path)

    def system(self, name: str, corpus: str, path: tuple) -> None:
        """Raise UserError where the study does not have the system, or does not have it on this corpus."""
        self.known("system", name, self.systems, path)
        description, expected = f"{name} on {corpus}", f"on {', '.join(self.corpora[name])}"
        self.require(corpus in self.corpora[name], "the system is not run on this corpus", description, path, expected)

    def model(self, name: str, path: tuple) -> None:
        """Raise UserError where a system of the study has no model of docmt; `name` is the name of the system."""
        system = self.systems[name]
        if isinstance(system, ExternalSystem):
            what = f"no model of {name} to look into: {system.source.about}"
            self.require(False, what, name, path, "a system that docmt trains")

    def require(self, condition: bool, what: str, found: str, path: tuple, expected: str | None = None) -> None:
        """Raise UserError unless the condition holds; the other arguments are the parts of the message."""
        if not condition:
            raise UserError(what, where=self.at(path), found=found, expected=expected)

    def metric(self, name: str, path: tuple) -> None:
        """Raise UserError for a metric that does not exist."""
        parse_metric(name, self.at(path))

    def metrics(self, names: Sequence[str], path: tuple) -> None:
        """Raise UserError for a metric that does not exist in a list of metrics; `path` leads to the list."""
        for number, name in enumerate(names):
            self.metric(name, (*path, number))

    def labels(self, labels: Sequence[str], path: tuple) -> None:
        """Raise UserError where two labels are equal."""
        twice = [label for number, label in enumerate(labels) if label in labels[:number]]
        self.require(not twice, "a label given twice", ", ".join(twice), path)

    def line(self, label: str | None, lines: Sequence[Any], path: tuple) -> None:
        """Raise UserError where no line has the label; None is the label of no line, and no mistake."""
        if label is not None:
            self.known("line", label, [line.label for line in lines], path)

    def labelled_systems(self, systems: Sequence[Any], corpus: str, path: tuple) -> None:
        """Raise UserError where two of the `LabelledSystem`s have the same label, or a system is not on the corpus."""
        self.labels([labelled.name for labelled in systems], path)
        for number, labelled in enumerate(systems):
            self.system(labelled.system, corpus, (*path, number, "system"))

    def cells(self, cells: Mapping[str, Any], valid: Sequence[str], path: tuple) -> None:
        """Raise UserError where a published cell has a name that is not valid, or a value that is no number."""
        for name, value in cells.items():
            self.known("published metric", name, valid, (*path, name))
            self.published(value, (*path, name))

    def published(self, value: object, path: tuple) -> None:
        """Raise UserError for a published value that is neither a number nor `NOT_DIGITISED`."""
        expected = f"a number, such as 23.10, or {NOT_DIGITISED}"
        self.require(is_published(value), "not a published value", repr(value), path, expected)


@dataclass(frozen=True)
class PieceContent:
    """What a page shows of an item."""

    data: Any  # The object that the template renders; None where there is no content.
    records: Iterable[dict]  # The content as flat records, for JSON and CSV.
    template: str = ""  # Empty for the file of `docmt/kinds` with the name of the kind.


@dataclass(frozen=True, kw_only=True)
class Item(Checked):
    """A table, figure or passage of a study: its common fields, and the methods that a kind defines.

    The argument `corpora` of the methods has the corpora of the study.
    """

    title: str = needed("title of the item")
    caption: str = setting("", "a sentence below the item")
    paper: str = setting("", "the table or figure of the paper that the published numbers are from")

    not_comparable: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Why numbers are not comparable with the published ones, by metric; tables of systems declare it as a field."""

    note: ClassVar[str] = ""
    """A footnote below the item; a kind of items with footnotes declares `note` as a field."""

    significance: ClassVar[str | None] = None
    """The test of significance that compares the item's pairs of systems; none for kinds of items without such
    pairs."""

    def check(self, checks: Checks, path: tuple) -> None:
        """Raise UserError where the item does not fit the study; `path` has the keys of the item in the study.

        This base checks the fields `corpus` and `systems` (a list of `LabelledSystem`) of kinds that have them.
        """
        if hasattr(self, "corpus"):
            checks.corpus(self.corpus, (*path, "corpus"))
            checks.labelled_systems(getattr(self, "systems", ()), self.corpus, (*path, "systems"))

    def labels_of(self) -> Iterator[tuple[str, str]]:
        """Yield the name and the label of each system that the item labels.

        This base reads the field `systems` (a list of `LabelledSystem`) of kinds that have it.
        """
        return ((labelled.system, labelled.label) for labelled in getattr(self, "systems", ()) if labelled.label)

    def systems_of(self, corpora: Sequence[str]) -> Iterator[SystemOnCorpus]:
        """Yield the systems of the item, each on its corpus, in the order of the item.

        This base yields the field `systems` of kinds that have it. Only these systems are trained for the item.
        """
        return ((self.corpus, labelled.system) for labelled in getattr(self, "systems", ()))

    def reads(self) -> list[str]:
        """Return the inputs of the item: keys of `STEPS_OF_SYSTEMS` and `JOBS_OF_ITEMS` in docmt/grid/items.py.

        This base returns those of metrics: records of trainings, and scores where a metric is not in the records.
        """
        scored = any(parse_metric(metric).metric.source == "scores" for metric in self.measures)
        return ["scores", "records"] if scored else ["records"]

    def content(self, name: str, results: Any) -> PieceContent:
        """Return what the page shows of the item with the `Results` so far; `name` is its name in the study."""
        raise NotImplementedError

    def beside_published(self, corpora: Sequence[str]) -> Iterator[BesidePublished]:
        """Yield what the item measures beside published numbers; the system of counts is None."""
        yield from ()

    def counts_of(self, corpora: Sequence[str]) -> Iterator[Count]:
        """Yield the counts of corpora that the item shows."""
        yield from ()

    def pairs(self, corpora: Sequence[str]) -> Iterator[tuple[str, str, str]]:
        """Yield the comparisons of the item as (corpus, system, baseline)."""
        yield from ()

    @property
    def has_sheet(self) -> bool:
        """Whether a job draws a sheet for annotators from translations of the item's two systems."""
        return False

    @property
    def measures(self) -> tuple[str, ...]:
        """The metrics that the item shows; this base reads the fields `metrics` or `metric` of kinds that have them."""
        return getattr(self, "metrics", (self.metric,) if hasattr(self, "metric") else ())

    @property
    def tallied(self) -> list[str]:
        """The metrics in which the pairs of systems are compared."""
        return []


# The description of the field `kind` of each kind of tables and figures.
KIND = "which fields the item has, and what it shows"


@dataclass(frozen=True, kw_only=True)
class TableConfig(Item):
    """The common base of tables."""

    kind: str = setting("systems", KIND)


@dataclass(frozen=True, kw_only=True)
class FigureConfig(Item):
    """The common base of figures, each of one corpus."""

    corpus: str = needed("corpus of the figure's systems")
    kind: str = setting("points", KIND)
    note: str = setting("", "a footnote, such as that other points of the paper are not digitised")


@dataclass(frozen=True, kw_only=True)
class PassageConfig(Item):
    """The common base of passages."""

    kind: ClassVar[str] = "passage"


class Named:
    """A base for classes with a `label`, which defaults to the name of the `system`."""

    @property
    def name(self) -> str:
        """The label; the name of the system where there is no label."""
        return self.label or self.system or ""


class TableRow(Named, Checked):
    """The base of a table's rows: a row with a `group` is a heading across the table and has no other field."""

    def __post_init__(self) -> None:
        """Raise BadValue where a heading has another field."""
        super().__post_init__()
        others = [
            field.name
            for field in fields(self)
            if field.name != "group" and getattr(self, field.name) not in ("", None, {}, False)
        ]
        need(not self.group or not others, "group", self.group, f"no {', '.join(others)} beside it")


@dataclass(frozen=True)
class LabelledSystem(Named):
    """A system with its label in a figure or a passage."""

    system: str = needed("name of the study's system")
    label: str = setting("", "label of the system; its name where it is left out")


class Kinds(UserDict[str, type]):
    """The kinds with a common base by their names, each a file of `docmt/kinds`, loaded when a study is read."""

    def __init__(self, base: type) -> None:
        """Load nothing yet."""
        self.base = base

    @cached_property
    def data(self) -> dict[str, type]:
        """The classes that declare `kind` themselves; one that only inherits it is a common base of several kinds."""
        names = [module.name for module in iter_modules(import_module("docmt.kinds").__path__)]
        modules = [vars(import_module(f"docmt.kinds.{name}")) for name in names]
        classes = [member for module in modules for member in module.values() if isinstance(member, type)]
        kinds = [cls for cls in classes if issubclass(cls, self.base) and cls is not self.base and "kind" in vars(cls)]
        return {cls.kind: cls for cls in kinds}


TABLES, FIGURES, PASSAGES = Kinds(TableConfig), Kinds(FigureConfig), Kinds(PassageConfig)
KINDS |= {
    TableConfig: ("kind of table", TABLES),
    FigureConfig: ("kind of figure", FIGURES),
    PassageConfig: ("kind of passage", PASSAGES),
}
