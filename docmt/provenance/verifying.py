"""The check of every byte below `results/`: `docmt list-results --verify`.

A run and `docmt why` compare sizes and times alone, since reading all bytes takes long. Here all files are read whose
digest is stated: by a manifest, by the record of a job, by the file itself (manifests, records, settings, the frozen
grid), by the note beside a download, or by the card of the corpus that a download belongs to. Nothing is written.
"""

import hashlib
import json
import os
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from threading import Event
from typing import Any

from docmt.base.asked import KEY, read_asked
from docmt.base.digests import BYTES_AT_ONCE, canonical_json, indented_json, kind_of
from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.base.manifest import (
    DIGEST,
    DIGITS,
    MANIFEST,
    RECORD,
    SETTINGS,
    beside,
    check_seal,
    files_from_json,
    manifest_of_docmt,
    read_record,
)
from docmt.base.paths import ASIDE, CORPUS, FROZEN_GRID, FROZEN_TIMES, RESULTS, names_in, scale_of_demo_report

SEALED = (FROZEN_GRID, FROZEN_TIMES, f"{RESULTS}/digests.json")
"""The files of a run that have their own digest."""
LEFT_BY_SNAKEMAKE = ".snakemake_timestamp"
"""The empty file that Snakemake puts into folders that are outputs."""
THREADS = 4
"""The largest number of files that are read at the same time."""
PROGRESS_S = 1.0
"""The seconds between two calls of the function that shows the progress."""
CHANGED = "the file was changed after docmt wrote it"

Tell = Callable[[int, int], None]
"""A function that gets the bytes that were read so far and the bytes of all files."""


@dataclass(frozen=True)
class Statement:
    """What a file `by` states of the file `path`; paths are relative to the project's folder.

    `sha256`: its SHA-256. `check`: a function that raises UserError for a damaged file; a file with another SHA-256
    that passes it is right.
    """

    path: str
    by: str
    sha256: str | None = None
    check: Callable[[Path], object] | None = None

    def problem(self, path: Path, actual: str) -> str | None:
        """Return what is wrong with the file at `path`, whose SHA-256 is `actual`; None where nothing is."""
        if actual == self.sha256:
            return None
        if self.check is None:
            return f"sha256 {actual[:DIGITS]}, not {str(self.sha256)[:DIGITS]} as {self.by} states"
        try:
            self.check(path)
        except UserError as problem:
            return problem.what
        return None


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
    for statement in _statements(root, sizes):
        if _is_in(statement.path, places):
            stated.setdefault(statement.path, []).append(statement)
    versions = {one.by: _version(root / one.by) for several in stated.values() for one in several}
    there = {path: sizes[path] for path in stated if path in sizes}
    problems = Reader(root, stated, there).problems(tell)
    # A run writes settings again; without them, a run still knows what it asked for.
    missing = [path for path in stated if path not in sizes and not path.endswith(SETTINGS)]
    problems |= dict.fromkeys(missing, "it is missing, or no plain file")
    damaged = tuple(
        DamagedFile(path, problem, mend(path, _first(stated[path])))
        for path, problem in sorted(problems.items())
        if all(_version(root / one.by) == versions[one.by] for one in stated[path])
    )
    unlisted = sorted(path for path in sizes if path not in stated and _is_in(path, places))
    return Verified(len(there), sum(there.values()), damaged, tuple(unlisted))


def _first(stated: Iterable[Statement]) -> str:
    """Return the file that states most about a file: the manifest of its job, which is above that of a model in it."""
    return min((one.by for one in stated), key=lambda by: (not by.endswith(MANIFEST), len(by)))


def mend(path: str, by: str) -> str:
    """Return the command that makes a damaged file again, or removes it; `by` is the file that states its digest."""
    remove = f"rm {quote(path)}"
    if by.startswith(f"{ASIDE}/"):
        return f"rm -r {quote('/'.join(by.split('/')[:3]))}"
    if by == f"{RESULTS}/scores.{MANIFEST}":
        return "docmt collect-scores"
    if by in SEALED or by.endswith(SETTINGS):
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


def _statements(root: Path, files: Collection[str]) -> Iterator[Statement]:
    """Yield what is stated of files. A damaged manifest or record says nothing of other files."""
    manifests = [path for path in files if path.endswith((f"/{MANIFEST}", f".{MANIFEST}"))]
    of_manifests = [statement for path in manifests for statement in _of_manifest(root, path)]
    yield from of_manifests
    listed = {statement.path for statement in of_manifests}
    for path in files:
        if path in SEALED:
            yield Statement(path, path, check=_check_sealed)
        elif path.endswith(SETTINGS) and path not in listed and _has_seal(root / path):
            yield Statement(path, path, check=_check_settings)
    for corpus in sorted((root / RESULTS / CORPUS.stage).glob("*")):
        yield from _of_downloads(root, corpus, files)


