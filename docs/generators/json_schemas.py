"""JSON Schemas of dataclasses that `docmt.base.parse` reads: keys, types, ranges, defaults and descriptions.

A schema says of a file what the parser says of it, as far as keywords of JSON Schema can. The types come from the
annotations of a dataclass, ranges from the checks of its fields, descriptions from their `about`, and the variants of
`kind` from `docmt.base.parse.KINDS`. `OVERRIDES` of a caller has the fields that the planner reads by code of its own.
"""

import dataclasses
import re
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from docmt.base.checks import BadValue, Check
from docmt.base.parse import KINDS, TEXT_FORMS

Schema = dict[str, Any]
Override = Callable[["Definitions"], Schema]
"""A function that returns the schema of a field whose type alone does not say what it may be."""

TYPES: dict[type, str] = {str: "string", int: "integer", float: "number", bool: "boolean", dict: "object"}
KEYWORDS: dict[str, set[str]] = {
    "string": {"pattern", "patternErrorMessage", "minLength", "maxLength"},
    "integer": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
    "number": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
    "array": {"minItems", "uniqueItems", "items"},
    "object": {"minProperties", "propertyNames", "additionalProperties"},
    "boolean": set(),
    "null": set(),
}
"""The keywords of a check that concern values of each type."""
NUMBER_AS_KEY = r"^[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?$"
"""The pattern of a key that stands for a number: all keys of JSON are texts."""


class Definitions:
    """The definitions of a schema by name; each dataclass has one, and `reference` adds those that are missing."""

    def __init__(self, overrides: Mapping[tuple[type, str], Override], whole: Mapping[type, Override]) -> None:
        """Begin without a definition.

        `overrides` has the schemas of fields by class and name, and `whole` the schemas of classes whose settings have
        a short form.
        """
        self.overrides, self.whole = overrides, whole
        self.schemas: dict[str, Schema] = {}

    def reference(self, cls: type) -> Schema:
        """Return a reference to the definition of a class, or of the choice between its variants."""
        return self.named(cls.__name__, lambda: self._definition(cls))

    def named(self, name: str, make: Callable[[], Schema]) -> Schema:
        """Return a reference to the definition `name`, which `make` returns where it is missing."""
        if name not in self.schemas:
            self.schemas[name] = {}  # a definition that leads to itself finds its name
            self.schemas[name] = make()
        return {"$ref": f"#/definitions/{name}"}

    def _definition(self, cls: type) -> Schema:
        """Return the schema of a class."""
        if cls in self.whole:
            return self.whole[cls](self)
        variants = KINDS[cls][1] if cls in KINDS else {"": cls}
        return self._choice(cls, variants) if len(variants) > 1 else self.mapping(*variants.values())

    def _choice(self, cls: type, variants: Mapping[str, type]) -> Schema:
        """Return the schema of a mapping whose `kind` says which fields it has."""
        default = getattr(cls, "kind", None)
        about = next(described(field) for field in dataclasses.fields(cls) if field.name == "kind")
        kinds = {kind: self._variant(cls, variants[kind], kind) for kind in variants}
        rules = [{"if": has_kind(kind), "then": kinds[kind]} for kind in kinds]
        if default is not None:
            rules.append({"if": {"not": {"required": ["kind"]}}, "then": kinds[default]})
        needed = {"required": ["kind"]} if default is None else {}
        kind = {"enum": list(kinds), **about}
        return {"type": "object", "properties": {"kind": kind}, **needed, "allOf": rules}

    def _variant(self, cls: type, variant: type, kind: str) -> Schema:
        """Return a reference to the definition of a variant, which may be the class itself."""
        name = variant.__name__ if variant is not cls else f"{cls.__name__}_{kind}"
        return self.named(name, lambda: self.mapping(variant))

    def mapping(self, cls: type, left_out: tuple[str, ...] = ()) -> Schema:
        """Return the schema of a mapping with the fields of a class, but for those that are left out."""
        fields = [field for field in dataclasses.fields(cls) if field.name not in left_out]
        hints = typing.get_type_hints(cls)
        properties = {field.name: self.of_field(cls, field, hints[field.name]) for field in fields}
        needed = [field.name for field in fields if is_needed(field)]
        required = {"required": needed} if needed else {}
        return {"type": "object", "properties": properties, **required, "additionalProperties": False}

    def of_field(self, cls: type, field: dataclasses.Field, hint: Any) -> Schema:
        """Return the schema of a field: its type, range, default and description."""
        owner = next((base for base in cls.__mro__ if (base, field.name) in self.overrides), None)
        if owner is not None:
            return {**self.overrides[owner, field.name](self), **described(field)}
        check = field.metadata.get("check")
        schema = self.of(hint, check.schema if isinstance(check, Check) else {})
        return {**schema, **described(field, schema.get("enum", ())), **default_of(field)}

    def of(self, hint: Any, keywords: Mapping[str, Any] = types.MappingProxyType({})) -> Schema:
        """Return the schema of a type, with the keywords of a check that concern it."""
        origin, options = typing.get_origin(hint), typing.get_args(hint)
        if hint is Any:
            return dict(keywords)
        if origin in (typing.Union, types.UnionType):
            return either([self.of(option, keywords) for option in options])
        if origin is typing.Literal:
            return {"enum": list(options)}
        if hint is type(None):
            return {"type": "null"}
        if dataclasses.is_dataclass(hint):
            return self._with_text_form(hint)
        if origin is tuple:
            return {"type": "array", **joined({"items": self.of(options[0])}, limited("array", keywords))}
        if origin is dict:
            return self._by_key(options, keywords)
        return {"type": TYPES[hint], **limited(TYPES[hint], keywords)}

    def _by_key(self, options: tuple, keywords: Mapping[str, Any]) -> Schema:
        """Return the schema of a mapping whose keys a file chooses."""
        keys = {"propertyNames": {"pattern": NUMBER_AS_KEY}} if options[0] is float else {}
        values = {"additionalProperties": self.of(options[1])}
        return {"type": "object", **keys, **joined(values, limited("object", keywords))}

    def _with_text_form(self, cls: type) -> Schema:
        """Return a reference to a class, or the choice between it and the one text that may stand for it."""
        if cls not in TEXT_FORMS:
            return self.reference(cls)
        (name,) = TEXT_FORMS[cls]("")
        (field,) = (field for field in dataclasses.fields(cls) if field.name == name)
        text = {**self.of(str, field.metadata["check"].schema), **described(field)}
        return {"anyOf": [text, self.reference(cls)]}


