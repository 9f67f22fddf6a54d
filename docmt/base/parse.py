"""Strict conversion of YAML values to dataclasses; messages name the file, the line and the path of keys."""

import dataclasses
import functools
import math
import types
import typing
from collections.abc import Callable, Mapping
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
LARGEST = 2**63 - 1
"""The largest whole number: 64 bits with a sign, as tables store numbers."""


def mapping(value: Any, lines: Lines, path: tuple = ()) -> dict:
    """Return `value` after a check that it is a mapping.

    Raises UserError, with the place of `path` in `lines`, for any other type.
    """
    if not isinstance(value, dict):
        raise UserError("wrong type", where=lines.place(path), found=_described(value), expected="a mapping of keys")
    return value


def laid_over(below: dict, above: Mapping) -> dict:
    """Return `below` with the values of `above`.

    Mappings are merged key by key. All other values are replaced, and so is a mapping of which `above` states the
    `kind`, since the keys of another kind do not belong to it.
    """
    both = {
        key: laid_over(below[key], value) if _is_part(below.get(key), value) else value for key, value in above.items()
    }
    return {**below, **both}


def _is_part(below: Any, above: Any) -> bool:
    """Return whether a value is a mapping that is merged into the mapping below it."""
    return isinstance(below, dict) and isinstance(above, Mapping) and "kind" not in above


def check_keys(value: dict, valid: typing.Iterable[str], lines: Lines, path: tuple = ()) -> None:
    """Raise UserError for a key of `value` that is not one of `valid`."""
    valid = list(valid)
    for key in value:
        check_known("key", key, valid, lines.place((*path, key)))


def parse(cls: type, value: Any, lines: Lines | str, path: tuple = ()) -> Any:
    """Build the dataclass `cls` from a mapping of its fields.

    `lines` is the origin of the mapping: the lines of a file, or only the name of a file. `path` is the path of keys
    that leads to the mapping in this file. Raises UserError for an unknown key, a missing key, a wrong type, a value
    out of range, and fields that contradict each other.
    """
    lines = lines if isinstance(lines, Lines) else Lines(lines)
    cls = _variant(cls, value, lines, path) if cls in KINDS else cls
    if cls in SHORT_FORMS:
        value = SHORT_FORMS[cls](mapping(value, lines, path))
    fields = {field.name: field for field in dataclasses.fields(cls)}
    check_keys(mapping(value, lines, path), fields, lines, path)
    hints = _hints(cls)
    values = {key: _value(hints[key], item, lines, (*path, key)) for key, item in value.items()}
    for name, field in fields.items():
        if name not in values and _is_needed(field):
            raise _missing(name, hints[name], lines, path)
    try:
        return cls(**values)
    except BadValue as problem:
        raise _not_allowed(problem, lines, path) from None


def parse_what_is_right(cls: type, value: Any, lines: Lines, path: tuple = ()) -> tuple[Any, list[UserError]]:
    """Build the dataclass `cls` from the fields of a mapping that are right, and return every mistake beside it.

    A field with a mistake has its default, and a mapping has its right items. The object is None where a field without
    a default is wrong or missing. The arguments are those of `parse`.
    """
    problems = mistakes(cls, value, lines, path)
    if not isinstance(value, dict):
        return None, problems
    hints = _hints(cls)
    stated = {key: _right_items(hints[key], item, lines, (*path, key)) for key, item in value.items() if key in hints}
    right = {key: item for key, item in stated.items() if not _mistakes(hints[key], item, lines, (*path, key))}
    values = {key: _value(hints[key], item, lines, (*path, key)) for key, item in right.items()}
    while all(field.name in values for field in dataclasses.fields(cls) if _is_needed(field)):
        try:
            return cls(**values), problems
        except BadValue as problem:
            refused = _not_allowed(problem, lines, path)
            problems += [] if str(refused) in map(str, problems) else [refused]
            if values.pop(problem.name.split(".")[0], None) is None:
                break
    return None, problems


def _right_items(hint: Any, value: Any, lines: Lines, path: tuple) -> Any:
    """Return a mapping without the items that have mistakes; any other value is returned unchanged."""
    if typing.get_origin(hint) is not dict or not isinstance(value, dict):
        return value
    item_of = typing.get_args(hint)[1]
    return {key: item for key, item in value.items() if not _mistakes(item_of, item, lines, (*path, str(key)))}


def mistakes(cls: type, value: Any, lines: Lines | str, path: tuple = ()) -> list[UserError]:
    """Return every mistake in the mapping of a dataclass, where `parse` raises the first one.

    The arguments are those of `parse`. Fields that contradict each other are found only where each of them is right.
    """
    return _mistakes(cls, value, lines if isinstance(lines, Lines) else Lines(lines), path)


def _mistakes(hint: Any, value: Any, lines: Lines, path: tuple) -> list[UserError]:
    """Return every mistake in a value of the type `hint`: those inside it, or else the mistake of the value itself."""
    try:
        _value(hint, value, lines, path)
    except UserError as problem:
        inside = [
            mistake
            for place, part, item in _parts(hint, value, lines, path)
            for mistake in _mistakes(part, item, lines, place)
        ]
        wrong_keys = _wrong_keys(hint, value, lines, path)
        return [*wrong_keys, *inside] or [problem]
    return []


