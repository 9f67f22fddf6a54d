"""The state of the outputs of each job: right, absent, or why they are to be made again.

The state follows from the manifest, the identity and the files that are there. The times of files decide only whether
bytes are read: a file that is newer than its manifest, which was written last, is compared with its digest.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from docmt.base.asked import Asked, read_asked
from docmt.base.digests import FileDigest
from docmt.base.errors import UserError
from docmt.base.manifest import (
    RECORD,
    SETTINGS,
    Manifest,
    beside,
    digest_from_json,
    read_manifest,
    read_record,
)
from docmt.plan.aside import is_aside
from docmt.plan.changes import Difference, changes
from docmt.plan.identities import Identities
from docmt.plan.jobs import PAGES, Job
from docmt.plan.outside import FileDigests
from docmt.plan.stored import Stored
from docmt.steps import get_step
from docmt.store.entries import StoreEntry

StateName = Literal["right", "absent", "aside", "stored", "incomplete", "damaged", "other"]
"""The state of the outputs of a job.

`right`: complete, and what is asked for. `absent`: nothing is there. `aside`: the right outputs are set aside, and
nothing or wrong outputs are in their place. `stored`: the same, but the right outputs are in the store. `incomplete`: a
file is missing. `damaged`: a file has other bytes. `other`: made from other settings, inputs, files or versions.
"""


@dataclass(frozen=True)
class State:
    """The state of the outputs of a job.

    `why` names the file, or what differs; it is empty for outputs that are right. `manifest` is that of the outputs in
    the place of the job, where it can be read. `changes`: what differs from what was asked, where this is known.
    `is_wrong`: whether wrong outputs are in the place of those that are aside or stored.
    """

    name: StateName
    why: str = ""
    manifest: Manifest | None = None
    changes: tuple[Difference, ...] = ()
    is_wrong: bool = False


ABSENT = State("absent", "it is not there")
HERE = ("right", "aside")
"""The states of right outputs that are on this machine."""


class States:
    """The states of jobs below a project's folder, each read once."""

    def __init__(self, identities: Identities, digests: FileDigests, stored: Stored) -> None:
        """Read the states below the folder of `digests`; `stored` has what a store has."""
        self.identities, self.digests, self.root, self.stored = identities, digests, digests.root, stored
        self._states: dict[Job, State] = {}

    def look_up(self, jobs: Iterable[Job]) -> None:
        """Read what the store has for jobs whose right outputs are not here; `of` then knows it."""
        missing = [job for job in jobs if self._here(job).name not in HERE]
        identities = [self.identities.identity(job) for job in missing]
        self.stored.look_up(identity for identity in identities if identity is not None)

    def of(self, job: Job) -> State:
        """Return the state of a job. Raises UserError for settings that were changed by hand."""
        state = self._here(job)
        if state.name in HERE:
            return state
        entry = self.stored.entry(self.identities.identity(job))
        if entry is None or not self._fits_inputs(job, entry):
            return state
        return State("stored", "it is in the store", state.manifest, is_wrong=state.name != "absent")

    def _here(self, job: Job) -> State:
        """Return the state of a job without regard to the store."""
        if job not in self._states:
            state = self._read(job)
            if state.name != "right" and is_aside(self.root, self.identities.identity(job)):
                is_wrong = state.name != "absent"
                state = State("aside", "its outputs were set aside", state.manifest, is_wrong=is_wrong)
            self._states[job] = state
        return self._states[job]

    def _fits_inputs(self, job: Job, entry: StoreEntry) -> bool:
        """Return whether a stored artifact would stay as it is beside the inputs that are here.

        An artifact that was made from other bytes of an input (on another machine) would be made again. A training
        would not: it stays, whatever bytes its inputs have. An artifact of another file name has no place. A page runs
        the scripts of whoever wrote it, so that one that nobody has signed is made here.
        """
        if entry.manifest_name != Path(job.manifest).name or (job.rule in PAGES and not self.stored.is_signed):
            return False
        if job.is_training:
            return True
        for role, read in self.identities.jobs.inputs(job).items():
            state, before = self._here(read), entry.manifest.inputs.get(role)
            present = state.manifest if state.name == "right" else None
            if present is not None and before is not None and before.content != present.content:
                return False
        return True

    def forget(self) -> None:
        """Read all states again when they are asked for, since outputs were moved."""
        self._states.clear()

    def _read(self, job: Job) -> State:
        path = self.root / job.manifest
        if not path.exists():
            return State("incomplete", f"{job.manifest} is missing") if self._has_outputs(job) else ABSENT
        try:
            manifest = read_manifest(path)
            self._check_settings(job)
        except UserError as problem:
            if problem.where != str(path):
                raise
            return State("damaged", f"{job.manifest}: {problem.what}")
        return self._files(job, manifest) or self._identity(job, manifest) or State("right", manifest=manifest)

    def _has_outputs(self, job: Job) -> bool:
        """Return whether a job without a manifest has left one of its first outputs."""
        names = (name.format(**job.names) for name in get_step(job.rule).outputs)
        return any((self.root / job.folder / name).exists() for name in names)

    def _check_settings(self, job: Job) -> None:
        """Raise UserError for a settings.json that a person has changed."""
        path = self.root / job.settings_path
        if path.exists():
            read_asked(path)

    def _files(self, job: Job, manifest: Manifest) -> State | None:
        """Return the state of outputs of which a file is missing or changed; None where all are there and whole."""
        folder, written = self.root / job.folder, (self.root / job.manifest).stat().st_mtime_ns
        try:
            expected = dict(self._expected(job, manifest))
        except UserError as problem:
            return State("damaged" if Path(problem.where or "").exists() else "incomplete", str(problem.what), manifest)
        for name, digest in expected.items():
            file = f"{job.folder}/{name}"
            try:
                status = (folder / name).stat()
            except OSError:
                return State("incomplete", f"{file} is missing", manifest)
            if status.st_size != digest.bytes:
                return State("damaged", f"{file} has {status.st_size:,} bytes, not {digest.bytes:,}", manifest)
            if status.st_mtime_ns > written and self.digests.of(Path(file)) != digest.sha256:
                return State("damaged", f"{file} differs from its manifest", manifest)
        return None

    def _expected(self, job: Job, manifest: Manifest) -> Iterator[tuple[str, FileDigest]]:
        """Yield the name and the digest of each file of a job except its settings, which are never damaged here."""
        yield from ((name, file) for name, file in manifest.files.items() if not name.endswith(SETTINGS))
        path, record = beside(self.root / job.manifest, RECORD), job.file(RECORD)
        if not path.exists():
            raise UserError(f"{record} is missing", where=str(path))
        try:
            files = read_record(path)["files"]
        except UserError as problem:
            raise UserError(f"{record}: {problem.what}", where=str(path)) from None
        yield from ((name, digest_from_json(file)) for name, file in files.items())

    def _identity(self, job: Job, manifest: Manifest) -> State | None:
        """Return the state of outputs that were made from something else; None where they are what is asked for."""
        asked = self.identities.asked(job)
        if asked.identity == manifest.identity:
            return None
        before = self.settings_of(job)
        if asked.identity is None and before is not None and fits(asked, before) and manifest.identity:
            self.identities.adopt(job, manifest.identity)
            return None
        if before is None:
            return State("other", "its settings of then are not known", manifest)
        differences = tuple(changes(before, asked))
        return State("other", "; ".join(map(str, differences)) or "another identity", manifest, differences)

    def settings_of(self, job: Job) -> Asked | None:
        """Return what was asked of the job that made the present outputs; None where its settings are gone."""
        path = self.root / job.settings_path
        return read_asked(path) if path.exists() else None


def fits(asked: Asked, before: Asked) -> bool:
    """Return whether two questions are equal but for identities and digests that the first does not know."""
    pairs = [(asked.inputs, before.inputs), (asked.files, before.files)]
    known = all(
        now.keys() == then.keys() and all(value in (None, then[key]) for key, value in now.items())
        for now, then in pairs
    )
    return known and (asked.settings, asked.libraries) == (before.settings, before.libraries)
