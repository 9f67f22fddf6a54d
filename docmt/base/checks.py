"""Declarations of settings (default, description for the manual, check), and checks of the values of settings."""

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

from docmt.base.names import (
    LANGUAGE,
    LANGUAGES_ARE,
    LONGEST_NAME,
    LONGEST_PATH,
    NAME,
    NAMES_HAVE,
    PATHS_HAVE,
    is_language,
    is_name,
    is_path,
)

MOST = 1_000_000_000  # The largest number of tokens, sentences or updates; a larger number is a typing mistake.
MOST_BEAM = 1_000  # The largest beam.
# The longest time in minutes, some 19 years: the clocks of the operating system refuse huge numbers.
MOST_MINUTES = 10_000_000
MOST_RATE = 1e30  # The largest learning rate; the largest number in single precision is 3.4e38.
MOST_SEED = 2**63 - 1  # The largest seed: 64 bits with a sign.


class BadValue(ValueError):
    """A value of the right type that is not allowed.

    `name` is the field of the setting, `value` its value, and `expected` says which values are allowed.
    `docmt.base.parse` converts a BadValue to a UserError with file, line and path.
    """

    def __init__(self, name: str, value: object, expected: str) -> None:
        """Build the message from the field, its value and the allowed values."""
        super().__init__(f"{name}: found {value!r}, expected {expected}")
        self.name, self.value, self.expected = name, value, expected


def need(condition: bool, name: str, value: object, expected: str) -> None:
    """Raise BadValue unless `condition` holds."""
    if not condition:
        raise BadValue(name, value, expected)


@dataclass(frozen=True)
class Check:
    """The check of a field's value; it passes none, which is a question of the field's type.

    `test` gets the field's name and value, and raises BadValue for a value that is not allowed. `schema` says the same
    in keywords of JSON Schema, as far as these can say it: editors refuse what they say while a person writes a file.
    """

    test: Callable[[str, Any], None]
    schema: Mapping[str, Any]

    def __call__(self, name: str, value: Any) -> None:
        """Raise BadValue for a value that is neither none nor allowed."""
        if value is not None:
            self.test(name, value)


def in_schema(**keywords: Any) -> Callable[[Callable[[str, Any], None]], Check]:
    """Return a decorator that turns a function into a `Check` with these keywords of JSON Schema."""
    return lambda test: Check(test, keywords)


def all_of(*checks: Check) -> Check:
    """Return the check that a value passes all of these checks; messages come from the first that it does not pass."""

    def test(name: str, value: Any) -> None:
        for check in checks:
            check(name, value)

    return Check(test, {keyword: limit for check in checks for keyword, limit in check.schema.items()})


def each(check: Check) -> Check:
    """Return the check that each item of a list passes `check`."""

    def test(name: str, value: Iterable[Any]) -> None:
        for item in value:
            check(name, item)

    return Check(test, {"items": check.schema})


def each_value(check: Check) -> Check:
    """Return the check that each value of a mapping passes `check`; messages name its key."""

    def test(name: str, value: Mapping[str, Any]) -> None:
        for key, item in value.items():
            check(f"{name}.{key}", item)

    return Check(test, {"additionalProperties": check.schema})


def each_key(check: Check) -> Check:
    """Return the check that each key of a mapping passes `check`."""
    return Check(each(check).test, {"propertyNames": check.schema})


def some(expected: str, found: str | None = None) -> Check:
    """Return the check that a text, a list or a mapping is not empty; `found` stands for an empty one in messages."""

    def test(name: str, value: Any) -> None:
        need(bool(value), name, value if found is None else found, expected)

    return Check(test, {"minLength": 1, "minItems": 1, "minProperties": 1})


# The keywords of JSON Schema that limit a number, each with the function that compares a number with the limit.
LIMITS: Mapping[str, Callable[[Any, Any], bool]] = {
    "minimum": operator.ge,
    "exclusiveMinimum": operator.gt,
    "maximum": operator.le,
    "exclusiveMaximum": operator.lt,
    "multipleOf": lambda value, factor: value % factor == 0,
}


def within(expected: str, **limits: float) -> Check:
    """Return the check that a number is within limits, which are keywords of `LIMITS`."""

    def test(name: str, value: float) -> None:
        inside = all(LIMITS[keyword](value, limit) for keyword, limit in limits.items())
        need(inside, name, value, expected)

    return Check(test, limits)


