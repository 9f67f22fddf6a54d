"""A reader of YAML files of settings, which also returns the line of each key and refuses YAML that no setting needs.

A file is read in three passes: to events, which take little time and memory for any content, then to nodes, then to
values. The first pass refuses YAML on which later passes would take for ever, and YAML that looks like one value and
means another one.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from docmt.base.credentials import refuse_credentials
from docmt.base.errors import UserError, quoted
from docmt.base.foreign import reading

DEEPEST = 40  # The largest number of levels of nested lists and mappings; the deepest setting has about ten.
MOST_VALUES = 500_000  # The largest number of values of a file, with the values that aliases repeat.
# The pattern of numbers with a zero before them, such as 010, which YAML 1.1 reads to the base of 8.
OCTAL = re.compile(r"[-+]?0[0-9_]+")
# The pattern of numbers with colons, such as 1:30, which YAML 1.1 reads to the base of 60.
SEXAGESIMAL = re.compile(r"[-+]?[1-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?")


class Lines:
    """The line of each key of a YAML file, by the key's path: the keys and list indices that lead to it."""

    def __init__(self, file: str, lines: Mapping[tuple, int] | None = None) -> None:
        """Store the file's name for messages, and the lines by path (none = no line is known)."""
        self.file, self._lines, self._given = file, dict(lines or {}), set[tuple]()

    def give(self, stated: Mapping, path: tuple = ()) -> None:
        """Note that `--config` states the values of a mapping in the place of the file."""
        for key, value in stated.items():
            if isinstance(value, Mapping):
                self.give(value, (*path, key))
            else:
                self._given.add((*path, key))

    def place(self, path: tuple) -> str:
        """Return `file:line path` for messages; an unknown path has the line of its nearest known parent.

        The path of a value that the file does not state is `--config path`.
        """
        if any(path[:depth] in self._given for depth in range(1, len(path) + 1)):
            return f"--config {dotted(path)}"
        known = path
        while known and known not in self._lines:
            known = known[:-1]
        line = self._lines.get(known)
        return f"{self.file}:{line} {dotted(path)}".rstrip() if line else f"{self.file} {dotted(path)}".rstrip()

    def repeat(self, path: tuple, other: tuple) -> None:
        """Give the path `other`, and the paths below it, the lines of `path` and of the paths below `path`."""
        below = {key[len(path) :]: line for key, line in self._lines.items() if key[: len(path)] == path}
        self._lines |= {(*other, *rest): line for rest, line in below.items()}


def dotted(path: tuple) -> str:
    """Return a path of keys for messages, with dots between keys; a key that is long or not printable is quoted."""
    return ".".join(_part(str(part)) for part in path)


def _part(key: str) -> str:
    return key if key.isprintable() and len(key) <= 100 else quoted(key)


def load_yaml(path: Path | str) -> tuple[Any, Lines]:
    """Read the value of a YAML file and the lines of its keys.

    Raises UserError for a missing or unreadable file, for YAML that does not parse, for a key that is given twice, and
    for YAML that settings cannot use: tags, values that contain themselves, more than 40 levels, more than 500,000
    values, numbers that YAML reads otherwise than they look (`010` is 8), and an address with credentials, also in a
    comment: people pass the file on.
    """
    path, expected = Path(path), "a UTF-8 text file"
    if path.exists() and not path.is_file():
        raise UserError("cannot be read", where=str(path), found="not a regular file", expected=expected)
    with reading(path, "cannot be read", expected, remedy="save it as UTF-8, or restore it from version control"):
        text = path.read_text(encoding="utf-8")
    return _value(text, str(path))


def load_text(text: str, where: str) -> Any:
    """Return the value of a YAML text that a user gave on the command line. Raises UserError as `load_yaml` does."""
    return _value(text, where)[0]


def _value(text: str, where: str) -> tuple[Any, Lines]:
    import yaml  # imported here, since jobs read only JSON and may run on machines without this library

    remedy = "correct the line, or restore the file from version control"
    lines: dict[tuple, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        refuse_credentials(line, f"{where}:{number}")
    try:
        _check_events(yaml.parse(text, Loader=yaml.CSafeLoader), where)
        loader = yaml.CSafeLoader(text)  # several times as fast as SafeLoader
        node = loader.get_single_node()
        _note_lines(node, (), lines, where)
        return None if node is None else loader.construct_document(node), Lines(where, lines)
    except yaml.MarkedYAMLError as problem:
        line = problem.problem_mark.line + 1 if problem.problem_mark else "?"
        raise UserError("not valid YAML", where=f"{where}:{line}", found=problem.problem, remedy=remedy) from None
    except (yaml.YAMLError, ValueError, OverflowError) as problem:
        # ValueError: a day such as 2026-99-99, a number of thousands of digits.
        first_line = str(problem).splitlines()[0]
        raise UserError("not valid YAML", where=where, found=first_line, remedy=remedy) from None


def _check_events(events: Iterable[Any], where: str) -> None:
    """Raise UserError at the first event of YAML that settings cannot use (see `load_yaml`)."""
    import yaml

    depth = 0
    for event in events:
        line = f"{where}:{event.start_mark.line + 1}"
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent):
            _check_scalar_or_tag(event, line)
            depth += isinstance(event, yaml.CollectionStartEvent)
        _check_depth(depth, line)


def _check_depth(depth: int, line: str) -> None:
    """Raise UserError where there are too many levels; a value that contains itself has no end of them."""
    if depth > DEEPEST:
        raise UserError("nested too deeply", where=line, expected=f"at most {DEEPEST} levels", remedy="flatten it")


def _check_scalar_or_tag(event: Any, line: str) -> None:
    """Raise UserError for a tag, for an address with credentials, and for a number that YAML reads otherwise."""
    tag, value, plain = event.tag, getattr(event, "value", ""), not getattr(event, "style", None)
    refuse_credentials(value, line)  # once more, since a text in quotes may have escapes
    if tag is not None:
        raise UserError("tags are not allowed in settings", where=line, found=quoted(tag), remedy="remove the tag")
    if plain and OCTAL.fullmatch(value):
        what = "a number with a zero before it, which YAML reads to the base of 8"
        raise UserError(what, where=line, found=value, expected="no zero before the number, or quotes for a text")
    if plain and SEXAGESIMAL.fullmatch(value):
        what = "a number with colons, which YAML reads to the base of 60"
        raise UserError(what, where=line, found=value, expected="quotes for a text, or a number without colons")


def _note_lines(node: Any, path: tuple, lines: dict[tuple, int], file: str) -> None:
    """Add to `lines` the line of each key of a node and below; raise UserError for a key that is given twice."""
    kind = getattr(node, "id", None)
    _check_depth(len(path), file)
    if len(lines) > MOST_VALUES:
        remedy = "look for aliases (*name) that repeat each other"
        raise UserError("too many values", where=file, expected=f"at most {MOST_VALUES:,}", remedy=remedy)
    if kind == "mapping":
        seen = set()
        for key, value in node.value:
            name, line = str(key.value), key.start_mark.line + 1  # a key that is no text is refused later
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
