"""YAML files of settings: their values, where each key stands, and what YAML allows and settings cannot mean.

A file is read three times: as events, which cost little whatever stands in it, then as nodes, then as values. What
would take for ever, or mean something else than it looks like, is refused at the first.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from docmt.base.errors import UserError, quoted
from docmt.base.foreign import reading

DEEPEST = 40
"""Levels of lists and mappings within each other; the deepest setting has about ten."""
MOST_VALUES = 500_000
"""Values of a file, with those that aliases repeat."""
OCTAL = re.compile(r"[-+]?0[0-9_]+")
SEXAGESIMAL = re.compile(r"[-+]?[1-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?")


class Lines:
    """Where each key of a YAML file stands, by its path."""

    def __init__(self, file: str, lines: Mapping[tuple, int] | None = None) -> None:
        self.file, self._lines = file, dict(lines or {})

    def place(self, path: tuple) -> str:
        """`file:line path`; the nearest parent's line where the path itself stands nowhere."""
        known = path
        while known and known not in self._lines:
            known = known[:-1]
        line = self._lines.get(known)
        return f"{self.file}:{line} {dotted(path)}".rstrip() if line else f"{self.file} {dotted(path)}".rstrip()

    def repeat(self, path: tuple, other: tuple) -> None:
        """Let another path, and what is below it, have the places of `path`."""
        below = {key[len(path) :]: line for key, line in self._lines.items() if key[: len(path)] == path}
        self._lines |= {(*other, *rest): line for rest, line in below.items()}


def dotted(path: tuple) -> str:
    """A path of keys in messages; a key that would not stay in its line is quoted."""
    return ".".join(_part(str(part)) for part in path)


def _part(key: str) -> str:
    return key if key.isprintable() and len(key) <= 100 else quoted(key)


def load_yaml(path: Path | str) -> tuple[Any, Lines]:
    """Read a YAML file and where its keys stand.

    Raises UserError for a missing or unreadable file, for YAML that does not parse, for a key given twice, and for
    what settings have no use for: tags, values that contain themselves, thousands of levels or millions of values,
    numbers that YAML reads otherwise than they look (`010` is 8).
    """
    path, expected = Path(path), "a UTF-8 text file"
    if path.exists() and not path.is_file():
        raise UserError("cannot be read", where=str(path), found="no regular file", expected=expected)
    with reading(path, "cannot be read", expected, remedy="save it as UTF-8, or restore it from version control"):
        text = path.read_text(encoding="utf-8")
    value, node = _value(text, str(path))
    lines: dict[tuple, int] = {}
    _note_lines(node, (), lines, str(path))
    return value, Lines(str(path), lines)


def load_text(text: str, where: str) -> Any:
    """The value of a YAML text that a user gave on the command line. Raises UserError as `load_yaml`."""
    return _value(text, where)[0]


def _value(text: str, where: str) -> tuple[Any, Any]:
    """The value of a YAML text, and the node that knows its lines."""
    import yaml  # here only: jobs read JSON, on machines that may lack it

    remedy = "correct the line, or restore the file from version control"
    try:
        _check_events(yaml.parse(text, Loader=yaml.CSafeLoader), where)
        loader = yaml.CSafeLoader(text)  # several times as fast as SafeLoader
        node = loader.get_single_node()
        return None if node is None else loader.construct_document(node), node
    except yaml.MarkedYAMLError as problem:
        line = problem.problem_mark.line + 1 if problem.problem_mark else "?"
        raise UserError("not valid YAML", where=f"{where}:{line}", found=problem.problem, remedy=remedy) from None
    except (yaml.YAMLError, ValueError, OverflowError) as problem:
        # ValueError: a day such as 2026-99-99, a number of thousands of digits.
        found = str(problem).splitlines()[0]
        raise UserError("not valid YAML", where=where, found=found, remedy=remedy) from None


def _check_events(events: Iterable[Any], where: str) -> None:
    """Raises UserError at the first event that is more than settings can mean."""
    import yaml

    sizes: dict[str | None, int] = {}
    """Values under each anchor that is closed."""
    around: list[tuple[str | None, int]] = []
    """Anchors of the collections that are open, and how many values there were before each."""
    count = 0
    for event in events:
        line = f"{where}:{event.start_mark.line + 1}"
        if isinstance(event, yaml.CollectionEndEvent):
            anchor, before = around.pop()
            sizes[anchor] = count - before
        elif isinstance(event, yaml.AliasEvent):
            _check_alias(event.anchor, around, line)
            count += sizes.get(event.anchor, 1)
        elif isinstance(event, yaml.NodeEvent):
            _check_scalar_or_tag(event, line)
            if isinstance(event, yaml.CollectionStartEvent):
                around.append((event.anchor, count))
            count += 1
        _check_size(len(around), count, line)


def _check_alias(anchor: str, around: Iterable[tuple[str | None, int]], line: str) -> None:
    if anchor in (name for name, _ in around):
        remedy = "write out what is meant"
        raise UserError("a value contains itself", where=line, found=f"*{anchor}", remedy=remedy)


def _check_size(depth: int, count: int, line: str) -> None:
    if depth > DEEPEST:
        raise UserError("nested too deeply", where=line, expected=f"at most {DEEPEST} levels", remedy="flatten it")
    if count > MOST_VALUES:
        remedy = "look for aliases (*name) that repeat each other"
        raise UserError("too many values", where=line, expected=f"at most {MOST_VALUES:,}", remedy=remedy)


def _check_scalar_or_tag(event: Any, line: str) -> None:
    tag, value, plain = event.tag, getattr(event, "value", ""), not getattr(event, "style", None)
    if tag is not None:
        raise UserError("settings have no tags", where=line, found=quoted(tag), remedy="remove the tag")
    if plain and OCTAL.fullmatch(value):
        what = "a number with a zero before it, which YAML reads to the base of 8"
        raise UserError(what, where=line, found=value, expected="no zero before the number, or quotes for a text")
    if plain and SEXAGESIMAL.fullmatch(value):
        what = "a number with colons, which YAML reads to the base of 60"
        raise UserError(what, where=line, found=value, expected="quotes for a text, or a number without colons")


def _note_lines(node: Any, path: tuple, lines: dict[tuple, int], file: str) -> None:
    kind = getattr(node, "id", None)
    if kind == "mapping":
        seen = set()
        for key, value in node.value:
            name, line = key.value, key.start_mark.line + 1
            if name in seen:
                remedy = "keep one of the two"
                raise UserError("key given twice", where=f"{file}:{line} {dotted((*path, name))}", remedy=remedy)
            seen.add(name)
            lines[(*path, name)] = line
            _note_lines(value, (*path, name), lines, file)
    elif kind == "sequence":
        for number, value in enumerate(node.value):
            lines[(*path, number)] = value.start_mark.line + 1
            _note_lines(value, (*path, number), lines, file)