def whole(least: int, most: int = MOST, otherwise: str = "") -> Check:
    """Return the check that a number is from `least` to `most`; messages append `otherwise`, such as ", or none"."""
    lower = within(f"{least} or more{otherwise}", minimum=least)
    return all_of(lower, within(f"at most {most:,}{otherwise}", maximum=most))


def at_least(least: int, why: str = "") -> Check:
    """Return the check that a number is `least` or more; `why` is appended to the expected values in the message."""
    return within(f"{least} or more{why}", minimum=least)


def up_to(most: int) -> Check:
    """Return the check that a number is from 0 to `most`."""
    return within(f"0 to {most}", minimum=0, maximum=most)


def above_0(most: float, otherwise: str = "") -> Check:
    """Return the check that a number is above 0 and at most `most`; messages append `otherwise`."""
    return within(f"above 0 and at most {most:g}{otherwise}", exclusiveMinimum=0, maximum=most)


share = within("at least 0 and below 1", minimum=0, exclusiveMaximum=1)
positive = within("above 0", exclusiveMinimum=0)
even = within("an even number, 2 or more", minimum=2, multipleOf=2)
count, count_or_none, beam, rate = whole(1), whole(1, MOST, ", or none"), whole(1, MOST_BEAM), above_0(MOST_RATE)
seed = whole(0, MOST_SEED)


@in_schema(minItems=1, uniqueItems=True, items=seed.schema)
def need_seeds(name: str, seeds: tuple[int, ...]) -> None:
    """Raise BadValue unless seeds are distinct, in range, and at least one."""
    need(seeds != (), name, "no seed", "at least one whole number")
    # There is one training for each seed, in a folder with the seed's number.
    for number, value in enumerate(seeds):
        seed(name, value)
        need(value not in seeds[:number], name, value, "each seed once")


@in_schema(
    pattern=r"^(?=.*\S)[^\x00-\x1f\x7f]+$", maxLength=LONGEST_PATH, patternErrorMessage=f"Expected {PATHS_HAVE}."
)
def need_path(name: str, value: str) -> None:
    """Raise BadValue unless `value` can be a path; the path need not exist."""
    need(is_path(value), name, value, f"{PATHS_HAVE}, or none")


@in_schema(pattern=rf"^{NAME.pattern}$", maxLength=LONGEST_NAME, patternErrorMessage=f"Expected {NAMES_HAVE}.")
def need_name(name: str, value: str) -> None:
    """Raise BadValue unless `value` follows the rule of names that become parts of paths."""
    need(is_name(value), name, value, NAMES_HAVE)


def keys_of(names: Iterable[str], what: str = "some") -> Check:
    """Return the check that each key of a mapping is one of `names`; `what` says in messages what the keys are."""
    valid = list(names)

    def test(name: str, value: Mapping[str, Any]) -> None:
        wrong = [key for key in value if key not in valid]
        need(not wrong, name, wrong, f"{what} of {', '.join(valid)}")

    return Check(test, {"propertyNames": {"enum": valid}})


@in_schema(pattern=rf"^{LANGUAGE.pattern}$", patternErrorMessage=f"Expected {LANGUAGES_ARE}.")
def need_language(name: str, value: str) -> None:
    """Raise BadValue unless `value` has the form of a language code, such as zh."""
    need(is_language(value), name, value, LANGUAGES_ARE)


def setting(default: Any, about: str, check: Check | None = None, **options: Any) -> Any:
    """Declare a setting: a dataclass field with its default, its description for the manual and the check of its value.

    `options` are further arguments of `dataclasses.field`.
    """
    return field(default=default, metadata={"about": about, "check": check}, **options)


def needed(about: str, check: Check | None = None) -> Any:
    """Declare a setting without a default: a key that each file, or each part of a file, has to state."""
    return setting(MISSING, about, check)


def section(make: Callable[[], Any], about: str, check: Check | None = None) -> Any:
    """Declare a setting whose default is a new object: an empty mapping (`dict`), or settings that are all defaults."""
    return setting(MISSING, about, check, default_factory=make)


class Checked:
    """A base class of settings: it runs each field's check. The `__post_init__` of a subclass calls this one first."""

    def __post_init__(self) -> None:
        """Run the check that each field was declared with."""
        for declared in fields(self):
            if check := declared.metadata.get("check"):
                check(declared.name, getattr(self, declared.name))