def _of_manifest(root: Path, path: str) -> Iterator[Statement]:
    """Yield what a manifest and its record state, also of themselves; nothing for a manifest of another program."""
    try:
        manifest = manifest_of_docmt(root / path)
    except UserError:
        yield Statement(path, path, check=_check_sealed)
        return
    if manifest is None:
        return
    yield Statement(path, path, check=_check_sealed)
    folder, record, digests = Path(path).parent, beside(Path(path), RECORD), dict(manifest.files)
    if record.name in manifest.records:
        yield Statement(record.as_posix(), path, check=_check_sealed)
        digests |= _stated_in(root / record)
    for name, digest in digests.items():
        check = _check_settings if name.endswith(SETTINGS) else None
        yield Statement((folder / name).as_posix(), path, digest.sha256, check)


def _stated_in(record: Path) -> Mapping[str, Any]:
    """Return the digests of files that a record states; none where it is damaged."""
    try:
        with reading(record, "a damaged record"):
            return files_from_json(read_record(record)["files"])
    except UserError:
        return {}


def _of_downloads(root: Path, corpus: Path, files: Collection[str]) -> Iterator[Statement]:
    """Yield what is stated of the downloads of a corpus: by the note beside a download, else by the corpus' card.

    Fixtures, which stand for downloads, have a manifest.
    """
    folder = (corpus / "downloads").relative_to(root).as_posix()
    downloads = [path for path in files if path.startswith(f"{folder}/")]
    if not downloads or f"{folder}.{MANIFEST}" in files:
        return
    # The import takes a fifth of a second.
    from docmt.fetching.download import note_of

    for path in downloads:
        note = note_of(root / path)
        if note.is_file():
            yield Statement(path, note.relative_to(root).as_posix(), _value(note).get("sha256"))
    yield from _of_card(root, corpus, [path for path in downloads if not note_of(root / path).is_file()])


def _of_card(root: Path, corpus: Path, paths: Iterable[str]) -> Iterator[Statement]:
    """Yield what the card of a corpus states of downloads that a person has put there."""
    from docmt.base.parse import parse
    from docmt.catalogue.checksums import file_digest
    from docmt.catalogue.files import FileConfig

    card = (corpus / "card.json").relative_to(root).as_posix()
    digests = {file["name"]: file["digest"] for file in _value(root / card).get("files", ())}
    configs = {file["name"]: file for file in _value(corpus / SETTINGS).get("files", ())}
    for path in paths:
        name = path.rpartition("/")[2]
        if name in digests and name in configs:
            config, expected = parse(FileConfig, configs[name], str(corpus / SETTINGS)), digests[name]

            def check(place: Path, config: FileConfig = config, expected: str = expected) -> None:
                if file_digest(place, config, kind_of(expected)) != expected:
                    raise UserError(f"it is not the file that {card} states")

            yield Statement(path, card, expected, check)


def _value(path: Path) -> dict[str, Any]:
    """Return the object of a JSON file; an empty one where it is missing or damaged."""
    try:
        with reading(path, "not JSON"):
            return dict(json.loads(path.read_bytes()))
    except UserError:
        return {}


def _has_seal(path: Path) -> bool:
    """Return whether the workflow has written settings, and not a person."""
    data = path.read_bytes()
    return any(f'"{key}"'.encode() in data for key in (KEY, DIGEST))


def _check_settings(path: Path) -> None:
    """Raise UserError for settings that were changed; the workflow may ask for something else since."""
    if not read_asked(path).job:
        raise UserError(CHANGED)


def _check_sealed(path: Path) -> None:
    """Raise UserError where any byte of a JSON file was changed that has its own digest."""
    with reading(path, CHANGED):
        text = path.read_bytes().decode()
        value = json.loads(text)
        check_seal(value, path, "")
        # JSON has several texts for one value, such as 1e-05 and 1E-05.
        if text != (indented_json if "\n" in text else canonical_json)(value):
            raise UserError(CHANGED)


class Reader:
    """The reading of files by several threads: a digest is computed while another thread runs."""

    def __init__(self, root: Path, stated: Mapping[str, list[Statement]], sizes: Mapping[str, int]) -> None:
        """Prepare to read the files of `sizes`, which has their bytes, of which `stated` has the statements."""
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
            except UserError as problem:
                self._problems[path] = problem.what
                continue
            if self._is_stopped.is_set():
                return
            problems = [problem for one in self.stated[path] if (problem := one.problem(self.root / path, actual))]
            if problems:
                self._problems[path] = problems[0]

    def _sha256(self, path: Path, buffer: memoryview, thread: int) -> str:
        sha256 = hashlib.sha256()
        with path.open("rb", buffering=0) as stream:
            while (size := stream.readinto(buffer)) and not self._is_stopped.is_set():
                sha256.update(buffer[:size])
                self._read[thread] += size
        return sha256.hexdigest()