def has_kind(kind: str) -> Schema:
    """Return the schema of mappings of this kind."""
    return {"required": ["kind"], "properties": {"kind": {"const": kind}}}


def limited(name: str, keywords: Mapping[str, Any]) -> Schema:
    """Return the keywords of a check that concern values of a type of JSON."""
    return {keyword: value for keyword, value in keywords.items() if keyword in KEYWORDS[name]}


def joined(schema: Schema, keywords: Schema) -> Schema:
    """Return a schema with further keywords; those on its items or values are added to what it says of them."""
    return {**keywords, **{key: {**value, **keywords.get(key, {})} for key, value in schema.items()}}


def either(schemas: list[Schema]) -> Schema:
    """Return the schema of values that have one of several schemas, as simply as JSON Schema can say it.

    >>> either([{"type": "integer", "minimum": 1}, {"type": "null"}])
    {'type': ['integer', 'null'], 'minimum': 1}
    """
    *first, last = schemas
    if len(first) == 1 and set(first[0]) == {"enum"} and last == {"type": "null"}:
        return {"enum": [*first[0]["enum"], None]}
    pairs = [(key, value) for schema in schemas for key, value in schema.items() if key != "type"]
    keywords = dict(pairs)
    # Keywords concern values of one type, so that schemas of several types are one, unless both limit numbers.
    if all("type" in schema for schema in schemas) and all(keywords[key] == value for key, value in pairs):
        return {"type": [schema["type"] for schema in schemas], **keywords}
    return {"anyOf": schemas}


def is_needed(field: dataclasses.Field) -> bool:
    """Return whether a file has to state a field: it has no default, or one that its own check refuses."""
    if field.default_factory is not dataclasses.MISSING:
        return False
    if field.default is dataclasses.MISSING:
        return True
    try:
        (field.metadata.get("check") or (lambda *_: None))(field.name, field.default)
    except BadValue:
        return True
    return False


def default_of(field: dataclasses.Field) -> Schema:
    """Return the default of a field as JSON has it; none where a file has to state it, or where it is an object."""
    if is_needed(field):
        return {}
    value = field.default_factory() if field.default is dataclasses.MISSING else field.default
    if isinstance(value, tuple):
        value = list(value)
    is_plain = value is None or value == {} or isinstance(value, str | int | float | list)
    return {"default": value} if is_plain else {}


def described(field: dataclasses.Field, names: Sequence[Any] = ()) -> Schema:
    """Return the description of a field; `names` are its values."""
    return {"description": sentence(field.metadata["about"], names)} if field.metadata.get("about") else {}


def sentence(about: str, names: Sequence[Any] = ()) -> str:
    """Return a description as a sentence, but for a name or a symbol at its start.

    >>> sentence("number of updates; none = no limit"), sentence("k: every k sentences"), sentence("keep: as it is")
    ('Number of updates; none = no limit.', 'k: every k sentences.', 'keep: as it is.')
    """
    first = about.split(" ", 1)[0]
    is_word = re.fullmatch(r"[a-z'-]+", first) and (first not in names or first == "keep")
    begins = about[0].upper() + about[1:] if is_word else about
    return begins if begins.endswith(".") else f"{begins}."


def parts_of(schema: Any) -> Iterator[Schema]:
    """Yield a schema and all schemas inside it."""
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from parts_of(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from parts_of(value)
