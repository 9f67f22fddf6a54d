"""The packages that jobs need, by the metadata of the installed docmt."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from importlib import metadata

from packaging.requirements import Requirement

from docmt.base.errors import UserError, install

DISTRIBUTION = "docmt"


def check_packages(needed: Iterable[str]) -> None:
    """Raise UserError, with the names of all missing packages, where packages that jobs need are not installed.

    Jobs need the dependencies of docmt. `needed` has the names of aligners and engines, and the codes of target
    languages; where such a name is that of an optional extra of docmt, jobs need the dependencies of that extra too.
    """
    extras = _extras_of(needed)
    missing = sorted({name for name in _required(extras) if not is_installed(name)})
    if missing:
        raise UserError(
            "packages are missing that jobs need",
            where="this Python's environment",
            found=f"no {', '.join(missing)}",
            remedy=install(*extras),
        )


def required_packages(needed: Iterable[str] = ()) -> set[str]:
    """Return the names of the packages that jobs need, whose meaning of `needed` is that of `check_packages`."""
    return {*_required(_extras_of(needed))}


def is_installed(name: str) -> bool:
    """Return whether a package is installed; `name` is the name by which pip installs it."""
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _extras_of(needed: Iterable[str]) -> list[str]:
    """Return those of some names that are the names of extras, each once."""
    extras = _extras()
    return [name for name in dict.fromkeys(needed) if name in extras]


def _extras() -> Sequence[str]:
    """Return the names of docmt's optional extras."""
    return _metadata().get_all("Provides-Extra") or []


def _required(extras: Collection[str]) -> Iterator[str]:
    """Yield the names of the packages that docmt requires, and of those that its `extras` require."""
    for stated in map(Requirement, _metadata().get_all("Requires-Dist") or []):
        if stated.marker is None or any(stated.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield stated.name


def _metadata() -> metadata.PackageMetadata:
    """Return the metadata of the installed docmt. Raises UserError where it is not installed."""
    try:
        return metadata.metadata(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        raise UserError("docmt is not installed", where="this Python's environment", remedy=install()) from None
