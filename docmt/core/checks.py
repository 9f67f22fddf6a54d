"""How a setting is declared, and how its value is checked."""

from dataclasses import field
from typing import Any


class BadValue(ValueError):
    """A value that its type allows and its meaning does not: the field, what was found, what is expected."""

    def __init__(self, name: str, found: object, expected: str) -> None:
        super().__init__(f"{name}: found {found!r}, expected {expected}")
        self.name, self.found, self.expected = name, found, expected


def need(condition: bool, name: str, found: object, expected: str) -> None:
    if not condition:
        raise BadValue(name, found, expected)


def setting(default: Any, about: str) -> Any:
    """A field with its line in the manual."""
    return field(default=default, metadata={"about": about})
