"""The check of every byte below `results/`: `docmt list-results --verify`. Nothing is written.

A manifest and the record of a job state the digests of its outputs, and have their own. What job.json asks for has an
identity, which is the name of its folder. A download has a note beside it.
"""

import json
import os
import re
import stat
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

from docmt.base.artifacts import as_object, read_object
from docmt.base.digests import indented_json, sha256_file
from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.base.manifest import (
    CHANGED,
    DIGITS,
    MANIFEST,
    RECORD,
    check_seal,
    files_from_json,
    manifest_of_docmt,
    normal_path,
)
from docmt.base.paths import CORPUS, ID, RESULTS
from docmt.base.recipe import JOB, read_recipe
from docmt.base.result_folders import check_layout
from docmt.plan.outside import MEMORY

THREADS = 4
"""The largest number of files that are read at the same time."""
PROGRESS_S = 1.0
"""The seconds between two calls of the function that shows the progress."""
UNSTATED = re.compile(rf".*/({JOB}|log\.\d+\.txt|process\.json|scratch/.*)|{RESULTS}/asked/.*")
"""The paths of files of which nobody expects a digest: of jobs that run or have run."""

Check = Callable[[Path], str | None]
"""A function that reads a file, and returns what is wrong with it; None where nothing is."""
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
    stated: dict[str, list[Statement]] = {}
    for statement in _statements(root, sizes):
        if _is_in(statement.path, places):
            stated.setdefault(statement.path, []).append(statement)
    versions = {statement.by: _version(root / statement.by) for several in stated.values() for statement in several}
    there = {path: sizes[path] for path in stated if path in sizes}
    problems = dict.fromkeys((path for path in stated if path not in sizes), "it is missing, or no plain file")
    problems |= _problems(root, stated, there, tell)
    damaged = tuple(
        DamagedFile(path, problem, _mend(path))
        for path, problem in sorted(problems.items())
        if all(_version(root / statement.by) == versions[statement.by] for statement in stated[path])
    )
    unlisted = sorted(path for path in sizes if path not in stated and _is_in(path, places))
    return Verified(
        len(there), sum(there.values()), damaged, tuple(path for path in unlisted if not UNSTATED.fullmatch(path))
    )


def _mend(path: str) -> str:
    """Return the command that removes what is damaged: the whole artifact that has the file, or the file."""
    folder = next((place for place in Path(path).parents if ID.fullmatch(place.name)), None)
    return f"rm {quote(path)}" if folder is None else f"rm -r {quote(folder.as_posix())}"


def _statements(root: Path, files: Collection[str]) -> Iterator[Statement]:
    """Yield what is stated of files below `results/`; `files` has the paths of all. A damaged file states nothing."""
    for path in files:
        if path.endswith((f"/{MANIFEST}", f".{MANIFEST}")):
            yield from _of_manifest(root, path)
        elif path == MEMORY:
            yield Statement(path, path, lambda place: _sealed(place)[1])
    for corpus in sorted((root / RESULTS / CORPUS.stage).glob("*")):
        yield from _of_downloads(root, corpus, files)


def _of_manifest(root: Path, path: str) -> Iterator[Statement]:
    """Yield what a manifest and its record state, also of themselves and of the recipe; nothing for other programs."""
    value, problem = _sealed(root / path)
    if problem is not None and _is_of_another_program(root / path):
        return
    yield Statement(path, path, lambda place: problem)
    folder = Path(path).parent
    if ID.fullmatch(folder.name):
        yield Statement(f"{folder}/{JOB}", path, lambda place: _problem_of_recipe(place, value.get("identity")))
    digests = dict(value.get("files", {}))
    record = Path(path).name.replace(MANIFEST, RECORD)
    if record in value.get("records", ()):
        of_run, wrong = _sealed(root / folder / record)
        yield Statement(f"{folder}/{record}", path, lambda place: wrong)
        digests |= of_run.get("files", {})
    for name, digest in digests.items():
        yield Statement(f"{folder}/{name}", path, _has_sha256(digest.sha256, path))


def _has_sha256(expected: str, by: str) -> Check:
    """Return the check of a file whose SHA-256 another file states."""

    def check(path: Path) -> str | None:
        actual = sha256_file(path)
        return None if actual == expected else f"sha256 {actual[:DIGITS]}, not {expected[:DIGITS]} as {by} states"

    return check


def _problem_of_recipe(path: Path, identity: str | None) -> str | None:
    """Return what is wrong with a job.json: it was changed, or is that of another folder or of another manifest."""
    recipe = read_recipe(path.parent)
    return None if identity in (None, recipe.identity) else "the manifest beside it is of another identity"


def _is_of_another_program(path: Path) -> bool:
    with suppress(UserError):
        return manifest_of_docmt(path) is None
    return False


def _sealed(path: Path) -> tuple[dict[str, Any], str | None]:
    """Return a JSON object that has its own digest, with the digests of its files, and what is wrong with the file."""
    try:
        with reading(path, CHANGED):
            value = as_object(json.loads(path.read_bytes()), str(path))
            check_seal(value, path, "")
            # JSON has several texts for one value, such as 1e-05 and 1E-05.
            if path.read_bytes() != indented_json(value).encode():
                raise UserError(CHANGED)
            if path.name.endswith((MANIFEST, RECORD)):
                value["files"] = files_from_json(value["files"], str(path))
            return value, None
    except UserError as problem:
        return {}, problem.what


def _of_downloads(root: Path, corpus: Path, files: Collection[str]) -> Iterator[Statement]:
    """Yield what notes state of the downloads of a corpus."""
    # The import takes a fifth of a second.
    from docmt.fetching.download import note_of

    folder = (corpus / "downloads").relative_to(root).as_posix()
    for path in [path for path in files if path.startswith(f"{folder}/")]:
        note = note_of(root / path)
        if note.is_file():
            by, stated = note.relative_to(root).as_posix(), ""
            with suppress(UserError):
                stated = str(read_object(note).get("sha256"))
            yield Statement(path, by, _has_sha256(stated, by))


def _problems(
    root: Path, stated: Mapping[str, list[Statement]], sizes: Mapping[str, int], tell: Tell
) -> dict[str, str]:
    """Read the files of `sizes`, and return what is wrong with them by their paths."""

    def problem_of(path: str) -> str | None:
        try:
            with reading(path, "it cannot be read"):
                wrong = (statement.check(root / path) for statement in stated[path])
                return next((problem for problem in wrong if problem is not None), None)
        except UserError as problem:
            return problem.what

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
