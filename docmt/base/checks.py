"""How a setting is declared, and how its value is checked."""

from dataclasses import field
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

    def __init__(self, name: str, found: object, expected: str) -> None:
        super().__init__(f"{name}: found {found!r}, expected {expected}")
        self.name, self.found, self.expected = name, found, expected


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


def setting(default: Any, about: str) -> Any:
    """A field with its line in the manual."""
    return field(default=default, metadata={"about": about})
