"""When two runs of a job are expected to give equal bits, and what differs where they do not."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from docmt.base.artifacts import read_object
from docmt.base.digests import FileDigest, TablePart
from docmt.base.errors import UserError, in_line
from docmt.base.foreign import reading
from docmt.base.manifest import DIGITS, SETTINGS
from docmt.plan.changes import Difference, changes, differences
from docmt.provenance.artifacts import RunArtifact

MOST_VALUES = 3
"""The largest number of values of a file that a sentence names."""
CPU = (None, "cpu")
"""The devices of records on which equal libraries give equal bits; jobs without a device compute on the processor."""


def questions(before: RunArtifact, now: RunArtifact) -> list[Difference]:
    """Return what differs between what was asked of two jobs, but for their inputs and the versions of libraries."""
    if before.manifest.identity == now.manifest.identity:
        return []
    if before.asked is None or now.asked is None:
        digests = (str(artifact.manifest.identity)[:DIGITS] for artifact in (before, now))
        return [Difference("setting", "identity", *digests)]
    return [change for change in changes(before.asked, now.asked) if change.kind not in ("input", "library")]


def reasons_for_other_bits(before: RunArtifact, now: RunArtifact) -> list[str]:
    """Return why two runs of a job may give other bits: the device, the processor, its threads, the libraries."""
    devices = [artifact.record.get("device") for artifact in (before, now)]
    reasons = (
        ["the device was {}, is {}".format(*map(_in_line, devices))]
        if not all(device in CPU for device in devices)
        else []
    )
    facts = [_facts(artifact) for artifact in (before, now)]
    names = sorted({*facts[0], *facts[1]})
    pairs = [(name, facts[0].get(name), facts[1].get(name)) for name in names]
    differing = [tuple(map(_in_line, pair)) for pair in pairs if pair[1] != pair[2]]
    return reasons + [f"{name} was {then}, is {is_now}" for name, then, is_now in differing]


def _in_line(value: object) -> object:
    """Return a value of somebody else for a phrase, on one line and of a length that people read."""
    return in_line(str(value))


def _facts(artifact: RunArtifact) -> dict[str, Any]:
    """Return the facts of a record on which the bits of a result on a processor depend."""
    record = artifact.record
    versions = {f"the version of {name}": value for name, value in record.get("versions", {}).items()}
    threads = {"the number of threads": record["threads"]} if "threads" in record else {}
    return {"the processor": record.get("hardware", {}).get("processor"), **threads, **versions}


def first_file(before: RunArtifact, now: RunArtifact, is_left_out: Callable[[str], bool]) -> str | None:
    """Return a sentence about the first file that differs between two artifacts; None where no file does.

    `is_left_out` says for the name of a file that it is not compared. Settings are compared by `questions`.
    """
    files, others = (
        {name: file for name, file in artifact.manifest.files.items() if not is_left_out(name)}
        for artifact in (before, now)
    )
    for name, file in sorted(files.items()):
        other = others.get(name)
        if name.endswith(SETTINGS):
            continue
        if other is None:
            return f"{name} is missing"
        if other.sha256 != file.sha256:
            return "; ".join([f"{name} differs", *_details(before, now, name, file, other)])
    more = sorted(others.keys() - files.keys())
    return f"{more[0]} was not there before" if more else None


def _details(before: RunArtifact, now: RunArtifact, name: str, file: FileDigest, other: FileDigest) -> Iterator[str]:
    """Yield what is known of the difference of a file: the part of a table, the values of JSON, or the sizes."""
    if file.parts or other.parts:
        yield first_part(file, other)
    elif name.endswith(".json"):
        yield from _values(*(artifact.root / artifact.path(name) for artifact in (before, now)))
    elif file.bytes != other.bytes:
        yield f"{file.bytes:,} bytes were {other.bytes:,} bytes now"


def first_part(before: FileDigest, now: FileDigest) -> str:
    """Return a phrase about the first part of a table that differs.

    >>> first_part(FileDigest("a", 9, (TablePart(0, 9, "b"),)), FileDigest("c", 9, (TablePart(0, 9, "d"),)))
    'row group 1 of 1'
    """
    if len(before.parts) != len(now.parts):
        return f"{len(before.parts)} parts of the table were {len(now.parts)} now"
    for number, (part, other) in enumerate(zip(before.parts, now.parts, strict=True), 1):
        if part != other:
            return f"{_name_of(part, other)} {number} of {len(before.parts)}{_columns(part, other)}"
    return "the head or the foot of the table"


def _name_of(part: TablePart, other: TablePart) -> str:
    """Return what a part of a table is: record batches have columns."""
    return "record batch" if part.columns or other.columns else "row group"


def _columns(part: TablePart, other: TablePart) -> str:
    """Return the columns of a record batch that differ, and its splits, as the end of a phrase."""
    names = [name for name in part.columns if part.columns[name] != other.columns.get(name)]
    columns = f", columns {', '.join(names)}" if names else ""
    return columns + (f", of {', '.join(part.splits)}" if part.splits else "")


def _values(before: Path, now: Path) -> Iterator[str]:
    """Yield the first values that differ between two files of JSON, where both can be read."""
    try:
        with reading(before, "not values that can be compared"):
            pairs = differences(read_object(before), read_object(now))
            first = [tuple(map(_in_line, (name, *pair))) for name, pair in [*pairs.items()][:MOST_VALUES]]
    except UserError:
        return
    yield from (f"{name} was {then}, is {is_now}" for name, then, is_now in first)
    if len(pairs) > MOST_VALUES:
        yield f"... and {len(pairs) - MOST_VALUES} more values"
