"""The check of every byte below `results/`: `docmt list-results --verify`. Nothing is written.

A manifest and the record of a job state the digests of its outputs, and have their own. What job.json asks for has an
identity, which is the name of its folder. A download has a note beside it.
"""

import os
import re
import stat
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shlex import quote

from docmt.base.artifacts import read_object
from docmt.base.digests import sha256_file
from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.base.manifest import (
    DIGITS,
    MANIFEST,
    RECORD,
    check_seal,
    files_from_json,
    manifest_from_json,
    manifest_of_docmt,
    normal_path,
    read_record,
)
from docmt.base.paths import ID, RESULTS
from docmt.base.recipe import JOB, read_recipe
from docmt.base.result_folders import check_layout
from docmt.plan.outside import MEMORY

THREADS = 4
"""The largest number of files that are read at the same time."""
PROGRESS_S = 1.0
"""The seconds between two calls of the function that shows the progress."""
UNSTATED = re.compile(rf".*/({JOB}|\..*\.source\.json|log\.\d+\.txt|process\.json|scratch/.*)|{RESULTS}/asked/.*")
"""The paths of files of which nobody expects a digest: of jobs that run or have run."""

Check = Callable[[Path], object]
"""A function that reads a file, and raises UserError where something is wrong with it."""
Tell = Callable[[int, int], None]
"""A function that gets the bytes that were read so far and the bytes of all files."""


@dataclass(frozen=True)
class DamagedFile:
    """A file that is missing or has other bytes, what is wrong with it, and the command that removes it."""

    path: str
    problem: str
    mend: str


@dataclass(frozen=True)
class Verified:
    """The number of files that were read and their bytes, the damaged ones, and those of which nothing is stated."""

    files: int
    bytes: int
    damaged: tuple[DamagedFile, ...]
    unlisted: tuple[str, ...]


@dataclass(frozen=True)
class Statement:
    """What the file `by` states of the file `path`, and how it is checked; paths are relative to the project."""

    path: str
    by: str
    check: Check


def verify(root: Path, places: Collection[str] = (), tell: Tell = lambda done, total: None) -> Verified:
    """Read all files below `results/` of a project whose digest is stated; of `places`, those at or below them.

    `tell` is called once a second. A file that a running job replaces meanwhile is not called damaged.
    """
    check_layout(root)
    sizes = dict(_files_below(root))
    stated = {each.path: each for each in _statements(root, sizes) if _is_in(each.path, places)}
    versions = {statement.by: _version(root / statement.by) for statement in stated.values()}
    there = {path: sizes[path] for path in stated if path in sizes}
    problems = dict.fromkeys(stated.keys() - sizes.keys(), "it is missing, or no plain file")
    problems |= _problems(root, stated, there, tell)
    damaged = tuple(
        DamagedFile(path, problem, _mend(path))
        for path, problem in sorted(problems.items())
        if _version(root / stated[path].by) == versions[stated[path].by]
    )
    unlisted = (path for path in sorted(sizes) if path not in stated and _is_in(path, places))
    unexpected = tuple(path for path in unlisted if not UNSTATED.fullmatch(path))
    return Verified(len(there), sum(there.values()), damaged, unexpected)


def _mend(path: str) -> str:
    """Return the command that removes what is damaged: the whole artifact that has the file, or the file."""
    folder = next((place for place in Path(path).parents if ID.fullmatch(place.name)), None)
    return f"rm {quote(path)}" if folder is None else f"rm -r {quote(folder.as_posix())}"


def _statements(root: Path, files: Collection[str]) -> Iterator[Statement]:
    """Yield what is stated of files below `results/`; `files` has the paths of all. A damaged file states nothing."""
    # The import takes a fifth of a second.
    from docmt.fetching.download import note_of

    for path in files:
        note = note_of(root / path)
        if path.endswith(f"/{MANIFEST}"):
            yield from _of_manifest(root, path)
        elif path == MEMORY:
            yield Statement(path, path, lambda place: check_seal(read_object(place), place, ""))
        elif note.is_file():
            by = note.relative_to(root).as_posix()
            yield Statement(path, by, lambda place, by=by: _check_sha256(place, read_object(root / by)["sha256"], by))


