"""Strict conversion of YAML values to dataclasses; messages name the file, the line and the path of keys."""

import dataclasses
import functools
import math
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from docmt.base.checks import BadValue
from docmt.base.errors import UserError, check_known, in_line, nearest, quoted
from docmt.base.yaml_files import Lines

KINDS: dict[type, tuple[str, Mapping[str, type]]] = {}
"""The dataclasses with variants. Each has the noun for messages, and its variants by the value of their field `kind`.
The modules that define the dataclasses add them to this table."""
SHORT_FORMS: dict[type, Callable[[dict], dict]] = {}
"""The dataclasses whose settings may be written in a short form, each with the function that returns the long form. The
modules that define the dataclasses add them to this table."""
TEXT_FORMS: dict[type, Callable[[str], dict]] = {}
"""The dataclasses whose settings may be written as one text, each with the function that returns the long form. The
modules that define the dataclasses add them to this table."""
LARGEST = 2**63 - 1  # The largest whole number: 64 bits with a sign, as tables store numbers.


def mapping(value: Any, lines: Lines, path: tuple = ()) -> dict:
    """Return `value`, a mapping. Raises UserError, with the place of `path` in `lines`, for any other type."""
    if not isinstance(value, dict):
        raise UserError("wrong type", where=lines.place(path), found=_described(value), expected="a mapping of keys")
    return value


def laid_over(below: dict, above: Mapping) -> dict:
    """Return `below` with the values of `above`; mappings are merged key by key."""
    # A mapping of which `above` states the `kind` is replaced: the keys of another kind do not belong to it.
    both = {
        key: laid_over(below[key], value) if _is_part(below.get(key), value) else value for key, value in above.items()
    }
    return {**below, **both}


def _is_part(below: Any, above: Any) -> bool:
    """Return whether a value is a mapping that is merged into the mapping below it."""
    return isinstance(below, dict) and isinstance(above, Mapping) and "kind" not in above


def check_keys(value: dict, valid: Iterable[str], lines: Lines, path: tuple = ()) -> None:
    """Raise UserError for a key of `value` that is not one of `valid`."""
    valid = list(valid)
    # Places are looked up where they are shown alone: a project has tens of thousands of keys.
    for key in [key for key in value if key not in valid]:
        check_known("key", key, valid, lines.place((*path, key)))


def parse(hint: Any, value: Any, lines: Lines | str, path: tuple = ()) -> Any:
    """Convert a value to the type `hint`, most often a mapping to the dataclass of whose fields it is.

    `lines` is the origin of the value: the lines of a file, or only the name of a file. `path` is the path of keys
    that leads to the value in this file. Raises UserError for an unknown key, a missing key, a wrong type, a value out
    of range, and fields that contradict each other; its `others` are further mistakes.
    """
    converter = Converter(lines)
    with converter.noting():
        return converter.value(hint, value, path)
    first, *others = converter.problems
    first.others = tuple(others)
    raise first


def mistakes(hint: Any, value: Any, lines: Lines | str, path: tuple = ()) -> list[UserError]:
    """Return every mistake in a value of the type `hint`, such as a dataclass, where `parse` raises the first one.

    The arguments are those of `parse`. Fields that contradict each other are found only where each of them is right.
    """
    converter = Converter(lines)
    with converter.noting():
        converter.value(hint, value, path)
    return converter.problems


def parse_what_is_right(cls: type, value: Any, lines: Lines, path: tuple = ()) -> tuple[Any, list[UserError]]:
    """Build the dataclass `cls` from the fields of a mapping that are right, and return every mistake beside it.

    A field with a mistake has its default, and a mapping has its right items. The object is None where a field without
    a default is wrong or missing. The arguments are those of `parse`.
    """
    converter, values = Converter(lines, keeps_right_items=True), dict[str, Any]()
    with converter.noting():
        values = converter.fields(cls, value, path)
    while all(field.name in values for field in dataclasses.fields(cls) if _is_needed(field)):
        try:
            return cls(**values), converter.problems
        except BadValue as problem:
            converter.problems.append(_not_allowed(problem, converter.lines, path))
            if values.pop(problem.name.split(".")[0], None) is None:
                break
    return None, converter.problems


