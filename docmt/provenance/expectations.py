"""What differs between two runs of a job, and why their bytes may differ."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from docmt.base.artifacts import read_object
from docmt.base.digests import FileDigest
from docmt.base.errors import UserError, in_line
from docmt.base.foreign import reading
from docmt.base.recipe import Recipe
from docmt.provenance.artifacts import RunArtifact
from docmt.provenance.run_facts import is_of_run

MOST_VALUES = 3
"""The largest number of values that a sentence names."""
MISSING = "nothing"
"""The value of a name that only one of two mappings has, in messages."""
CPU = (None, "cpu")
"""The devices of records on which equal libraries give equal bits; jobs without a device compute on the processor."""


def questions(before: Recipe, now: Recipe) -> list[str]:
    """Return what differs between what was asked of two jobs, but for their inputs and the versions of libraries."""
    asked = [{key: recipe.asked[key] for key in ("step", "version", "settings", "files")} for recipe in (before, now)]
    return [*phrases(*asked)] if before.identity != now.identity else []


def phrases(before: Any, now: Any) -> Iterator[str]:
    """Yield a phrase for each of the first values that differ between two nested values of JSON."""
    pairs = [*differences(before, now)]
    for name, then, is_now in pairs[:MOST_VALUES]:
        yield f"{_in_line(name)} was {_in_line(then)}, is {_in_line(is_now)}"
    if len(pairs) > MOST_VALUES:
        yield f"... and {len(pairs) - MOST_VALUES} more values"


def differences(before: Any, now: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield the values that differ between two nested values of JSON, after their names joined with points."""
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        before, now = dict(enumerate(before)), dict(enumerate(now))
    if not (isinstance(before, dict) and isinstance(now, dict)):
        yield from [(path, before, now)] if before != now else []
        return
    for name in {**before, **now}:
        yield from differences(before.get(name, MISSING), now.get(name, MISSING), f"{path}.{name}".lstrip("."))


def reasons_for_other_bits(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return why two runs of a job may give other bytes: the device, the processor, its threads, the libraries."""
    devices = [record.get("device") for record in (before, now)]
    reasons = (
        ["the device was {}, is {}".format(*map(_in_line, devices))]
        if not all(device in CPU for device in devices)
        else []
    )
    return [
        *reasons,
        *(
            f"{name} was {_in_line(then)}, is {_in_line(is_now)}"
            for name, then, is_now in differences(*map(_facts, (before, now)))
        ),
    ]


def _in_line(value: object) -> object:
    """Return a value of somebody else for a phrase, on one line and of a length that people read."""
    return in_line(str(value))


def _facts(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of a record on which the bytes of a result on a processor depend."""
    versions = {f"the version of {name}": value for name, value in record.get("versions", {}).items()}
    stated = {f"the number of {name}": record[name] for name in ("threads", "ranks") if name in record}
    return {"the processor": record.get("hardware", {}).get("processor"), **stated, **versions}


def first_file(before: RunArtifact, now: RunArtifact) -> str | None:
    """Return a sentence about the first file that differs between two artifacts; None where no file does.

    Files with facts of the run are left out.
    """
    files, others = (
        {name: file for name, file in artifact.manifest.files.items() if not is_of_run(now.recipe, name)}
        for artifact in (before, now)
    )
    for name, file in sorted(files.items()):
        other = others.get(name)
        if other is None:
            return f"{name} is missing"
        if other.sha256 != file.sha256:
            return "; ".join([f"{name} differs", *_details(before, now, name, file, other)])
    more = sorted(others.keys() - files.keys())
    return f"{more[0]} was not there before" if more else None


def _details(before: RunArtifact, now: RunArtifact, name: str, file: FileDigest, other: FileDigest) -> Iterator[str]:
    """Yield what is known of the difference of a file: the values of JSON, or the sizes."""
    if name.endswith(".json"):
        yield from _values(*(artifact.root / artifact.folder / name for artifact in (before, now)))
    elif file.bytes != other.bytes:
        yield f"{file.bytes:,} bytes were {other.bytes:,} bytes now"


def _values(before: Path, now: Path) -> Iterator[str]:
    """Yield the first values that differ between two files of JSON, where both can be read."""
    with suppress(UserError), reading(before, "not values that can be compared"):
        yield from [*phrases(read_object(before), read_object(now))]
