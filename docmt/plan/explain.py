"""The reasons why jobs run: the differences between what is asked of them and what was asked of their earlier versions.

The differences of a job's inputs are those between the recipe of the input that it reads now and of the one that its
earlier version has read.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from docmt.base.artifacts import read_object_if_there
from docmt.base.errors import UserError
from docmt.base.manifest import RECORD
from docmt.base.recipe import Recipe, read_recipe, versions
from docmt.plan.changes import MISSING, changes
from docmt.plan.links import named
from docmt.plan.plan import Job, Plan
from docmt.plan.stored import stored_for

RESTATED = re.compile(r"(?:resolved|entries\..+?\.system)\.(?=.)")
"""The beginning of the name of a setting that scores and pages repeat from earlier stages."""
NEW = "its outputs are not there"
"""The phrase for jobs of which there is no other version."""
Changes = tuple[str, ...]


@dataclass(frozen=True)
class Cause:
    """Changes for which jobs run.

    `changes`: a phrase for each change. `jobs`: the jobs that these changes concern. `following`: the number of further
    jobs by step, which run because an input of theirs is another one.
    """

    changes: Changes
    jobs: tuple[Job, ...]
    following: dict[str, int]


@dataclass(frozen=True)
class Explanation:
    """What a run of a target does: its jobs, those that it fetches from the store, and the causes of the others.

    `hours`: the device-hours of the earlier versions of trainings that run. `words`: what else a person should know.
    """

    target: str
    jobs: tuple[Job, ...]
    fetched: tuple[Job, ...]
    causes: tuple[Cause, ...]
    hours: float
    words: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the explanation as a JSON object."""
        causes = [
            {"changes": cause.changes, "jobs": [*map(str, cause.jobs)], "following": cause.following}
            for cause in self.causes
        ]
        return {
            "target": self.target,
            "jobs": [*map(str, self.jobs)],
            "fetched": [*map(str, self.fetched)],
            "causes": causes,
            "device_hours": self.hours,
            "remarks": self.words,
        }


def explain(plan: Plan, target: str) -> Explanation:
    """Explain what a run of a target does. Raises UserError for an unknown target, and where a file is missing."""
    targets = named(plan, target)[0]
    stored = stored_for(plan, plan.to_run(targets))
    plan.fetched = {*stored.entries}
    jobs = plan.to_run(targets)
    fetched = tuple(job for job in jobs if job in plan.fetched)
    others = [job for job in jobs if job not in plan.fetched]
    before = {job: earlier(plan, job) for job in others}
    hours = sum(hours_of(plan.root / recipe.folder) for job, recipe in before.items() if recipe and job.is_training)
    return Explanation(target, tuple(jobs), fetched, tuple(causes_of(plan, before)), hours, tuple(stored.lines))


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
    """Return the device-hours of a finished training; 0 for one that is not finished."""
    return (read_object_if_there(folder / RECORD) or {}).get("device_hours") or 0.0


def causes_of(plan: Plan, before: dict[Job, Recipe | None]) -> list[Cause]:
    """Return the causes of jobs that run, in the order of the work; `before`: their earlier recipes."""
    tracing = Tracing(plan)
    causes = {job: tracing.causes(job, recipe) for job, recipe in before.items()}
    concerned = tracing.concerned
    following = {
        key: Counter(job.step for job, keys in causes.items() if key in keys and job not in jobs)
        for key, jobs in concerned.items()
    }
    return [Cause(key, tuple(jobs), dict(following[key])) for key, jobs in concerned.items()]


class Tracing:
    """The comparison of jobs and of what they are made from with earlier recipes.

    `concerned`: for each changes, the jobs that have them themselves.
    """

    def __init__(self, plan: Plan) -> None:
        """Remember what was compared, since many jobs read the same inputs."""
        self.plan, self.concerned = plan, dict[Changes, dict[Job, None]]()
        self._known: dict[tuple[Job, str], frozenset[Changes]] = {}

    def causes(self, job: Job, before: Recipe | None) -> frozenset[Changes]:
        """Return the changes of a job, and of what it is made from, since an earlier recipe."""
        if before is None:
            return self._add(job, (NEW,))
        key = job, before.folder.as_posix()
        if key not in self._known:
            self._known[key] = self._causes(job, before)
        return self._known[key]

    def _add(self, job: Job, changes: Changes) -> frozenset[Changes]:
        self.concerned.setdefault(changes, {})[job] = None
        return frozenset({changes})

    def _causes(self, job: Job, before: Recipe) -> frozenset[Changes]:
        differences, inputs = [*changes(before, self.plan.recipe(job))], self.plan.inputs(job)
        inherited: frozenset[Changes] = frozenset()
        for change in differences:
            if change.kind == "input" and MISSING not in (change.before, change.now):
                read = recipe_in(self.plan.root / before.inputs[change.name])
                inherited |= self.causes(inputs[change.name], read) if read else frozenset()
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
        return inherited | (self._add(job, tuple(dict.fromkeys(phrases))) if phrases else frozenset())


def count_steps(jobs: Iterable[Job]) -> dict[str, int]:
    """Return the number of jobs of each step, in the order of the jobs."""
    return dict(Counter(job.step for job in jobs))