def _of_manifest(root: Path, path: str) -> Iterator[Statement]:
    """Yield what a manifest and its record state, also of themselves and of the recipe; nothing for other programs."""
    folder = Path(path).parent
    try:
        if manifest_of_docmt(root / path) is None:
            return
        manifest = manifest_from_json(read_object(root / path), path, "")
    except UserError:
        yield Statement(path, path, lambda place: manifest_from_json(read_object(place), str(place), ""))
        return
    yield Statement(path, path, lambda place: manifest_from_json(read_object(place), str(place), ""))
    if ID.fullmatch(folder.name):
        yield Statement(f"{folder}/{JOB}", path, lambda place: _check_recipe(place, manifest.identity))
    files = dict(manifest.files)
    if RECORD in manifest.records:
        yield Statement(f"{folder}/{RECORD}", path, read_record)
        with suppress(UserError):
            files |= files_from_json(read_record(root / folder / RECORD)["files"], path)
    for name, digest in files.items():
        check = partial(_check_sha256, expected=digest.sha256, by=path)
        yield Statement(f"{folder}/{name}", path, check)


def _check_sha256(path: Path, expected: str, by: str) -> None:
    """Raise UserError where a file does not have the SHA-256 that the file `by` states."""
    actual = sha256_file(path)
    if actual != expected:
        raise UserError(f"sha256 {actual[:DIGITS]}, not {str(expected)[:DIGITS]} as {by} states")


def _check_recipe(path: Path, identity: str) -> None:
    """Raise UserError where a job.json was changed, or is that of another folder or of another manifest."""
    if read_recipe(path.parent).identity != identity:
        raise UserError("the manifest beside it is of another identity")


def _problems(root: Path, stated: Mapping[str, Statement], sizes: Mapping[str, int], tell: Tell) -> dict[str, str]:
    """Read the files of `sizes`, and return what is wrong with them by their paths."""

    def problem_of(path: str) -> str | None:
        try:
            with reading(path, "it cannot be read"):
                stated[path].check(root / path)
        except UserError as problem:
            return problem.what
        return None

    problems, done, told = dict[str, str](), 0, time.monotonic()
    largest_first = sorted(sizes, key=sizes.__getitem__, reverse=True)
    with ThreadPoolExecutor(min(THREADS, len(os.sched_getaffinity(0)))) as pool:
        for path, problem in zip(largest_first, pool.map(problem_of, largest_first), strict=True):
            done += sizes[path]
            if problem is not None:
                problems[path] = problem
            if time.monotonic() - told >= PROGRESS_S:
                tell(done, sum(sizes.values()))
                told = time.monotonic()
    return problems


def _files_below(root: Path) -> Iterator[tuple[str, int]]:
    """Yield the path and the size of each plain file below `results/`, also behind links that lead out of it."""
    results, seen = normal_path(root / RESULTS), set()
    for folder, folders, names in os.walk(root / RESULTS, followlinks=True):
        seen.add(os.path.realpath(folder))
        # The paths at which people open pages are links to artifacts.
        links = {name for name in (*folders, *names) if Path(folder, name).is_symlink()}
        targets = {name: normal_path(Path(folder, Path(folder, name).readlink())) for name in links}
        inner = {name for name, target in targets.items() if target.is_relative_to(results)}
        new = [name for name in folders if os.path.realpath(f"{folder}/{name}") not in seen]
        folders[:] = [name for name in new if name not in inner]
        for name in names:
            with suppress(OSError):  # a file that is gone meanwhile, or a link to nothing
                status = Path(folder, name).stat()
                if stat.S_ISREG(status.st_mode) and name not in inner:
                    yield f"{os.path.relpath(folder, root)}/{name}", status.st_size


def _is_in(path: str, places: Collection[str]) -> bool:
    return not places or any(path == place or path.startswith(f"{place}/") for place in places)


def _version(path: Path) -> tuple[int, ...]:
    """Return numbers that change with a file; none where it is not there."""
    try:
        status = path.stat()
    except OSError:
        return ()
    return status.st_mtime_ns, status.st_size, status.st_ino
