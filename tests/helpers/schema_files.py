"""The JSON Schemas of files of settings, as an editor uses them: on what JSON has in the place of YAML's values."""

import json
import re
from functools import cache
from typing import Any

import jsonschema
from helpers.support import ROOT

from docmt.base.schemas import FOLDER


def as_json(value: Any) -> Any:
    """Return a value of YAML as JSON has it: all keys are texts, and dates are too."""
    if isinstance(value, dict):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    return value if value is None or isinstance(value, str | int | float) else str(value)


def matches(pattern: str, text: str) -> bool:
    """Return whether a text has a pattern as in JavaScript, where $ is the end alone, and not before a line's end."""
    return re.search(re.sub(r"\$$", r"\\Z", pattern), text) is not None


def pattern(validator: Any, pattern: str, text: Any, schema: dict) -> Any:
    if validator.is_type(text, "string") and not matches(pattern, text):
        yield jsonschema.ValidationError(f"{text!r} does not match {pattern!r}")


def pattern_properties(validator: Any, patterns: dict, value: Any, schema: dict) -> Any:
    for pattern, part in patterns.items() if validator.is_type(value, "object") else ():
        for key, item in value.items():
            if matches(pattern, key):
                yield from validator.descend(item, part, path=key, schema_path=pattern)


Validator = jsonschema.validators.extend(
    jsonschema.Draft7Validator, {"pattern": pattern, "patternProperties": pattern_properties}
)


@cache
def validator(name: str) -> Any:
    """Return the validator of a committed schema."""
    return validator_of(json.loads((ROOT / FOLDER / name).read_text(encoding="utf-8")))


def validator_of(schema: dict) -> Any:
    Validator.check_schema(schema)
    return Validator(schema)


def refusals(validator: Any, value: Any) -> list[str]:
    """Return what a schema refuses in a value."""
    return [f"{problem.json_path}: {problem.message}"[:300] for problem in validator.iter_errors(as_json(value))]
