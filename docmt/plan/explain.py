"""The explanation of a plan: the causes from which its jobs follow, and the price."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from docmt.base import paths
from docmt.base.errors import UserError, nearest
from docmt.base.paths import FOLDERS, RESULTS, names_in
from docmt.plan.changes import Difference
from docmt.plan.driver import targets_of
from docmt.plan.plan import Job
from docmt.plan.planning import Plan, Planner, StaleTraining
from docmt.plan.states import State

RESTATED = re.compile(r"(?:resolved|entries\..+?\.system)\.(?=.)")
"""The beginning of the name of a setting that scores and pages repeat from earlier stages."""
OF_FILES = {"absent": "its outputs are not there", "incomplete": "a file is missing", "damaged": "a file is damaged"}
"""The phrase for each state that is a cause by itself."""


@dataclass(frozen=True)
class Cause:
    """Changes for which outputs are made again.

    `changes`: a phrase for each change. `jobs`: the jobs that these changes concern. `places`: for each of these jobs,
    its path, or what is missing or damaged. `following`: the number of further jobs by rule, which run because an input
    of theirs is another one.
    """

    changes: tuple[str, ...]
    jobs: tuple[Job, ...]
    places: tuple[str, ...]
    following: dict[str, int]

    @property
    def rules(self) -> dict[str, int]:
        """The number of jobs by rule."""
        return count_rules(self.jobs)


@dataclass(frozen=True)
class Explanation:
    """Why a run would make a target, and at which price.

    `jobs`: the number of jobs that would run. `hours`: the device-hours of the finished trainings `stale`, which would
    be trained again. `limit`: the largest number of hours that the settings allow. `back`: the jobs whose outputs were
    set aside, and move back. `pull`: the jobs whose outputs come from the store. `words`: what else a person should
    know.
    """

    target: str
    jobs: int
    causes: tuple[Cause, ...]
    back: tuple[Job, ...]
    pull: tuple[Job, ...]
    words: tuple[str, ...]
    stale: tuple[StaleTraining, ...]
    hours: float
    limit: float

    def to_json(self) -> dict[str, Any]:
        """Return the explanation as a JSON object."""
        causes = [
            {"changes": cause.changes, "jobs": [*map(str, cause.jobs)], "following": cause.following}
            for cause in self.causes
        ]
        stale = [{"training": str(item.job), "device_hours": item.hours, "why": item.why} for item in self.stale]
        return {
            "target": self.target,
            "up_to_date": not self.jobs and not self.back and not self.pull,
            "jobs": self.jobs,
            "causes": causes,
            "set_aside": [*map(str, self.back)],
            "stored": [*map(str, self.pull)],
            "remarks": self.words,
            "stale_trainings": stale,
            "device_hours": self.hours,
            "retrain_hours": self.limit,
        }


def explain(planner: Planner, target: str) -> Explanation:
    """Explain the plan of a target of Snakemake. Raises UserError for an unknown target, and as `Planner.plan` does."""
    plan = planner.plan(jobs_of_target(planner, target))
    return Explanation(
        target=target,
        jobs=len(plan.reasons),
        causes=tuple(causes_of(planner, plan)),
        back=tuple(plan.back),
        pull=tuple(plan.pull),
        words=(*plan.words, *lines_about_store(planner)),
        stale=tuple(sorted(plan.stale, key=lambda stale: (-stale.hours, str(stale.job)))),
        hours=plan.hours,
        limit=planner.jobs.grid.retrain_hours,
    )


def lines_about_store(planner: Planner) -> Iterator[str]:
    """Yield what cannot be used of the store, or why it cannot be used at all."""
    yield from planner.stored.lines_of_refused()
    if planner.stored.problem is not None:
        yield f"the store is not used: {planner.stored.problem}"


def jobs_of_target(planner: Planner, target: str) -> list[Job]:
    """Return the jobs of a target. Raises UserError where it is neither a name of a target nor a file of a job."""
    grid, path = planner.jobs.grid, Path(target)
    if target in ("all", *grid.studies):
        return targets_of(planner, [target])
    root = planner.digests.root.absolute()
    file = path.relative_to(root).as_posix() if path.is_absolute() and path.is_relative_to(root) else path.as_posix()
    below = file.removeprefix(f"{RESULTS}/")
    stage = FOLDERS.get(below.split("/")[0])
    is_report = file == paths.demo_report(grid.scale)
    if not file.startswith(f"{RESULTS}/") or not (is_report or (stage and len(names_in(below)) >= stage.depth)):
        valid = ["all", *grid.studies]
        expected = f"all, a study, or a file or folder of a job below {RESULTS}/"
        raise UserError("unknown target", found=target, expected=expected, remedy=nearest(target, valid))
    jobs = targets_of(planner, [file])
    if not jobs:
        remedy = "a run downloads or generates it where a corpus needs it"
        raise UserError("no job with a manifest makes this file", where=file, remedy=remedy)
    return jobs


def causes_of(planner: Planner, plan: Plan) -> list[Cause]:
    """Return the causes of a plan, in the order of the work.

    A job of which nothing changed but its inputs belongs to the causes of these inputs.
    """
    groups: dict[tuple[str, ...], list[Job]] = {}
    reached: dict[Job, set[tuple[str, ...]]] = {}
    for job, state in plan.reasons.items():
        inherited = {key for read in changed_inputs(planner, job, state) for key in reached.get(read, ())}
        key = direct_changes(state, {change for changes in inherited for change in changes})
        if key:
            groups.setdefault(key, []).append(job)
        reached[job] = inherited | ({key} if key else set())
    direct = {job for jobs in groups.values() for job in jobs}
    return [
        Cause(
            changes=key,
            jobs=tuple(jobs),
            places=tuple(place_of(job, plan.reasons[job]) for job in jobs),
            following=count_rules(job for job in reached if job not in direct and key in reached[job]),
        )
        for key, jobs in groups.items()
    ]


def changed_inputs(planner: Planner, job: Job, state: State) -> list[Job]:
    """Return the inputs of a job that are other ones than those of its present outputs."""
    inputs = planner.jobs.inputs(job)
    return [inputs[change.name] for change in state.changes if change.kind == "input" and change.name in inputs]


def direct_changes(state: State, inherited: set[str]) -> tuple[str, ...]:
    """Return the phrases for what changed of a job itself; `inherited` are those of its inputs.

    The settings of a system that scores and pages repeat are left out where an input has the same change.
    """
    if not state.changes:
        return (OF_FILES.get(state.name, state.why),)
    settled = [unrepeated(change) for change in state.changes if change.kind != "input"]
    phrases = [str(change) for change, is_repeated in settled if not (is_repeated and str(change) in inherited)]
    if not phrases and not inherited:
        phrases = [str(change) for change in state.changes]
    return tuple(dict.fromkeys(phrases))


def unrepeated(change: Difference) -> tuple[Difference, bool]:
    """Return a change under the name that the setting has in its first stage, and whether the name was another one."""
    name = RESTATED.sub("", change.name, count=1)
    return replace(change, name=name), name != change.name


def place_of(job: Job, state: State) -> str:
    """Return what is missing or damaged, or the path of a job."""
    return state.why if state.name in ("incomplete", "damaged") else str(job)


def count_rules(jobs: Iterable[Job]) -> dict[str, int]:
    """Return the number of jobs of each rule, in the order of the jobs."""
    return dict(Counter(job.step for job in jobs))