class _Noted(Exception):
    """A value has mistakes, which the converter has noted."""


class Converter:
    """A conversion of values to types that goes on after a mistake; `problems` has all of them."""

    def __init__(self, lines: Lines | str, keeps_right_items: bool = False) -> None:
        """Begin without mistakes; `lines` is that of `parse`. A mapping with mistakes may keep its right items."""
        self.lines = lines if isinstance(lines, Lines) else Lines(lines)
        self.keeps_right_items = keeps_right_items
        self.problems: list[UserError] = []

    @contextmanager
    def noting(self) -> Iterator[None]:
        """End the block at a mistake, and note it."""
        try:
            yield
        except _Noted:
            pass
        except UserError as problem:
            self.problems.append(problem)

    def parts(self, parts: Iterable[tuple[Any, Any, Any, tuple]]) -> dict[Any, Any]:
        """Convert parts of a value, each with its name, type, value and path; parts with mistakes are left out."""
        right = {}
        for name, hint, item, path in parts:
            with self.noting():
                right[name] = self.value(hint, item, path)
        return right

    def value(self, hint: Any, value: Any, path: tuple) -> Any:
        """Convert a value to the type `hint`, with everything inside it. Raises UserError for another type."""
        origin, options = typing.get_origin(hint), typing.get_args(hint)
        _check_number(value, self.lines, path)
        if hint is Any:
            return value
        if origin in (typing.Union, types.UnionType):
            if value is None and type(None) in options:
                return None
            return self.value(_option(options, value), value, path)
        if origin is typing.Literal:
            if value in options:
                return value
            remedy = nearest(str(value), options)
            raise UserError("unknown name", where=self.lines.place(path), found=in_line(value), remedy=remedy)
        if dataclasses.is_dataclass(hint):
            value = TEXT_FORMS[hint](value) if hint in TEXT_FORMS and isinstance(value, str) else value
            return self._object(hint, value, path)
        if origin is tuple and isinstance(value, list | tuple):
            items = ((number, options[0], item, (*path, number)) for number, item in enumerate(value))
            return tuple(self._all(items).values())
        if origin is dict and isinstance(value, dict):
            keys = [(key, self._key(options[0], key, (*path, str(key)))) for key in value]
            pairs = ((name, options[1], value[key], (*path, str(key))) for key, name in keys)
            return self.parts(pairs) if self.keeps_right_items else self._all(pairs)
        if hint is float and isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        # In Python a boolean is an int: without the last test, true would pass as a number.
        if isinstance(hint, type) and isinstance(value, hint) and (hint is bool or not isinstance(value, bool)):
            return value
        where, remedy = self.lines.place(path), _unquoted(value) if hint in (int, float) else None
        if origin is tuple and not isinstance(value, dict):
            remedy = f"write a list: [{value}]"
        raise UserError("wrong type", where=where, found=_described(value), expected=_named(hint), remedy=remedy)

    def fields(self, cls: type, value: Any, path: tuple) -> dict[str, Any]:
        """Return the fields of a dataclass from a mapping; those with mistakes are left out."""
        fields, hints = {field.name: field for field in dataclasses.fields(cls)}, _hints(cls)
        for key in mapping(value, self.lines, path):
            with self.noting():
                check_keys({key: None}, fields, self.lines, path)
        known = {key: item for key, item in value.items() if key in fields}
        values = self.parts((key, hints[key], item, (*path, key)) for key, item in known.items())
        missing = [name for name, field in fields.items() if name not in value and _is_needed(field)]
        self.problems += [_missing(name, hints[name], self.lines, path) for name in missing]
        return values

    def _object(self, cls: type, value: Any, path: tuple) -> Any:
        before = len(self.problems)
        cls = _variant(cls, value, self.lines, path) if cls in KINDS else cls
        if cls in SHORT_FORMS:
            value = SHORT_FORMS[cls](mapping(value, self.lines, path))
        values = self.fields(cls, value, path)
        if len(self.problems) > before:
            if cls in SHORT_FORMS:  # the parts of the long form repeat a mistake
                del self.problems[before + 1 :]
            raise _Noted
        try:
            return cls(**values)
        except BadValue as problem:
            raise _not_allowed(problem, self.lines, path) from None

    def _all(self, parts: Iterable[tuple[Any, Any, Any, tuple]]) -> dict[Any, Any]:
        """Convert parts as `parts` does, where all of them have to be right."""
        before = len(self.problems)
        right = self.parts(parts)
        if len(self.problems) > before:
            raise _Noted
        return right

    def _key(self, hint: Any, key: Any, path: tuple) -> Any:
        """Convert a key to the type `hint`; a number may be written as a text, since all keys of JSON are texts."""
        if hint is not float:
            return self.value(hint, key, path)
        try:
            number = float(key)
        except (TypeError, ValueError):
            where = self.lines.place(path)
            raise UserError("wrong type", where=where, found=_described(key), expected="a number") from None
        _check_number(number, self.lines, path)
        return number


