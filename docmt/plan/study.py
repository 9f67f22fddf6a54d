"""The file of a study, read and checked by itself."""

from pathlib import Path

from docmt.base.errors import UserError, shown
from docmt.base.names import check_name
from docmt.base.parse import parse
from docmt.base.yaml_files import Lines, load_yaml
from docmt.kinds.item import Checks
from docmt.kinds.study import StudyConfig
from docmt.plan.sweeps import expand

SECTIONS = ("tables", "figures", "passages")
"""Of a study: what has a page of its own."""

RESERVED = ("index", "settings")
"""No table or figure has these names: the study's own page has the first, the settings of a job the second."""


def load_study(path: Path) -> tuple[StudyConfig, Lines]:
    """Read one study. Raises UserError for anything that its schema does not allow."""
    value, lines = load_yaml(path)
    study = parse(StudyConfig, expand(value, lines), lines)
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
    for section in SECTIONS:
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


def check_items(study: StudyConfig, checks: Checks) -> None:
    """Raises UserError for the first table, figure or passage that does not go with the study's systems."""
    for section in SECTIONS:
        for name, item in getattr(study, section).items():
            item.check(checks, (section, name))
