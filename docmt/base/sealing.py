"""The frame of a job: it checks what the job reads, and writes the manifest and the record of what the job wrote."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from docmt.base.artifacts import Recorder, recorded, write_json
from docmt.base.asked import Asked, read_asked
from docmt.base.digests import FileDigest, known_sha256, named_digest
from docmt.base.errors import UserError
from docmt.base.machine import commit, hardware, now, versions
from docmt.base.manifest import (
    DIGITS,
    MANIFEST,
    RECORD,
    SETTINGS,
    InputContent,
    Manifest,
    digest_to_json,
    manifest_of_docmt,
    mixed_contents,
    normal_path,
    read_manifest,
    sealed,
)

DigestOf = Callable[[str, Path, str | None], str]
"""A function that returns the digest of a file from its role, its path and the digest that was asked (None = none was
asked), of the same kind as the latter."""


class Seal:
    """The manifest and the record of a job that is running.

    `asked`: what was asked of the job. `folder`: the folder of its outputs. `prefix`: the beginning of the names of its
    manifest and record, where several jobs write into the folder.
    """

    def __init__(self, asked: Asked, command: str, folder: Path, recorder: Recorder, prefix: str = "") -> None:
        """Begin the record; `command` is the name of the command that does the job."""
        self.asked, self.command, self.folder, self.prefix = asked, command, folder, prefix
        self._recorder, self._began, self._start = recorder, now(), time.perf_counter()
        self._inputs: dict[str, InputContent] = {}
        self._manifests_read: dict[str, Manifest] = {}
        self.is_closed = False

    @property
    def mixed(self) -> list[str]:
        """Sentences about inputs that were made from different contents of one identity."""
        return mixed_contents({role.removesuffix(f"/{MANIFEST}"): read for role, read in self._manifests_read.items()})

    @property
    def manifest_path(self) -> Path:
        """The path of the manifest."""
        return self.folder / f"{self.prefix}{MANIFEST}"

    def check_inputs(self, inputs: Mapping[str, Path]) -> None:
        """Compare the outputs of other jobs that this job reads with what was asked.

        `inputs`: the folder, or the manifest, of each input by its role. Raises UserError where the manifest of an
        input is missing or damaged, or where the input is not the one that was asked for.
        """
        for role, path in self._manifests(inputs):
            expected, manifest = self.asked.inputs.get(role), read_manifest(path)
            if expected not in (None, manifest.identity):
                raise UserError(
                    "made from other settings or inputs than this job needs",
                    where=str(path),
                    found=f"identity {str(manifest.identity)[:DIGITS]}",
                    expected=expected[:DIGITS],
                    remedy=f"run snakemake again, which makes it again (docmt job {manifest.command})",
                )
            self._inputs[role] = InputContent(manifest.identity, manifest.content)
            self._manifests_read[role] = manifest

    def _manifests(self, inputs: Mapping[str, Path]) -> Iterator[tuple[str, Path]]:
        """Yield the role and the manifest of each input that was asked for.

        A person who runs the command with settings of their own asks for no identities; all inputs that have a manifest
        are then yielded.
        """
        for role, place in inputs.items():
            path = place if place.name.endswith(MANIFEST) else place / MANIFEST
            by_hand = not self.asked.job and path.is_file() and manifest_of_docmt(path) is not None
            if role in self.asked.inputs or by_hand:
                yield role, path

    def check_files(self, files: Mapping[str, Path], digest_of: DigestOf | None = None) -> None:
        """Compare files that are not outputs of jobs with the digests that were asked; `files`: the path by role.

        `digest_of` returns the digest of a file; without this function it is the SHA-256. Raises UserError for a file
        that has changed since the workflow was planned.
        """
        if self.asked.job:
            files = {role: path for role, path in files.items() if role in self.asked.files}
        digest_of = digest_of or (lambda role, path, expected: known_sha256(path))
        actual = {role: digest_of(role, path, self.asked.files.get(role)) for role, path in files.items()}
        for role, path in files.items():
            if self.asked.files.get(role) not in (None, actual[role]):
                raise UserError(
                    "the file has changed since the workflow was planned",
                    where=str(path),
                    found=named_digest(actual[role], DIGITS),
                    expected=named_digest(self.asked.files[role], DIGITS),
                    remedy="run snakemake again, which plans with the present file",
                )
        self.asked = replace(self.asked, files={**self.asked.files, **actual})

    def close(
        self,
        record: Mapping[str, Any] | None = None,
        records: Collection[str] = (),
        events: Iterable[Path] = (),
    ) -> None:
        """Write the record, and the manifest last.

        `record`: facts about this run of the job for the record. `records`: the names of the files whose content
        depends on the run (times, speeds), whose digests are therefore in the record and not in the manifest. `events`:
        files written by other means than `atomic_file`, whose names depend on the run too: the record alone has them.
        """
        files = {path.relative_to(self._recorder.folder).as_posix(): file for path, file in self._files()}
        of_run = {name: digest_to_json(file) for name, file in files.items() if name in records}
        named = [*of_run, f"{self.prefix}{RECORD}"]
        for path in events:
            of_run[path.relative_to(self.folder).as_posix()] = digest_to_json(FileDigest.of(path))
        identities = {role: content.identity for role, content in self._inputs.items()}
        asked = replace(self.asked, job=self.asked.job or self.command, inputs={**self.asked.inputs, **identities})
        facts = {
            "command": self.command,
            "began": self._began,
            "finished": now(),
            "seconds": round(time.perf_counter() - self._start, 3),
            "hardware": hardware(),
            "commit": commit(),
            "versions": versions(asked.libraries),
        }
        write_json(self.folder / f"{self.prefix}{RECORD}", sealed({**facts, **(record or {}), "files": of_run}))
        manifest = Manifest(
            identity=asked.identity,
            command=self.command,
            inputs=self._inputs,
            files={name: file for name, file in files.items() if name not in of_run},
            records=tuple(named),
        )
        write_json(self.manifest_path, manifest.to_json())
        self.is_closed = True

    def _files(self) -> Iterator[tuple[Path, FileDigest]]:
        """Yield the path and the digest of each file that the job has written, and of its settings."""
        settings = normal_path(self.folder / f"{self.prefix}{SETTINGS}")
        written = {path: file for path, file in self._recorder.files.items() if path.exists()}
        yield from sorted(written.items())
        if settings.exists() and settings not in written:
            yield settings, FileDigest.of(settings)


@contextmanager
def open_seal(
    settings: Path,
    command: str,
    folder: Path,
    inputs: Mapping[str, Path | None] | None = None,
    files: Mapping[str, Path | None] | None = None,
    prefix: str = "",
    digest_of: DigestOf | None = None,
) -> Iterator[Seal]:
    """Check the inputs of a job, and record the files that it writes in the block, which closes the seal.

    `settings`: the settings.json of the job. `folder`: the folder of its outputs. `inputs`, `files`: see
    `Seal.check_inputs` and `Seal.check_files`; None for an input that the job does not have. `digest_of`: see
    `Seal.check_files`.
    Raises UserError for settings that were changed by hand, for inputs that do not fit, and for a library of another
    version than planned.
    """
    asked = read_asked(settings)
    asked.check_libraries()
    with recorded(folder) as recorder:
        seal = Seal(asked, command, folder, recorder, prefix)
        seal.check_inputs({role: path for role, path in (inputs or {}).items() if path is not None})
        seal.check_files({role: path for role, path in (files or {}).items() if path is not None}, digest_of)
        recorder.before_writing = (seal.manifest_path, folder / f"{prefix}{RECORD}")
        yield seal


@contextmanager
def sealing(settings: Path, command: str, folder: Path, *inputs: Any, **options: Any) -> Iterator[Seal]:
    """Run a job in the block, as `open_seal` does, and write its manifest after the block.

    The block may close the seal itself; no manifest is written after an exception.
    """
    with open_seal(settings, command, folder, *inputs, **options) as seal:
        yield seal
        if not seal.is_closed:
            seal.close()
