"""The push of artifacts to a store: which a run gives, and which it has given.

During a run a process of its own pushes each artifact as soon as its manifest is there (`docmt job push-finished`); the
driver tells it what to wait for. It remembers what the store has (`PUSHED`), so that a later run asks the store little.
"""

import dataclasses
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from docmt.base.artifacts import read_object, write_json
from docmt.base.errors import UserError
from docmt.base.manifest import Manifest, manifest_or_none
from docmt.base.paths import RESULTS
from docmt.plan.jobs import Job, check_outputs
from docmt.plan.passing import may_pass
from docmt.plan.planning import Plan, Planner
from docmt.plan.pulling import counted, size
from docmt.store.backend import StoreUnusable
from docmt.store.entries import StoreEntry
from docmt.store.store import Moved, Store

TO_PUSH = f"{RESULTS}/to_push.json"
"""The file in which the driver of a run says what to push."""
PUSHED = f"{RESULTS}/pushed.txt"
"""The file with the identities that stores have, each with the address of the store."""


@dataclass(frozen=True)
class Awaited:
    """An artifact to push.

    `rule`, `names`: its job. `identity`: its identity; None where nobody knows it before a download. `version`: numbers
    of its manifest at the start of the run, which another manifest has not; empty where any manifest will do. `mend`:
    whether the entry of the store is to be replaced, since a pull has refused it.
    """

    rule: str
    names: dict[str, str]
    identity: str | None
    version: tuple[int, ...] = ()
    mend: bool = False

    @property
    def job(self) -> Job:
        """The job of the artifact."""
        return Job.of(self.rule, **self.names)


@dataclass
class Pusher:
    """Pushes artifacts of the folder `root` to a store, and counts them.

    `problems`: why some were not pushed. `has_begun`: whether the store is known to be there.
    """

    store: Store
    root: Path
    artifacts: int = 0
    bytes: int = 0
    problems: list[UserError] = field(default_factory=list)
    has_begun: bool = False

    def push(self, awaited: Awaited) -> bool:
        """Push an artifact if it is finished; return whether nothing is left to do for it.

        Raises StoreUnusable. An artifact that is damaged here is not pushed; `problems` then says so.
        """
        manifest = self.finished(awaited)
        if manifest is None:
            return False
        try:
            self.give(awaited.job, awaited.mend)
        except StoreUnusable:
            raise
        except UserError as problem:
            self.problems.append(problem)
        return True

    def finished(self, awaited: Awaited) -> Manifest | None:
        """Return the manifest of an artifact; None where its job has not written it yet."""
        path = self.root / awaited.job.manifest
        if version_of(path) in ((), tuple(awaited.version)):
            return None
        manifest = manifest_or_none(path)
        if manifest is None or manifest.identity is None or awaited.identity not in (None, manifest.identity):
            return None
        return manifest

    def give(self, job: Job, mend: bool = False) -> Moved | None:
        """Push the artifact of a job; return None where the store has it. Raises as `Store.push` does."""
        entry = StoreEntry.of_folder(job.rule, job.names, self.root / job.manifest)
        check_outputs(job, [*entry.files, *entry.texts])
        self._begin()
        moved = self.store.push(entry, self.root / job.folder, mend)
        if moved is not None:
            self.artifacts, self.bytes = self.artifacts + 1, self.bytes + moved.bytes
        remember(self.root, self.store.address, [entry.identity])
        return moved

    def _begin(self) -> None:
        """Make the store where there is none yet. Raises StoreUnusable for a place that is no store."""
        if not self.has_begun:
            try:
                self.store.begin()
            except StoreUnusable:
                raise
            except UserError as problem:
                raise StoreUnusable(problem.what, where=problem.where, remedy=problem.remedy) from problem
        self.has_begun = True

    def lines(self, left: int = 0, problem: UserError | None = None) -> list[str]:
        """Return the lines about a push. `left`: the number of artifacts that could not be pushed, due to `problem`."""
        address, lines = self.store.address, []
        if self.artifacts:
            lines.append(f"pushed to {address}: {counted(self.artifacts, 'artifact')} ({size(self.bytes)})")
        if self.problems:
            lines.append(
                f"not pushed to {address}: {counted(len(self.problems), 'artifact')}; the first: {self.problems[0]}"
            )
        if problem is not None:
            lines.append(f"not pushed to {address}: {counted(left, 'artifact')}, which the next run pushes: {problem}")
        return lines


def version_of(path: Path) -> tuple[int, ...]:
    """Return numbers that change with a file; an empty tuple where it is not there."""
    try:
        status = path.stat()
    except OSError:
        return ()
    return status.st_mtime_ns, status.st_size, status.st_ino


def awaited_of(planner: Planner, plan: Plan) -> list[Awaited]:
    """Return what a run is to push: what is right here and not in the store yet, and what its jobs will make."""
    root, before = planner.digests.root, pushed(planner.digests.root, planner.jobs.grid.store or "")
    result = []
    for job in plan.order:
        identity, state = planner.identities.identity(job), planner.states.of(job)
        if keep_reason(planner, job) is not None:
            continue
        mend = planner.stored.is_damaged(identity)
        if job in plan.reasons:
            result.append(Awaited(job.rule, job.names, identity, version_of(root / job.manifest), mend))
        elif state.name == "right" and identity is not None and (mend or identity not in before):
            result.append(Awaited(job.rule, job.names, identity, (), mend))
    return result


def keep_reason(planner: Planner, job: Job) -> str | None:
    """Return why the outputs of a job stay on this machine; None where they may go to a store."""
    return may_pass(planner.jobs, job)


def write_awaited(root: Path, address: str, awaited: Iterable[Awaited]) -> None:
    """Write what to push, for the process that pushes."""
    write_json(root / TO_PUSH, {"store": address, "artifacts": [dataclasses.asdict(artifact) for artifact in awaited]})


def read_awaited(path: Path) -> tuple[str, list[Awaited]]:
    """Return the address of a store, and what to push to it. Raises UserError for a damaged file."""
    value = read_object(path, "store", "artifacts")
    return value["store"], [
        Awaited(**{**artifact, "version": tuple(artifact["version"])}) for artifact in value["artifacts"]
    ]


def pushed(root: Path, address: str) -> set[str]:
    """Return the identities that a store has, as far as earlier runs have noted it."""
    try:
        lines = (root / PUSHED).read_text(encoding="utf-8").splitlines()
    except OSError:
        return set()
    return {identity for identity, _, at in (line.partition(" ") for line in lines) if at == address}


def remember(root: Path, address: str, identities: Collection[str]) -> None:
    """Note that a store has artifacts."""
    with (root / PUSHED).open("a", encoding="utf-8") as stream:
        stream.write("".join(f"{identity} {address}\n" for identity in identities))
