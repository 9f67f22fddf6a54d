"""The frame of a job: it checks what the job reads, and writes the manifest and the record of what the job wrote."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from docmt.base.artifacts import Recorder, recorded, write_json
from docmt.base.digests import FileDigest, known_sha256, named_digest
from docmt.base.errors import UserError
from docmt.base.machine import commit, hardware, now, versions
from docmt.base.manifest import (
    DIGITS,
    MANIFEST,
    RECORD,
    InputContent,
    Manifest,
    mixed_contents,
    read_manifest,
    sealed,
)
from docmt.base.paths import ID_DIGITS
from docmt.base.recipe import Recipe

DigestOf = Callable[[str, Path, str], str]
"""A function that returns the digest of a file from its role, its path and the digest that was asked, of the same kind
as the latter."""


class Seal:
    """The manifest and the record of a job that is running. `folder`: the folder of its outputs."""

    def __init__(self, recipe: Recipe, folder: Path, recorder: Recorder) -> None:
        """Begin the record."""
        self.recipe, self.folder = recipe, folder
        self._recorder, self._began, self._start = recorder, now(), time.perf_counter()
        self._inputs: dict[str, InputContent] = {}
        self._manifests_read: dict[str, Manifest] = {}
        self.is_closed = False

    @property
    def mixed(self) -> list[str]:
        """Sentences about inputs that were made from different contents of one identity."""
        return mixed_contents(self._manifests_read)

    def check_inputs(self) -> None:
        """Read the manifests of all inputs. Raises UserError for one that is missing, damaged or another one."""
        for role, folder in self.recipe.inputs.items():
            manifest = read_manifest(folder / MANIFEST)
            if not str(manifest.identity).startswith(folder.name):
                raise UserError(
                    "the manifest is that of another job",
                    where=str(folder / MANIFEST),
                    found=str(manifest.identity)[:ID_DIGITS],
                    expected=folder.name,
                    remedy=f"remove the folder {folder}, and run snakemake again",
                )
            self._inputs[role] = InputContent(manifest.identity, manifest.content)
            self._manifests_read[role] = manifest

    def check_files(self, digest_of: DigestOf | None = None) -> None:
        """Compare files that are not outputs of jobs with the digests that were asked.

        `digest_of` returns the digest of a file; without this function it is the SHA-256. Raises UserError for a file
        that has changed since the workflow was planned.
        """
        digest_of = digest_of or (lambda role, path, expected: known_sha256(path))
        for role, file in self.recipe.files.items():
            actual = digest_of(role, Path(file.path), file.digest)
            if actual != file.digest:
                raise UserError(
                    "the file has changed since the workflow was planned",
                    where=file.path,
                    found=named_digest(actual, DIGITS),
                    expected=named_digest(file.digest, DIGITS),
                    remedy="run snakemake again, which plans with the present file",
                )

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
        written = sorted(path for path in self._recorder.files if path.is_file())
        files = {path.relative_to(self._recorder.folder).as_posix(): FileDigest.of(path) for path in written}
        of_run = {name: asdict(file) for name, file in files.items() if name in records}
        named = [*of_run, RECORD]
        for path in events:
            of_run[path.relative_to(self.folder).as_posix()] = asdict(FileDigest.of(path))
        facts = {
            "step": self.recipe.step,
            "began": self._began,
            "finished": now(),
            "seconds": round(time.perf_counter() - self._start, 3),
            "hardware": hardware(),
            "commit": commit(),
            "versions": versions(self.recipe.libraries),
            **({"again": self.recipe.again} if self.recipe.again else {}),
        }
        write_json(self.folder / RECORD, sealed({**facts, **(record or {}), "files": of_run}))
        manifest = Manifest(
            identity=self.recipe.identity,
            step=self.recipe.step,
            inputs=self._inputs,
            files={name: file for name, file in files.items() if name not in of_run},
            records=tuple(named),
        )
        write_json(self.folder / MANIFEST, manifest.to_json())
        self.is_closed = True


@contextmanager
def sealing(
    recipe: Recipe, folder: Path | None = None, digest_of: DigestOf | None = None, closes: bool = True
) -> Iterator[Seal]:
    """Run a job in the block: check its inputs before, record the files that it writes, and write its manifest after.

    `folder`: the folder of the outputs, where it is not that of the recipe: a part of a job has its own. `digest_of`:
    see `Seal.check_files`. `closes`: false where only the block itself closes the seal, which it may do anyway. No
    manifest is written after an exception. Raises UserError for inputs that do not fit, and for a library of another
    version than planned.
    """
    recipe.check_libraries()
    folder = folder or recipe.folder
    with recorded(folder) as recorder:
        seal = Seal(recipe, folder, recorder)
        seal.check_inputs()
        seal.check_files(digest_of)
        recorder.stale = folder / MANIFEST
        yield seal
        if closes and not seal.is_closed:
            seal.close()
