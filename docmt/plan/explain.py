"""The reasons why jobs run: the differences between what is asked of them and what was asked of their earlier versions.

The differences of a job's inputs are those between the recipe of the input that it reads now and of the one that its
earlier version has read.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from docmt.base.artifacts import read_object_if_there
from docmt.base.errors import UserError
from docmt.base.manifest import RECORD
from docmt.base.recipe import Recipe, read_recipe, versions
from docmt.plan.changes import MISSING, Difference, changes
from docmt.plan.links import named
from docmt.plan.plan import Job, Plan
from docmt.plan.stored import stored_for

# The beginning of the name of a setting that scores and pages repeat from earlier stages.
RESTATED = re.compile(r"(?:resolved|entries\..+?\.system)\.(?=.)")
NEW = "its outputs are not there"  # The phrase for jobs of which there is no other version.
Changes = tuple[str, ...]


@dataclass(frozen=True)
class Cause:
    """Changes for which jobs run."""

    changes: Changes  # A phrase for each change.
    jobs: list[str]  # The places of the jobs that these changes concern.
    running: dict[str, int]  # The number of those that run, by step; the others are finished.
    # The number of further jobs by step, which run because an input of theirs is another one.
    following: dict[str, int]


@dataclass(frozen=True)
class Explanation:
    """What a run of a target does: its jobs, those that it fetches from the store, and the causes of the others.

    Jobs are stated by their places, and `steps` has the number of those of each step. `device_hours`: those of the
    earlier versions of trainings that run. `remarks`: what else a person should know.
    """

    target: str
    jobs: list[str]
    steps: dict[str, int]
    fetched: list[str]
    causes: list[Cause]
    device_hours: float
    remarks: list[str]


def explain(plan: Plan, target: str) -> Explanation:
    """Explain what a run of a target does. Raises UserError for an unknown target, and where a file is missing."""
    targets = named(plan, target)[0]
    stored = stored_for(plan, plan.to_run(targets))
    plan.fetched = {*stored.entries}
    jobs = plan.to_run(targets)
    before = {job: earlier(plan, job) for job in jobs if job not in plan.fetched}
    return Explanation(
        target=target,
        jobs=[job.place for job in jobs],
        steps=count_steps(jobs),
        fetched=[job.place for job in jobs if job in plan.fetched],
        causes=causes_of(plan, before),
        device_hours=sum(hours_of(plan.root / recipe.folder) for recipe in before.values() if recipe),
        remarks=stored.lines,
    )


def earlier(plan: Plan, job: Job) -> Recipe | None:
    """Return the newest recipe of another version of a job at the scale of the grid."""
    folder = plan.recipe(job).folder
    others = (recipe_in(other) for other in versions(plan.root / job.place) if other.name != folder.name)
    scale = plan.recipe(job).settings.get("scale")
    return next((recipe for recipe in others if recipe and recipe.settings.get("scale") == scale), None)


def recipe_in(folder: Path) -> Recipe | None:
    """Return the recipe in a folder; None where it is not there any more, or was changed by hand."""
    try:
        return read_recipe(folder)
    except UserError:
        return None


def hours_of(folder: Path) -> float:
    """Return the device-hours of a finished training; 0 for one that is not finished, and for other jobs."""
    return (read_object_if_there(folder / RECORD) or {}).get("device_hours") or 0.0


def causes_of(plan: Plan, before: dict[Job, Recipe | None]) -> list[Cause]:
    """Return the causes of jobs that run, in the order of the work; `before`: their earlier recipes."""
    tracing = Tracing(plan)
    causes = {job: tracing.causes(job, recipe) for job, recipe in before.items()}
    return [
        Cause(
            changes=changes,
            jobs=[job.place for job in jobs],
            running=count_steps(job for job in jobs if job in causes),
            following=count_steps(job for job in causes if changes in causes[job] and job not in jobs),
        )
        for changes, jobs in tracing.concerned.items()
    ]


class Tracing:
    """The comparison of jobs and of what they are made from with earlier recipes.

    `concerned`: for each changes, the jobs that have them themselves.
    """

    def __init__(self, plan: Plan) -> None:
        """Remember what was compared, since many jobs read the same inputs."""
        self.plan, self.concerned = plan, dict[Changes, dict[Job, None]]()
        self._known: dict[tuple[Job, Path | None], frozenset[Changes]] = {}

    def causes(self, job: Job, before: Recipe | None) -> frozenset[Changes]:
        """Return the changes of a job, and of what it is made from, since an earlier recipe."""
        key = job, before and before.folder
        if key not in self._known:
            differences = [*changes(before, self.plan.recipe(job))] if before else []
            inherited = self._inherited(job, before, differences) if before else frozenset()
            new = _phrases(differences, inherited) if before else (NEW,)
            if new:
                self.concerned.setdefault(new, {})[job] = None
            self._known[key] = inherited | ({new} if new else frozenset())
        return self._known[key]

    def _inherited(self, job: Job, before: Recipe, differences: list[Difference]) -> frozenset[Changes]:
        """Return the changes of the inputs of a job that are other ones than before."""
        inherited: frozenset[Changes] = frozenset()
        for change in differences:
            if change.kind == "input" and MISSING not in (change.before, change.now):
                read = recipe_in(self.plan.root / before.inputs[change.name])
                inherited |= self.causes(self.plan.inputs(job)[change.name], read) if read else frozenset()
        return inherited


def _phrases(differences: list[Difference], inherited: frozenset[Changes]) -> Changes:
    """Return the phrases of a job's own differences; those of its inputs where nothing else says why it runs."""
    repeated = {phrase for phrases in inherited for phrase in phrases}
    phrases = []
    for change in differences:
        # Scores and pages repeat settings of systems, under names that begin otherwise.
        name = RESTATED.sub("", change.name, count=1)
        phrase = str(replace(change, name=name))
        if change.kind != "input" and not (name != change.name and phrase in repeated):
            phrases.append(phrase)
    if not phrases and not inherited:
        phrases = [*map(str, differences)]
    return tuple(dict.fromkeys(phrases))


def count_steps(jobs: Iterable[Job]) -> dict[str, int]:
    """Return the number of jobs of each step, in the order of the jobs."""
    return dict(Counter(job.step for job in jobs))
