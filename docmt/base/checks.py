"""How a setting is declared, and how its value is checked."""

from collections.abc import Callable
from dataclasses import field, fields
from typing import Any

from docmt.base.names import PATHS_HAVE, is_path

MOST = 1_000_000_000
"""Of tokens, sentences and updates: more is a slip of the keyboard."""
MOST_BEAM = 1_000
MOST_RATE = 1e30
"""Single precision ends not far beyond."""
MOST_SEED = 2**63 - 1


class BadValue(ValueError):
    """A value that its type allows and its meaning does not: the field, what was found, what is expected."""

    def __init__(self, name: str, value: object, expected: str) -> None:
        super().__init__(f"{name}: found {value!r}, expected {expected}")
        self.name, self.value, self.expected = name, value, expected


def need(condition: bool, name: str, found: object, expected: str) -> None:
    if not condition:
        raise BadValue(name, found, expected)


def need_between(least: int, most: int, name: str, found: int | None, otherwise: str = "") -> None:
    """A whole number, from `least` to `most`, if there is one; `otherwise` ends what is expected."""
    need(found is None or found >= least, name, found, f"{least} or more{otherwise}")
    need(found is None or found <= most, name, found, f"at most {most:,}{otherwise}")


def need_seeds(name: str, seeds: tuple[int, ...] | None) -> None:
    """One training each, in a folder that has the seed's number; none = those of somebody else."""
    need(seeds != (), name, "no seed", "at least one whole number")
    for number, seed in enumerate(seeds or ()):
        need_between(0, MOST_SEED, name, seed)
        need(seed not in seeds[:number], name, seed, "each seed once")


def need_path(name: str, found: str | None) -> None:
    """A path that a user states, if there is one; nothing is said of whether it is there."""
    need(found is None or is_path(found), name, found, f"{PATHS_HAVE}, or none")


Check = Callable[[str, Any], None]
"""Raises BadValue for a value, by the name of its field, that cannot be."""


def whole(least: int, most: int = MOST, otherwise: str = "") -> Check:
    """See `need_between`."""
    return lambda name, found: need_between(least, most, name, found, otherwise)


def at_least(least: int, why: str = "") -> Check:
    """Any number from `least` on; `why` ends what is expected."""
    return lambda name, found: need(found >= least, name, found, f"{least} or more{why}")


def up_to(most: int) -> Check:
    """Any number from 0 on."""
    return lambda name, found: need(0 <= found <= most, name, found, f"0 to {most}")


def above_0(most: float, otherwise: str = "") -> Check:
    """Any number, if there is one; `otherwise` ends what is expected."""
    expected = f"above 0 and at most {most:g}{otherwise}"
    return lambda name, found: need(found is None or 0 < found <= most, name, found, expected)


def share(name: str, found: float) -> None:
    need(0 <= found < 1, name, found, "at least 0 and below 1")


def positive(name: str, found: float) -> None:
    need(found > 0, name, found, "above 0")


def even(name: str, found: int) -> None:
    need(found >= 2 and found % 2 == 0, name, found, "an even number, 2 or more")


count, count_or_none, beam, rate = whole(1), whole(1, MOST, ", or none"), whole(1, MOST_BEAM), above_0(MOST_RATE)


def setting(default: Any, about: str, check: Check | None = None, **options: Any) -> Any:
    """A field with its line in the manual, and what is asked of its value; `options` are those of `field`."""
    return field(default=default, metadata={"about": about, "check": check}, **options)


class Checked:
    """Settings whose fields say what is asked of each value; what must go together is looked at after that."""

    def __post_init__(self) -> None:
        for one in fields(self):
            if check := one.metadata.get("check"):
                check(one.name, getattr(self, one.name))
