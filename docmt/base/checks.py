"""Declarations of settings (default, description for the manual, check), and checks of the values of settings."""

from collections.abc import Callable
from dataclasses import field, fields
from typing import Any

from docmt.base.names import PATHS_HAVE, is_path

MOST = 1_000_000_000
"""The largest number of tokens, sentences or updates; a larger number is a typing mistake."""
MOST_BEAM = 1_000
"""The largest beam."""
MOST_RATE = 1e30
"""The largest learning rate; the largest number in single precision is 3.4e38."""
MOST_SEED = 2**63 - 1
"""The largest seed: 64 bits with a sign."""


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


def need_between(least: int, most: int, name: str, value: int | None, otherwise: str = "") -> None:
    """Raise BadValue unless `value` is none or from `least` to `most`.

    `otherwise` is appended to the expected values in the message, such as ", or none".
    """
    need(value is None or value >= least, name, value, f"{least} or more{otherwise}")
    need(value is None or value <= most, name, value, f"at most {most:,}{otherwise}")


def need_seeds(name: str, seeds: tuple[int, ...] | None) -> None:
    """Raise BadValue unless seeds are distinct, in range, and at least one.

    There is one training for each seed, in a folder with the seed's number. `seeds` may be none, for example in a study
    that uses the seeds of config.yaml.
    """
    need(seeds != (), name, "no seed", "at least one whole number")
    for number, seed in enumerate(seeds or ()):
        need_between(0, MOST_SEED, name, seed)
        need(seed not in seeds[:number], name, seed, "each seed once")


def need_path(name: str, value: str | None) -> None:
    """Raise BadValue unless `value` is none or can be a path; the path need not exist."""
    need(value is None or is_path(value), name, value, f"{PATHS_HAVE}, or none")


Check = Callable[[str, Any], None]
"""A function of a field's name and value that raises BadValue for a value that is not allowed."""


def whole(least: int, most: int = MOST, otherwise: str = "") -> Check:
    """Return the check that a whole number is none or from `least` to `most` (see `need_between`)."""
    return lambda name, value: need_between(least, most, name, value, otherwise)


def at_least(least: int, why: str = "") -> Check:
    """Return the check that a number is `least` or more; `why` is appended to the expected values in the message."""
    return lambda name, value: need(value >= least, name, value, f"{least} or more{why}")


def up_to(most: int) -> Check:
    """Return the check that a number is from 0 to `most`."""
    return lambda name, value: need(0 <= value <= most, name, value, f"0 to {most}")


def above_0(most: float, otherwise: str = "") -> Check:
    """Return the check that a number is none, or above 0 and at most `most`.

    `otherwise` is appended to the expected values in the message, such as ", or none".
    """
    expected = f"above 0 and at most {most:g}{otherwise}"
    return lambda name, value: need(value is None or 0 < value <= most, name, value, expected)


def share(name: str, value: float) -> None:
    """Raise BadValue unless `value` is at least 0 and below 1."""
    need(0 <= value < 1, name, value, "at least 0 and below 1")


def positive(name: str, value: float) -> None:
    """Raise BadValue unless `value` is above 0."""
    need(value > 0, name, value, "above 0")


def even(name: str, value: int) -> None:
    """Raise BadValue unless `value` is an even number, 2 or more."""
    need(value >= 2 and value % 2 == 0, name, value, "an even number, 2 or more")


count, count_or_none, beam, rate = whole(1), whole(1, MOST, ", or none"), whole(1, MOST_BEAM), above_0(MOST_RATE)


def setting(default: Any, about: str, check: Check | None = None, **options: Any) -> Any:
    """Declare a setting: a dataclass field with its default, its description for the manual and the check of its value.

    `options` are further arguments of `dataclasses.field`.
    """
    return field(default=default, metadata={"about": about, "check": check}, **options)


class Checked:
    """A base class of settings: it runs the check of each field.

    A subclass that checks combinations of fields calls `__post_init__` of this class first, in its own `__post_init__`.
    """

    def __post_init__(self) -> None:
        """Run the check that each field was declared with."""
        for declared in fields(self):
            if check := declared.metadata.get("check"):
                check(declared.name, getattr(self, declared.name))
