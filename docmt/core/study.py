"""A study: its systems, each stated as a difference from another, and the tables, figures and passages made of them."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docmt.core.checks import setting
from docmt.core.config import need_seeds
from docmt.core.errors import UserError, shown
from docmt.core.figures import FigureConfig, PassageConfig
from docmt.core.names import check_name
from docmt.core.parse import parse
from docmt.core.tables import TableConfig
from docmt.core.yaml_files import Lines, load_yaml

RESERVED = ("index", "settings")
"""No table or figure has these names: the study's own page has the first, the settings of a job the second."""

Item = TableConfig | FigureConfig | PassageConfig


@dataclass(frozen=True)
class StudyConfig:
    """A file of `workflow/studies`, its systems as stated (unresolved)."""

    study: str
    title: str
    corpora: tuple[str, ...]
    systems: dict[str, Any]
    about: str = setting("", "what the study asks, in a few sentences")
    seeds: tuple[int, ...] | None = setting(None, "where the study's differ from config.yaml's")
    tables: dict[str, TableConfig] = field(default_factory=dict)
    figures: dict[str, FigureConfig] = field(default_factory=dict)
    passages: dict[str, PassageConfig] = field(default_factory=dict)

    def __post_init__(self) -> None:
        need_seeds("seeds", self.seeds)

    @property
    def items(self) -> dict[str, Item]:
        """What has a page of its own, by its name: tables with the passages among them, then figures."""
        first = sorted({**self.tables, **self.passages}, key=_natural)
        both = {**self.tables, **self.passages, **self.figures}
        return {name: both[name] for name in [*first, *sorted(self.figures, key=_natural)]}


def _natural(name: str) -> tuple[bool, list[tuple[bool, int, str]]]:
    """`table2` before `table10`; what has no number of a paper comes after what has."""
    parts = re.split(r"(\d+)", name)
    return len(parts) == 1, [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]


def load_study(path: Path) -> tuple[StudyConfig, Lines]:
    """Read one study. Raises UserError for anything that its schema does not allow."""
    value, lines = load_yaml(path)
    study = parse(StudyConfig, value, lines)
    check_name("study", study.study, lines.place(("study",)))
    for name in study.systems:
        check_name("system", name, lines.place(("systems", name)))
    if study.study != path.stem:
        where = lines.place(("study",))
        raise UserError("a study is called like its file", where=where, found=study.study, expected=shown(path.stem))
    _check_item_names(study, lines)
    return study, lines


def _check_item_names(study: StudyConfig, lines: Lines) -> None:
    """Every table, figure and passage has a page of its own, beside the study's."""
    seen: dict[str, str] = {}
    for section in ("tables", "figures", "passages"):
        for name in getattr(study, section):
            path = (section, name)
            check_name(section.removesuffix("s"), name, lines.place(path))
            if name in RESERVED:
                where = lines.place(path)
                raise UserError("a name that the study's page has", where=where, found=name, expected="another name")
            if name in seen:
                found = f"{name}, as in {seen[name]}"
                raise UserError("a name given twice", where=lines.place(path), found=found, expected="another name")
            seen[name] = section
