"""The bytes of a store: by step and maker, and what it spares to keep each file once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from docmt.store.listing import StoreRow, rows_of_store
from docmt.store.store import FILES, Store


@dataclass(frozen=True)
class Usage:
    """The bytes of a store.

    `bytes`: of all files, each once. `of_artifacts`: of all artifacts, each with all of its files; `shared`: what is
    spared since files that several artifacts have are there once. `unlisted`: of the files that no entry lists. `by`:
    the bytes for each step and maker; a file that two of them share counts in both.
    """

    artifacts: int
    bytes: int
    of_artifacts: int
    shared: int
    unlisted: int
    by: Mapping[str, Mapping[str, int]]


def usage_of(store: Store) -> Usage:
    """Return the bytes of a store. Raises StoreUnusable where nobody has begun it."""
    rows = rows_of_store(store)
    there = {file.key.rsplit("/", 1)[-1]: file.bytes for file in store.backend.listed(FILES)}
    listed = _files(rows)
    of_artifacts = sum(file.bytes for row in rows if row.entry for file in row.entry.files.values())
    kinds: dict[str, Callable[[StoreRow], str]] = {"step": lambda row: row.step, "maker": lambda row: row.maker}
    return Usage(
        len(rows),
        sum(there.values()),
        of_artifacts,
        of_artifacts - sum(listed.values()),
        sum(size for sha256, size in there.items() if sha256 not in listed),
        {kind: _grouped(rows, name_of) for kind, name_of in kinds.items()},
    )


def _grouped(rows: Sequence[StoreRow], name_of: Callable[[StoreRow], str]) -> dict[str, int]:
    """Return the bytes of each group of artifacts, the largest first."""
    groups: dict[str, list[StoreRow]] = {}
    for row in rows:
        groups.setdefault(name_of(row), []).append(row)
    sizes = {name: sum(_files(group).values()) for name, group in groups.items()}
    return dict(sorted(sizes.items(), key=lambda item: (-item[1], item[0])))


def _files(rows: Sequence[StoreRow]) -> dict[str, int]:
    """Return the bytes of the files that artifacts list, each once, by their digests."""
    return {file.sha256: file.bytes for row in rows if row.entry for file in row.entry.files.values()}
