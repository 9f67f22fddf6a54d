"""What README's first command installs: docmt with its plain dependencies, and none of its extras."""

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import metadata

from helpers.support import ROOT
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


@cache
def installed_by_readme(*further: str) -> frozenset[str]:
    """Return the distributions that the plain dependencies of docmt come to, all in all; with those of `further`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    installed, left = set(), [Requirement(line) for line in (*project["dependencies"], *further)]
    while left:
        requirement = left.pop()
        for extra in ("", *requirement.extras):
            key = canonicalize_name(requirement.name), extra
            if key not in installed:
                installed.add(key)
                left += _required(*key)
    return frozenset(name for name, _ in installed)


def _required(name: str, extra: str) -> Iterator[Requirement]:
    """Yield what a distribution requires here; nothing for one of other systems, which is not installed."""
    try:
        stated = [Requirement(line) for line in metadata.requires(name) or []]
    except metadata.PackageNotFoundError:
        return
    yield from (other for other in stated if other.marker is None or other.marker.evaluate({"extra": extra}))


def hiding(*further: str) -> str:
    """Return a line of Python after which only what README's first command installs can be imported, and `further`."""
    ours = installed_by_readme(*further) | {"docmt"}
    owners = metadata.packages_distributions()
    hidden = [name for name, packages in owners.items() if not ours & {*map(canonicalize_name, packages)}]
    return f"import sys; [sys.modules.setdefault(name) for name in {sorted(hidden)}]\n"