def _parts(hint: Any, value: Any, lines: Lines, path: tuple) -> list[tuple[tuple, Any, Any]]:
    """Return the parts of a value that have types of their own: the path, the type and the value of each."""
    origin, options = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return [] if value is None else _parts(_option(options, value), value, lines, path)
    if origin is tuple and isinstance(value, list | tuple):
        return [((*path, number), options[0], item) for number, item in enumerate(value)]
    if origin is dict and isinstance(value, dict):
        return [((*path, str(key)), options[1], item) for key, item in value.items()]
    cls = _class_of(hint, value, lines, path)
    if cls is None or not isinstance(value, dict) or cls in SHORT_FORMS:
        return []
    return [((*path, key), _hints(cls)[key], item) for key, item in value.items() if key in _hints(cls)]


def _wrong_keys(hint: Any, value: Any, lines: Lines, path: tuple) -> list[UserError]:
    """Return the mistakes about keys of the mapping of a dataclass: those that it does not know, and those it lacks."""
    cls = _class_of(hint, value, lines, path)
    if cls is None or not isinstance(value, dict) or cls in SHORT_FORMS:
        return []
    fields = {field.name: field for field in dataclasses.fields(cls)}
    problems = []
    for key in value:
        try:
            check_keys({key: None}, fields, lines, path)
        except UserError as problem:
            problems.append(problem)
    missing = [name for name, field in fields.items() if name not in value and _is_needed(field)]
    return problems + [_missing(name, _hints(cls)[name], lines, path) for name in missing]


def _class_of(hint: Any, value: Any, lines: Lines, path: tuple) -> type | None:
    """Return the dataclass that a mapping is of, or its variant; None for another type, and for an unknown variant."""
    if not dataclasses.is_dataclass(hint):
        return None
    try:
        return _variant(hint, value, lines, path) if hint in KINDS else hint
    except UserError:
        return None


def _is_needed(field: dataclasses.Field) -> bool:
    """Return whether a field has no default."""
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _missing(name: str, hint: Any, lines: Lines, path: tuple) -> UserError:
    """Return the error about a missing key."""
    return UserError("key is missing", where=lines.place((*path, name)), expected=_named(hint))


def _not_allowed(problem: BadValue, lines: Lines, path: tuple) -> UserError:
    """Return the error about a value that the dataclass at `path` refuses."""
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


def parse_value(hint: Any, value: Any, where: str, path: tuple = ()) -> Any:
    """Convert a value of the file `where`, at a path of keys, to the type `hint`; raise UserError for another type."""
    return _value(hint, value, Lines(where), path)


def _value(hint: Any, value: Any, lines: Lines, path: tuple) -> Any:
    """Convert a value to the type `hint`, with everything inside it.

    Raises UserError for a value that does not have this type.
    """
    origin, options = typing.get_origin(hint), typing.get_args(hint)
    _check_number(value, lines, path)
    if hint is Any:
        return value
    if origin in (typing.Union, types.UnionType):
        if value is None and type(None) in options:
            return None
        return _value(_option(options, value), value, lines, path)
    if origin is typing.Literal:
        if value in options:
            return value
        raise UserError(
            "unknown name", where=lines.place(path), found=in_line(value), remedy=nearest(str(value), options)
        )
    if dataclasses.is_dataclass(hint):
        value = TEXT_FORMS[hint](value) if hint in TEXT_FORMS and isinstance(value, str) else value
        return parse(hint, value, lines, path)
    if origin is tuple and isinstance(value, list | tuple):
        return tuple(_value(options[0], item, lines, (*path, number)) for number, item in enumerate(value))
    if origin is dict and isinstance(value, dict):
        paths = {key: (*path, str(key)) for key in value}
        return {
            _key(options[0], key, lines, paths[key]): _value(options[1], item, lines, paths[key])
            for key, item in value.items()
        }
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    # In Python a boolean is an int: without the last test, true would pass as a number.
    if isinstance(hint, type) and isinstance(value, hint) and (hint is bool or not isinstance(value, bool)):
        return value
    remedy = _unquoted(value) if hint in (int, float) else None
    raise UserError(
        "wrong type", where=lines.place(path), found=_described(value), expected=_named(hint), remedy=remedy
    )


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


def _key(hint: Any, key: Any, lines: Lines, path: tuple) -> Any:
    """Convert a key to the type `hint`; a number may be written as a text, since all keys of JSON are texts."""
    if hint is not float:
        return _value(hint, key, lines, path)
    try:
        number = float(key)
    except (TypeError, ValueError):
        raise UserError("wrong type", where=lines.place(path), found=_described(key), expected="a number") from None
    _check_number(number, lines, path)
    return number


NAMES = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    tuple: "a list",
    dict: "a mapping",
}
"""The description of each type for messages."""


def _named(hint: Any) -> str:
    """Return the description of a type for messages."""
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return " or ".join("none" if option is type(None) else _named(option) for option in typing.get_args(hint))
    if origin is typing.Literal:
        return ", ".join(str(option) for option in typing.get_args(hint))
    if dataclasses.is_dataclass(hint):
        return "a mapping of keys"
    return NAMES.get(origin or hint, str(hint))


def _described(value: Any) -> str:
    """Return a value and its type for messages."""
    return f"{quoted(value)} ({NAMES.get(type(value), 'a list' if isinstance(value, list) else type(value).__name__)})"
