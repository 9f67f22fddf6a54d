"""The file of a study: its reading, its checks that need no other file, and the expansion of its sweeps.

A sweep is one line of the file for several systems that differ in one value. `document.length{}: {sweep: [64, 128],
extends: document, view: {max_tokens: "{}"}}` is short for the systems `document.length64` and `document.length128`;
`{}` is replaced by each value. A figure with `points: document.length{}` has a point for each of these systems, and the
place of the point on the horizontal axis is the value.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docmt.base.errors import UserError, check_known, in_line, quoted
from docmt.base.names import check_name
from docmt.base.parse import mapping, parse
from docmt.base.yaml_files import Lines, load_yaml
from docmt.reporting.item import Checks
from docmt.reporting.study import StudyConfig

SECTIONS = ("tables", "figures", "passages")  # The sections of a study that contain its items; each item has a page.

RESERVED = ("index", "job", "manifest", "record", "settings")
"""Names that no item may have: `index` names the study's page, and the others are the files of its job.

Names with the ending of sheets for annotators are refused too.
"""

PLACE = "{}"  # The text that is replaced by each value of a sweep.
Values = list[int | float]  # The values of a sweep, in the order of the file.


def load_study(path: Path) -> tuple[StudyConfig, Lines]:
    """Read a study, and the lines of its keys. Raises UserError for a wrong value, and another name than its file's."""
    value, lines = load_yaml(path)
    study = parse(StudyConfig, expand(value, lines), lines)
    check_name("study", study.study, lines.place(("study",)))
    for name in study.systems:
        check_name("system", name, lines.place(("systems", name)))
    if study.study != path.stem:
        where = lines.place(("study",))
        raise UserError(
            "the name of a study is not that of its file", where=where, found=study.study, expected=quoted(path.stem)
        )
    _check_item_names(study, lines)
    return study, lines


def _check_item_names(study: StudyConfig, lines: Lines) -> None:
    """Raise UserError for items of the same name, for a reserved name, and for one that a path may not have."""
    seen: dict[str, str] = {}
    for section in SECTIONS:
        for name in getattr(study, section):
            path = (section, name)
            check_name(section.removesuffix("s"), name, lines.place(path))
            if name in RESERVED or ".sheet" in name:
                where = lines.place(path)
                raise UserError("a name that the study's page needs", where=where, found=name, expected="another name")
            if name in seen:
                places = f"{name}, as in {seen[name]}"
                raise UserError("a name given twice", where=lines.place(path), found=places, expected="another name")
            seen[name] = section


def check_items(study: StudyConfig, checks: Checks) -> None:
    """Raise UserError for the first table, figure or passage that does not fit the systems of the study."""
    for section in SECTIONS:
        for name, item in getattr(study, section).items():
            item.check(checks, (section, name))


def expand(study: Any, lines: Lines) -> Any:
    """Return the content of a study's file with each sweep replaced by its systems, in the same place.

    In `lines`, the keys of the new systems get the lines of the sweep. Raises UserError for a sweep without values or
    without `{}` in its name, for a name with `{}` that has no sweep, for a system that is stated twice, and for points
    that name an unknown sweep.
    """
    if not isinstance(study, dict) or not isinstance(study.get("systems"), dict):
        return study  # `parse` reports the mistake later
    sweeps: dict[str, Values] = {}
    systems: dict[str, Any] = {}
    for name, stated in study["systems"].items():
        values = _values(name, stated, lines)
        if values is None:
            systems[name] = stated
            continue
        sweeps[name] = values
        for value in values:
            system = str(name).replace(PLACE, str(value))
            if system in systems or system in study["systems"]:
                where = lines.place(("systems", name))
                raise UserError("a name given twice", where=where, found=system, expected="another name, or value")
            systems[system] = _filled({key: item for key, item in stated.items() if key != "sweep"}, value)
            lines.repeat(("systems", name), ("systems", system))
    return {**study, "systems": systems, **_with_points(study, sweeps, lines)}


def _values(name: Any, stated: Any, lines: Lines) -> Values | None:
    """Return the values of a sweep; None for an ordinary system. Raises UserError for wrong names and values."""
    is_sweep, path = isinstance(stated, dict) and "sweep" in stated, ("systems", name)
    if PLACE not in str(name) and not is_sweep:
        return None
    if not is_sweep or str(name).count(PLACE) != 1:
        expected = f"{PLACE} once in the name of a system that has a sweep, and in no other"
        raise UserError("not the name of a sweep", where=lines.place(path), found=in_line(name), expected=expected)
    values = stated["sweep"]
    # `type` and not `isinstance`, since a boolean is an instance of int.
    numbers = isinstance(values, list) and all(type(value) in (int, float) for value in values)
    if not numbers or not values or len(set(values)) < len(values):
        where, expected = lines.place((*path, "sweep")), "numbers, each once"
        raise UserError("not the values of a sweep", where=where, found=in_line(str(values)), expected=expected)
    return values


def _filled(stated: Any, value: int | float) -> Any:
    """Return a setting with `{}` replaced by a value of a sweep; `{}` alone becomes the number itself."""
    if isinstance(stated, dict):
        return {key: _filled(item, value) for key, item in stated.items()}
    if isinstance(stated, list):
        return [_filled(item, value) for item in stated]
    if stated == PLACE:
        return value
    return stated.replace(PLACE, str(value)) if isinstance(stated, str) else stated


def _with_points(study: dict, sweeps: dict[str, Values], lines: Lines) -> dict[str, Any]:
    """Return the figures, with each sweep in `points` replaced by a mapping from values to systems."""
    if not isinstance(study.get("figures"), dict):
        return {}
    figures = dict(study["figures"])
    for name, figure in figures.items():
        if isinstance(figure, dict) and isinstance(figure.get("series"), list):
            series = list(_series(figure["series"], sweeps, lines, ("figures", name, "series")))
            figures[name] = {**figure, "series": series}
    return {"figures": figures}


def _series(series: list, sweeps: dict[str, Values], lines: Lines, path: tuple) -> Iterator[Any]:
    for number, line in enumerate(series):
        points = mapping(line, lines, (*path, number)).get("points")
        if not isinstance(points, str):
            yield line
            continue
        check_known("sweep", points, sweeps, lines.place((*path, number, "points")))
        yield {**line, "points": {value: points.replace(PLACE, str(value)) for value in sweeps[points]}}
