"""What all tables, figures and passages of a study have in common, and what their kinds give."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from docmt.base.checks import need, setting
from docmt.base.errors import UserError, check_known
from docmt.base.yaml_files import Lines
from docmt.catalogue.corpus import CorpusConfig
from docmt.settings.metrics import parse_metric
from docmt.settings.system import SystemConfig

NOT_DIGITISED = "not digitised"
"""A published value that stands in a picture only: it is never guessed."""
PRINTED = re.compile(r"-?\d+(\.\d+)?")

Published = dict[str, dict[str, Any]]
"""By column and metric: a number, a number as it is printed (text), or `NOT_DIGITISED`."""

SystemOnCorpus = tuple[str, str]
"""A corpus and a system on it."""

Count = tuple[str, str, str]
"""A corpus, what is counted of it, and a split."""


def is_published(value: object) -> bool:
    """Whether a study may state this as published."""
    if isinstance(value, str):
        return value == NOT_DIGITISED or PRINTED.fullmatch(value) is not None
    return isinstance(value, int | float) and not isinstance(value, bool)


def published_number(value: Any) -> float | None:
    """The number that was published; none where nothing was, or nothing that can be read off."""
    return None if value is None or value == NOT_DIGITISED else float(value)


def reads_of(metrics: Iterable[str]) -> list[str]:
    """Records of trainings; scores only where a metric is one, since what a record has needs no translation."""
    scored = any(parse_metric(metric).metric.source == "scores" for metric in metrics)
    return ["scores", "records"] if scored else ["records"]


@dataclass(frozen=True)
class Checks:
    """Each raises UserError for what is at `path` of the study.

    `study_corpora`: the study's; `corpora`: of each of its `systems`; `catalogue`: all corpora that there are.
    """

    study_corpora: Sequence[str]
    systems: Mapping[str, SystemConfig]
    corpora: Mapping[str, Sequence[str]]
    catalogue: Mapping[str, CorpusConfig]
    lines: Lines

    def at(self, path: tuple) -> str:
        return self.lines.place(path)

    def known(self, what: str, name: object, valid: Iterable[str], path: tuple) -> None:
        check_known(what, name, list(valid), self.at(path))

    def corpus(self, corpus: str, path: tuple) -> None:
        self.known("corpus of the study", corpus, self.study_corpora, path)

    def system(self, name: str, corpus: str, path: tuple) -> None:
        """The system is there, and on this corpus."""
        self.known("system", name, self.systems, path)
        found, expected = f"{name} on {corpus}", f"on {', '.join(self.corpora[name])}"
        self.require(corpus in self.corpora[name], "not a system of this corpus", found, path, expected)

    def require(self, condition: bool, what: str, found: str, path: tuple, expected: str | None = None) -> None:
        if not condition:
            raise UserError(what, where=self.at(path), found=found, expected=expected)

    def metric(self, name: str, path: tuple) -> None:
        parse_metric(name, self.at(path))

    def metrics(self, names: Sequence[str], path: tuple) -> None:
        for number, name in enumerate(names):
            self.metric(name, (*path, number))

    def labels(self, labels: Sequence[str], path: tuple) -> None:
        twice = [label for number, label in enumerate(labels) if label in labels[:number]]
        self.require(not twice, "a label given twice", ", ".join(twice), path)

    def labelled_systems(self, systems: Sequence[Any], corpus: str, path: tuple) -> None:
        """Systems of a corpus, each under a name of its own (`docmt.kinds.item.LabelledSystem`)."""
        self.labels([one.name for one in systems], path)
        for number, one in enumerate(systems):
            self.system(one.system, corpus, (*path, number, "system"))

    def cells(self, cells: Mapping[str, Any], valid: Sequence[str], path: tuple) -> None:
        """What was published, by names that are valid."""
        for name, value in cells.items():
            self.known("published metric", name, valid, (*path, name))
            self.published(value, (*path, name))

    def published(self, value: object, path: tuple) -> None:
        expected = f"a number, such as 23.10, or {NOT_DIGITISED}"
        self.require(is_published(value), "not a published value", repr(value), path, expected)


@dataclass(frozen=True, kw_only=True)
class Item:
    """What every kind states, and what it gives. `corpora`: those of the study."""

    title: str
    caption: str = setting("", "below it")
    paper: str = setting("", "where what was published stands; of a figure, which one of the paper it is")

    note: ClassVar[str] = ""
    """Below the item, where a kind states one."""

    significance: ClassVar[str | None] = None
    """By which test systems are compared, pair by pair; none where they are not."""

    def check(self, checks: Checks, path: tuple) -> None:
        """Raises UserError for what does not go with the study's systems; `path` is that of the item in the study.

        By itself for its `corpus` and its `systems` (`LabelledSystem`), where it states such.
        """
        if hasattr(self, "corpus"):
            checks.corpus(self.corpus, (*path, "corpus"))
            checks.labelled_systems(getattr(self, "systems", ()), self.corpus, (*path, "systems"))

    def systems_of(self, corpora: Sequence[str]) -> Iterator[SystemOnCorpus]:
        """The systems that it shows, in its order; by itself its `systems`, where it states such."""
        return ((self.corpus, shown.system) for shown in getattr(self, "systems", ()))

    def reads(self) -> list[str]:
        """Return what the item is made from: keys of `FILES_OF_SYSTEMS` and `FILES_OF_ITEMS` in docmt/plan/items.py."""
        raise NotImplementedError

    def counts_of(self, corpora: Sequence[str]) -> Iterator[Count]:
        """What it shows of corpora themselves."""
        yield from ()

    def pairs(self, corpora: Sequence[str]) -> Iterator[tuple[str, str, str]]:
        """Which systems are compared: corpus, system and baseline."""
        yield from ()

    @property
    def tallied(self) -> list[str]:
        """The metrics by which they are compared."""
        return []


@dataclass(frozen=True, kw_only=True)
class TableConfig(Item):
    """What all tables state."""

    kind: str = setting("systems", "which kind of table: a file of docmt/kinds")


@dataclass(frozen=True, kw_only=True)
class FigureConfig(Item):
    """What all figures state."""

    corpus: str
    kind: str = setting("points", "which kind of figure: a file of docmt/kinds")
    note: str = setting("", "such as that other points of the paper's are not digitised")


class Named:
    """What is called by its `label`, or by the name of its `system` where that is left out."""

    @property
    def name(self) -> str:
        return self.label or self.system or ""


class TableRow(Named):
    """A row that may have a `group`, a heading across the table, and nothing else then."""

    def __post_init__(self) -> None:
        others = [
            one.name for one in fields(self) if one.name != "group" and getattr(self, one.name) not in ("", None, {})
        ]
        need(not self.group or not others, "group", self.group, f"no {', '.join(others)} beside it")


@dataclass(frozen=True)
class LabelledSystem(Named):
    """A system under the name that it has in a figure or a passage."""

    system: str
    label: str = setting("", "what it is called; its own name where it is left out")