def _is_needed(field: dataclasses.Field) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _missing(name: str, hint: Any, lines: Lines, path: tuple) -> UserError:
    return UserError("key is missing", where=lines.place((*path, name)), expected=_named(hint))


def _not_allowed(problem: BadValue, lines: Lines, path: tuple) -> UserError:
    return UserError(
        "value not allowed",
        where=lines.place((*path, *problem.name.split("."))),
        found=in_line(problem.value),
        expected=problem.expected,
    )


_hints = functools.cache(typing.get_type_hints)


def _variant(cls: type, value: Any, lines: Lines, path: tuple) -> type:
    """Return the variant of `cls` that a mapping names as its `kind`."""
    what, variants = KINDS[cls]
    kind = mapping(value, lines, path).get("kind", getattr(cls, "kind", None))
    check_known(what, kind, variants, lines.place((*path, "kind")))
    return variants[kind]


def _option(options: tuple, value: Any) -> Any:
    """Return the type among `options` that a value has, or the first of them, to which it is then compared."""
    rest = [option for option in options if option is not type(None)]
    plain = {list: tuple}.get(type(value), type(value))
    return next((option for option in rest if (typing.get_origin(option) or option) is plain), rest[0])


def _check_number(value: Any, lines: Lines, path: tuple) -> None:
    """Raise UserError for a number that no setting can have: .inf, .nan, or more than 64 bits."""
    if isinstance(value, float) and not math.isfinite(value):
        raise UserError("not a finite number", where=lines.place(path), found=value, expected="a finite number")
    if isinstance(value, int) and abs(value) > LARGEST:
        text, expected = quoted(value), f"at most {LARGEST:,} (64 bits)"
        raise UserError("the number is too large", where=lines.place(path), found=text, expected=expected)


def _unquoted(value: Any) -> str | None:
    """Return the remedy for a text that was meant as a number, or none."""
    try:
        float(value)
    except (TypeError, ValueError):
        return None
    return "write it without quotes, and a power of ten with a point before the e, such as 5.0e-4"


# The description of each type for messages.
NAMES = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    tuple: "a list",
    dict: "a mapping",
}


def _named(hint: Any) -> str:
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return " or ".join("none" if option is type(None) else _named(option) for option in typing.get_args(hint))
    if origin is typing.Literal:
        return ", ".join(str(option) for option in typing.get_args(hint))
    if dataclasses.is_dataclass(hint):
        return "a mapping of keys"
    return NAMES.get(origin or hint, str(hint))


def _described(value: Any) -> str:
    return f"{quoted(value)} ({NAMES.get(type(value), 'a list' if isinstance(value, list) else type(value).__name__)})"
