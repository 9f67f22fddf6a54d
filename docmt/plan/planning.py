"""The plan of a run: the jobs whose outputs are to be made, each with the reason.

This is the one place that decides what is up to date. Outputs that are absent as a whole are made only where another
job needs them. Outputs that are incomplete, damaged, or made from something else are made again.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from docmt.base.artifacts import read_object
from docmt.base.digests import named_digest, value_of
from docmt.base.errors import UserError
from docmt.base.manifest import DIGITS, RECORD
from docmt.catalogue.files import FileConfig
from docmt.catalogue.lock import LOCK, place_in_lock
from docmt.catalogue.missing import file_of_user
from docmt.grid.grid import Grid
from docmt.plan.identities import Identities
from docmt.plan.jobs import GridJobs, Job
from docmt.plan.outside import FileDigests
from docmt.plan.states import State, States
from docmt.plan.stored import Stored

THERE = ("right", "absent", "aside", "stored")
"""The states of outputs that are made only where a job needs them, or not at all."""

PAGES_OF_STUDIES = ("report", "demo_report")
"""The rules whose outputs have links to other pages."""
LINKED_PAGES = ("item", "report", "sheet")
"""The rules whose outputs such pages have links to."""


@dataclass(frozen=True)
class StaleTraining:
    """A finished training that is to be trained again. `hours`: the device-hours that it took."""

    job: Job
    why: str
    hours: float


@dataclass(frozen=True)
class Plan:
    """The jobs to run.

    `order`: all jobs whose outputs the targets are made from, and those of the targets.
    `reasons`: why the outputs of each job are to be made; the order is that of the work. `words`: what a person should
    know of outputs that stay. `stale`: the finished trainings among the jobs. `back`: the jobs whose outputs are set
    aside, and move back. `pull`: the jobs whose outputs come from the store. `unsettled`: the jobs with outputs that
    are right, whose file of settings is missing and is written again.
    """

    order: tuple[Job, ...] = ()
    reasons: dict[Job, State] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    stale: list[StaleTraining] = field(default_factory=list)
    back: list[Job] = field(default_factory=list)
    pull: list[Job] = field(default_factory=list)
    unsettled: list[Job] = field(default_factory=list)

    @property
    def hours(self) -> float:
        """The device-hours of the finished trainings that are to be trained again."""
        return sum(training.hours for training in self.stale)


class Planner:
    """The states and the identities of the jobs of a grid, in a project's folder."""

    def __init__(self, grid: Grid, root: Path = Path(), stored: Stored | None = None) -> None:
        """Plan in the folder `root`, which has `results/`; `stored`: what may be pulled (None = nothing)."""
        self.jobs, self.digests = GridJobs(grid), FileDigests(root)
        self.identities = Identities(self.jobs, self.digests)
        self.stored = stored or Stored(None)
        self.states = States(self.identities, self.digests, self.stored)

    def plan(self, targets: Iterable[Job], forced: Callable[[Job], bool] = lambda job: False) -> Plan:
        """Return the jobs that make the outputs of the targets, and of all that they are made from, right.

        `forced` says for a job whether the user wants it to run in any case. Raises UserError for settings that were
        changed by hand, for a missing or changed file of the user's, and for a target that the grid does not have.
        """
        targets = list(dict.fromkeys(self._with_linked_pages(targets)))
        for job in targets:
            self.jobs.settings(job)  # refuses a target of another scale, whatever is in its place
        order = list(self.closure(targets))
        self.states.look_up(order)
        states = {job: self.states.of(job) for job in order}
        reasons = {job: state for job, state in states.items() if state.name not in THERE}
        reasons |= {job: State("other", "forced by the command line") for job in order if forced(job)}
        reasons |= {job: states[job] for job in targets if states[job].name == "absent"}
        mixed = dict(self._mixed(order, states, reasons))
        reasons |= {job: State("other", why, states[job].manifest) for job, why in mixed.items() if not job.is_training}
        wanted = self._add_needed(order, states, reasons) | {job for job in order if states[job].is_wrong} | {*targets}
        elsewhere = [job for job in order if job in wanted and job not in reasons]
        ordered = {job: reasons[job] for job in order if job in reasons}
        return Plan(
            order=tuple(order),
            reasons=ordered,
            words=[f"{job}: {why}; it stays as it is" for job, why in mixed.items() if job.is_training],
            stale=list(self._stale(ordered, states)),
            unsettled=[job for job in order if states[job].name == "right" and not self._has_settings(job)],
            back=[job for job in elsewhere if states[job].name == "aside"],
            pull=[job for job in elsewhere if states[job].name == "stored"],
        )

    def _with_linked_pages(self, targets: Iterable[Job]) -> Iterator[Job]:
        """Yield targets, and for the page of a study also the pages that it has links to, which are targets with it."""
        for job in targets:
            yield job
            if job.rule in PAGES_OF_STUDIES:
                yield from self._with_linked_pages(
                    read for read in self.jobs.inputs(job).values() if read.rule in LINKED_PAGES
                )

    def _has_settings(self, job: Job) -> bool:
        """Return whether the file of the settings of a job is there."""
        return (self.digests.root / job.settings_path).exists()

    def closure(self, targets: Collection[Job]) -> Iterator[Job]:
        """Yield the targets and all jobs whose outputs they are made from, inputs before the jobs that read them."""
        seen: set[Job] = set()

        def visit(job: Job) -> Iterator[Job]:
            if job not in seen:
                seen.add(job)
                for read in self.jobs.inputs(job).values():
                    yield from visit(read)
                yield job

        for target in targets:
            yield from visit(target)

    def _mixed(
        self, order: Iterable[Job], states: dict[Job, State], reasons: Collection[Job]
    ) -> Iterator[tuple[Job, str]]:
        """Yield the jobs that are right, but were made from other bytes of an input than those that are there now.

        Other processors and other versions of libraries give other bytes for the same identity.
        """
        for job in order:
            manifest = states[job].manifest
            if job in reasons or manifest is None:
                continue
            for role, read in self.jobs.inputs(job).items():
                present, before = states[read].manifest, manifest.inputs.get(role)
                if states[read].name != "right" or present is None or before is None:
                    continue
                if before.content != present.content:
                    digests = f"{str(before.content)[:DIGITS]}, now {present.content[:DIGITS]}"
                    yield job, f"made from another content of {read} ({digests})"
                    break

    def _add_needed(self, order: list[Job], states: dict[Job, State], reasons: dict[Job, State]) -> set[Job]:
        """Add the absent outputs that the jobs of `reasons` read, and those that these need in turn.

        Returns all jobs whose outputs the jobs of `reasons` read.
        """
        needed: set[Job] = set()
        for job in reversed(order):
            if job in reasons:
                for read in self.jobs.inputs(job).values():
                    needed.add(read)
                    if states[read].name == "absent":
                        reasons.setdefault(read, State("absent", f"needed for {job}"))
        return needed

    def _stale(self, reasons: dict[Job, State], states: dict[Job, State]) -> Iterator[StaleTraining]:
        """Yield the trainings of a plan that have been finished before."""
        for job, reason in reasons.items():
            state = states[job]
            if job.is_training and (state.is_wrong or state.name not in ("absent", "stored")):
                yield StaleTraining(job, reason.why, self._device_hours(job))

    def _device_hours(self, job: Job) -> float:
        """Return the device-hours that a finished training took; 0 where its record is missing or damaged."""
        try:
            return float(read_object(self.digests.root / job.file(RECORD)).get("device_hours") or 0)
        except (UserError, TypeError, ValueError):
            return 0.0

    def changed_downloads(self, corpus: str) -> list[str]:
        """Return the downloads of a corpus that are missing, or that a changed file of the user's replaces.

        `corpus` is the name of the corpus. Raises UserError for a file with another digest than the catalogue
        or the first download states: a person may have put it there.
        """
        files, job = self.identities.downloads(corpus), Job.of("corpus", corpus=corpus)
        wanted = []
        for role, path in self.jobs.files(job).items():
            expected, place = self.identities.asked(job).files[role], self.digests.root / path
            if not place.is_file():
                wanted.append(path.name)
            elif expected not in (None, actual := self.digests.of(path, files[role])):
                if file_of_user(files[role], self.jobs.grid.local.get(corpus), corpus, self.digests.root) is None:
                    raise self._other_file(corpus, files[role], path, actual, str(expected))
                wanted.append(path.name)
        return wanted

    def _other_file(self, corpus: str, file: FileConfig, path: Path, actual: str, expected: str) -> UserError:
        """Return the error about a file, among the downloads of a corpus, that is not the one that is expected."""
        if file.digest is not None:
            stated = self.jobs.grid.corpus_files[corpus]
        else:
            stated = place_in_lock(self.digests.root / LOCK, f"{corpus}/{file.name}")
        return UserError(
            "another file than the catalogue or the first download",
            where=str(path),
            found=named_digest(actual),
            expected=f"{value_of(expected)}, which {stated} states",
            remedy="remove the file, and the workflow downloads it; to use it as it is, change what is stated there",
        )
