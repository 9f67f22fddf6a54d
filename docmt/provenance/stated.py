"""What files below `results/` state of files: the digests by which `docmt list-results --verify` checks every byte.

A manifest and the record of a job state the digests of outputs. Manifests, records, settings, the frozen grid and the
like have their own digest. A download has a note beside it or, where a person has put it there, a place in the card of
its corpus.
"""

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docmt.base.asked import KEY, read_asked
from docmt.base.digests import indented_json, kind_of
from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.base.manifest import (
    CHANGED,
    DIGEST,
    DIGITS,
    MANIFEST,
    RECORD,
    SETTINGS,
    beside,
    check_seal,
    files_from_json,
    manifest_of_docmt,
)
from docmt.base.paths import CORPUS, FROZEN_GRID, FROZEN_TIMES, RESULTS

SEALED = (FROZEN_GRID, FROZEN_TIMES, f"{RESULTS}/digests.json")
"""The files of a run that have their own digest."""
DIGEST_MEMBER = re.compile(rb'"digest":"([0-9a-f]{64})",')
"""The member of a canonical JSON text with the digest of the text without it; `digest` is not its last key."""


@dataclass(frozen=True)
class Statement:
    """What a file `by` states of the file `path`; paths are relative to the project's folder.

    `sha256`: its SHA-256; None where the file has its own digest, and was read for it: `problem` then says what is
    wrong, if anything is. `check`: a function that raises UserError unless a file with another SHA-256 is right.
    """

    path: str
    by: str
    sha256: str | None = None
    check: Callable[[Path], object] | None = None
    problem: str | None = None

    def problem_of(self, path: Path, actual: str) -> str | None:
        """Return what is wrong with the file at `path`, whose SHA-256 is `actual`; None where nothing is."""
        if self.sha256 is None or actual == self.sha256:
            return self.problem
        if self.check is None:
            return f"sha256 {actual[:DIGITS]}, not {self.sha256[:DIGITS]} as {self.by} states"
        try:
            self.check(path)
        except UserError as problem:
            return problem.what
        return None


def statements(root: Path, files: Collection[str]) -> Iterator[Statement]:
    """Yield what is stated of files below `results/`; `files` has the paths of all. A damaged file states nothing."""
    manifests = [path for path in files if path.endswith((f"/{MANIFEST}", f".{MANIFEST}"))]
    of_manifests = [statement for path in manifests for statement in _of_manifest(root, path)]
    yield from of_manifests
    listed = {statement.path for statement in of_manifests}
    for path in files:
        if path == FROZEN_GRID:
            yield Statement(path, path, problem=_problem(_check_line, root / path))
        elif path in SEALED:
            yield Statement(path, path, problem=_sealed(root / path)[1])
        elif path.endswith((SETTINGS, RECORD)) and path not in listed and _has_seal(root / path):
            problem = _problem(check_settings, root / path) if path.endswith(SETTINGS) else _sealed(root / path)[1]
            yield Statement(path, path, problem=problem)
    for corpus in sorted((root / RESULTS / CORPUS.stage).glob("*")):
        yield from _of_downloads(root, corpus, files)


def _of_manifest(root: Path, path: str) -> Iterator[Statement]:
    """Yield what a manifest and its record state, also of themselves; nothing for a manifest of another program."""
    value, problem = _sealed(root / path)
    if problem is not None and _is_of_another_program(root / path):
        return
    yield Statement(path, path, problem=problem)
    folder, record = Path(path).parent, beside(Path(path), RECORD)
    digests = dict(value.get("files", {}))
    if record.name in value.get("records", ()):
        of_run, problem = _sealed(root / record)
        yield Statement(record.as_posix(), path, problem=problem)
        digests |= of_run.get("files", {})
    for name, digest in digests.items():
        check = check_settings if name.endswith(SETTINGS) else None
        yield Statement((folder / name).as_posix(), path, digest.sha256, check)


def _is_of_another_program(path: Path) -> bool:
    try:
        return manifest_of_docmt(path) is None
    except UserError:
        return False


def _sealed(path: Path) -> tuple[dict[str, Any], str | None]:
    """Return a JSON object that has its own digest, with the digests of its files, and what is wrong with the file."""
    try:
        with reading(path, CHANGED):
            text = path.read_bytes().decode()
            value = json.loads(text)
            check_seal(value, path, "")
            # JSON has several texts for one value, such as 1e-05 and 1E-05.
            if text != indented_json(value):
                raise UserError(CHANGED)
            if path.name.endswith((MANIFEST, RECORD)):
                value["files"] = files_from_json(value["files"], str(path))
            return value, None
    except UserError as problem:
        return {}, problem.what


def _check_line(path: Path) -> None:
    """Raise UserError where any byte of a canonical JSON text was changed, whose digest is that of the other members.

    The text is large, and is not parsed.
    """
    with reading(path, CHANGED):
        data = path.read_bytes()
    for member in DIGEST_MEMBER.finditer(data):
        if hashlib.sha256(data[: member.start()] + data[member.end() :]).hexdigest() == member[1].decode():
            return
    raise UserError(CHANGED)


def _problem(check: Callable[[Path], object], path: Path) -> str | None:
    try:
        check(path)
    except UserError as problem:
        return problem.what
    return None


def check_settings(path: Path) -> None:
    """Raise UserError for settings that were changed; the workflow may ask for something else since."""
    if not read_asked(path).job:
        raise UserError(CHANGED)


def _has_seal(path: Path) -> bool:
    """Return whether docmt has written settings or a record, and not a person."""
    data = path.read_bytes()
    return any(f'"{key}"'.encode() in data for key in (KEY, DIGEST))


def _of_downloads(root: Path, corpus: Path, files: Collection[str]) -> Iterator[Statement]:
    """Yield what is stated of the downloads of a corpus. Fixtures, which stand for downloads, have a manifest."""
    folder = (corpus / "downloads").relative_to(root).as_posix()
    downloads = [path for path in files if path.startswith(f"{folder}/")]
    if not downloads or f"{folder}.{MANIFEST}" in files:
        return
    # The import takes a fifth of a second.
    from docmt.fetching.download import note_of

    notes = {path: note_of(root / path) for path in downloads}
    for path, note in notes.items():
        if note.is_file():
            yield Statement(path, note.relative_to(root).as_posix(), str(_value(note).get("sha256")))
    yield from _of_card(root, corpus, [path for path, note in notes.items() if not note.is_file()])


def _of_card(root: Path, corpus: Path, paths: Iterable[str]) -> Iterator[Statement]:
    """Yield what the card of a corpus states of downloads."""
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
