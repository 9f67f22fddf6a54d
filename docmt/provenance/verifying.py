"""The check of every byte below `results/`: `docmt list-results --verify`.

A run and `docmt why` compare sizes and times alone, since reading all bytes takes long. Here all files are read whose
digest is stated (`docmt.provenance.stated`). Nothing is written.
"""

import hashlib
import os
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from threading import Event

from docmt.base.digests import BYTES_AT_ONCE
from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.base.manifest import MANIFEST, RECORD, SETTINGS
from docmt.base.paths import ASIDE, RESULTS, names_in, scale_of_demo_report
from docmt.base.recipe import JOB
from docmt.provenance.stated import SEALED, Statement, statements

LEFT_BY_SNAKEMAKE = ".snakemake_timestamp"
"""The empty file that Snakemake puts into folders that are outputs."""
THREADS = 4
"""The largest number of files that are read at the same time."""
PROGRESS_S = 1.0
"""The seconds between two calls of the function that shows the progress."""

Tell = Callable[[int, int], None]
"""A function that gets the bytes that were read so far and the bytes of all files."""


@dataclass(frozen=True)
class DamagedFile:
    """A file that is missing or has other bytes, what is wrong with it, and the command that mends it."""

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


def verify(root: Path, places: Collection[str] = (), tell: Tell = lambda done, total: None) -> Verified:
    """Read all files below `results/` of a project whose digest is stated; of `places`, those at or below them.

    `tell` is called once a second. A file that a running job replaces meanwhile is not called damaged.
    """
    sizes = dict(_files_below(root))
    stated: dict[str, list[Statement]] = {}
    for statement in statements(root, sizes):
        if _is_in(statement.path, places):
            stated.setdefault(statement.path, []).append(statement)
    every = [statement for several in stated.values() for statement in several]
    versions = {statement.by: _version(root / statement.by) for statement in every}
    there = {path: sizes[path] for path in stated if path in sizes}
    problems = {statement.path: statement.problem for statement in every if statement.problem is not None}
    problems |= Reader(root, stated, there).problems(tell)
    # A run writes settings again; without them, a run still knows what it asked for.
    missing = [path for path in stated if path not in sizes and not path.endswith(SETTINGS)]
    problems |= dict.fromkeys(missing, "it is missing, or no plain file")
    damaged = tuple(
        DamagedFile(path, problem, mend(path, _first(stated[path])))
        for path, problem in sorted(problems.items())
        if all(_version(root / statement.by) == versions[statement.by] for statement in stated[path])
    )
    # A person may edit a recipe, and a run writes it again before its job.
    unlisted = sorted(
        path
        for path in sizes
        if path not in stated and _is_in(path, places) and not path.endswith((f"/{JOB}", f".{JOB}"))
    )
    return Verified(len(there), sum(there.values()), damaged, tuple(unlisted))


def _first(stated: Iterable[Statement]) -> str:
    """Return the file that states most about a file: the manifest of its job, which is above that of a model in it."""
    return min((statement.by for statement in stated), key=lambda by: (not by.endswith(MANIFEST), len(by)))


def mend(path: str, by: str) -> str:
    """Return the command that makes a damaged file again, or removes it; `by` is the file that states its digest."""
    remove = f"rm {quote(path)}"
    if by.startswith(f"{ASIDE}/"):
        return f"rm -r {quote('/'.join(by.split('/')[:3]))}"
    if by == f"{RESULTS}/scores.{MANIFEST}":
        return "docmt collect-scores"
    if by in SEALED or by.endswith((SETTINGS, RECORD)):
        return remove  # the next run writes it again
    target = by if by.endswith(MANIFEST) else path
    scale = scale_of(by)
    return f"{remove} && snakemake --cores 1 {quote(target)}{f' --config scale={scale}' if scale else ''}"


def scale_of(path: str) -> str | None:
    """Return the scale that the path of an artifact states; None for data of all scales without fixtures."""
    below = path.removeprefix(f"{RESULTS}/")
    if "/" not in below:
        return scale_of_demo_report(below.removesuffix(f".{MANIFEST}").removeprefix("report"))
    names = names_in(below)
    return names.get("scale") or names.get("corpus", names.get("checkpoint", "")).partition("@")[2] or None


def _files_below(root: Path) -> Iterator[tuple[str, int]]:
    """Yield the path and the size of each plain file below `results/`, also behind links to folders."""
    seen = set()
    for folder, folders, names in os.walk(root / RESULTS, followlinks=True):
        if (place := os.path.realpath(folder)) in seen:
            folders.clear()
            continue
        seen.add(place)
        below = os.path.relpath(folder, root)
        for name in names:
            with suppress(OSError):  # a file that is gone meanwhile, or a link to nothing
                status = Path(folder, name).stat()
                if stat.S_ISREG(status.st_mode) and name != LEFT_BY_SNAKEMAKE:
                    yield f"{below}/{name}", status.st_size


def _is_in(path: str, places: Collection[str]) -> bool:
    return not places or any(path == place or path.startswith(f"{place}/") for place in places)


def _version(path: Path) -> tuple[int, ...]:
    """Return numbers that change with a file; none where it is not there."""
    try:
        status = path.stat()
    except OSError:
        return ()
    return status.st_mtime_ns, status.st_size, status.st_ino


class Reader:
    """The reading of files by several threads: a digest is computed while another thread runs."""

    def __init__(self, root: Path, stated: Mapping[str, list[Statement]], sizes: Mapping[str, int]) -> None:
        """Prepare to read the files of `sizes`, which has their bytes, of which `stated` has a SHA-256."""
        sizes = {path: sizes[path] for path in sizes if any(statement.sha256 for statement in stated[path])}
        self.root, self.stated, self.total = root, stated, sum(sizes.values())
        self.threads = min(THREADS, len(os.sched_getaffinity(0)))
        self._paths = iter(sorted(sizes, key=sizes.__getitem__, reverse=True))  # each thread takes the next one
        self._read = [0] * self.threads
        self._is_stopped = Event()
        self._problems: dict[str, str] = {}

    def problems(self, tell: Tell) -> dict[str, str]:
        """Return what is wrong with files, by their paths."""
        with ThreadPoolExecutor(self.threads) as pool:
            futures = [pool.submit(self._work, thread) for thread in range(self.threads)]
            try:
                while wait(futures, PROGRESS_S).not_done:
                    tell(sum(self._read), self.total)
            finally:
                self._is_stopped.set()  # after Ctrl-C
        for future in futures:
            future.result()
        return self._problems

    def _work(self, thread: int) -> None:
        buffer = memoryview(bytearray(BYTES_AT_ONCE))
        for path in self._paths:
            try:
                with reading(path, "it cannot be read"):
                    actual = self._sha256(self.root / path, buffer, thread)
            except UserError as unreadable:
                self._problems[path] = unreadable.what
                continue
            if self._is_stopped.is_set():
                return
            for statement in self.stated[path]:
                problem = statement.problem_of(self.root / path, actual)
                if problem is not None:
                    self._problems[path] = problem

    def _sha256(self, path: Path, buffer: memoryview, thread: int) -> str:
        sha256 = hashlib.sha256()
        with path.open("rb", buffering=0) as stream:
            while (size := stream.readinto(buffer)) and not self._is_stopped.is_set():
                sha256.update(buffer[:size])
                self._read[thread] += size
        return sha256.hexdigest()
