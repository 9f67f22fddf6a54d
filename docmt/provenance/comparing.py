"""The comparison of a target that was made again with the first run: the first artifact that differs, and the scores.

Equal bits are expected where a job ran on a processor of the same name, with as many threads and the same versions of
Python and of its libraries. Elsewhere other bits are expected, and scores are compared.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from docmt.base.errors import UserError
from docmt.base.paths import SCORES
from docmt.grid.grid import Grid
from docmt.plan.jobs import Job
from docmt.plan.planning import Planner
from docmt.provenance.artifacts import RunArtifact, read_artifact
from docmt.provenance.expectations import first_file, questions, reasons_for_other_bits
from docmt.provenance.run_facts import is_of_run
from docmt.provenance.spread import DETAILS, ScoreCheck, check_scores

State = Literal["equal", "differs", "other question", "other bits", "follows", "not compared"]
"""The state of an artifact that was made again.

`equal`: equal bits, but for times and speeds in pages. `differs`: other bits, where equal ones are expected. `other
question`: made from other settings or files. `other bits`: other bits, as expected on another machine or with other
libraries. `follows`: made from other bits of an input. `not compared`: one of the runs does not have it.
"""
WRONG = ("differs", "other question")
"""The states by which a target is not reproduced."""


@dataclass(frozen=True)
class ComparedArtifact:
    """An artifact that was made again. `why` says what differs; `expected`: why other bits are expected."""

    job: Job
    state: State
    why: str = ""
    expected: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reproduction:
    """The comparison of a target.

    `artifacts` are in the order of the work. `following`: the number of jobs by rule that read, directly or not, the
    first artifact that differs. `scores`: the checks of scores, where bits differ, by the artifact.
    """

    artifacts: tuple[ComparedArtifact, ...]
    following: Mapping[str, int]
    scores: Mapping[Job, tuple[ScoreCheck, ...]]

    @property
    def first(self) -> ComparedArtifact | None:
        """The first artifact that is not as expected or, where all are, the first with other bits."""
        for states in (WRONG, ("other bits", "follows")):
            for artifact in self.artifacts:
                if artifact.state in states:
                    return artifact
        return None

    @property
    def counts(self) -> dict[str, int]:
        """The number of artifacts by state."""
        return dict(Counter(artifact.state for artifact in self.artifacts))

    @property
    def checks(self) -> list[ScoreCheck]:
        """All checks of scores."""
        return [check for checks in self.scores.values() for check in checks]

    @property
    def is_reproduced(self) -> bool:
        """Whether all bits are equal, or other bits are expected and all scores are within their ranges."""
        states = self.counts
        if any(state in states for state in WRONG):
            return False
        return not states.keys() & {"other bits", "follows"} or (
            bool(self.checks) and all(check.is_within for check in self.checks)
        )

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as a JSON object."""
        checks = {str(job): [{**vars(c), "is_within": c.is_within} for c in of] for job, of in self.scores.items()}
        return {
            "reproduced": self.is_reproduced,
            "counts": self.counts,
            "first": self.first and {**_as_json(self.first), "following": dict(self.following)},
            "artifacts": [*map(_as_json, self.artifacts)],
            "scores": checks,
        }


def compare(planner: Planner, jobs: Iterable[Job], first_run: Path) -> Reproduction:
    """Compare the artifacts of jobs, and of all that they are made from, with those of a first run.

    `planner` is that of the folder in which the target was made again; `first_run` is the folder of the first run, or
    an unpacked crate. Raises UserError where a manifest is damaged.
    """
    jobs = list(jobs)
    order, artifacts, states = list(planner.closure(jobs)), {}, {}
    for job in order:
        before, now = (read_artifact(planner, job, root) for root in (first_run, planner.digests.root))
        artifacts[job] = before, now
        states[job] = _compared(planner.jobs.grid, job, before, now)
    scores = {job: _scores(planner, job, pair, first_run) for job, pair in artifacts.items() if _is_judged(states[job])}
    result = Reproduction(tuple(states.values()), {}, {job: checks for job, checks in scores.items() if checks})
    following = _following(planner, order, result.first.job) if result.first else {}
    return Reproduction(result.artifacts, following, result.scores)


def check_first_run(jobs: Iterable[Job], first_run: Path) -> None:
    """Raise UserError where a first run does not have the target that these jobs make."""
    for job in jobs:
        if not (first_run / job.manifest).is_file():
            raise UserError(
                "the first run does not have this target",
                where=str(first_run),
                expected=job.manifest,
                remedy="make the target with snakemake first, or name a crate of it with --crate",
            )


def _compared(grid: Grid, job: Job, before: RunArtifact | None, now: RunArtifact | None) -> ComparedArtifact:
    """Compare an artifact of the first run with that of this run, but for files with facts of the run."""
    if before is None or now is None:
        where = "the first run" if before is None else "this run"
        return ComparedArtifact(job, "not compared", f"{where} does not have it")
    asked = questions(before, now)
    if asked:
        return ComparedArtifact(job, "other question", "; ".join(map(str, asked)))
    expected = tuple(reasons_for_other_bits(before, now))
    why = first_file(before, now, partial(is_of_run, grid, job))
    if why is None:
        return ComparedArtifact(job, "equal", expected=expected)
    if _has_other_inputs(before, now):
        return ComparedArtifact(job, "follows", why, expected)
    return ComparedArtifact(job, "other bits" if expected else "differs", why, expected)


def _has_other_inputs(before: RunArtifact, now: RunArtifact) -> bool:
    """Return whether two artifacts were made from other bits of an input."""
    first, second = ({role: read.content for role, read in a.manifest.inputs.items()} for a in (before, now))
    return first != second


def _is_judged(artifact: ComparedArtifact) -> bool:
    """Return whether the scores of an artifact are compared: they are scores, whose bits differ."""
    return artifact.job.rule == "scores" and artifact.state in ("other bits", "follows", "differs")


def _scores(
    planner: Planner, job: Job, pair: tuple[RunArtifact | None, RunArtifact | None], first_run: Path
) -> tuple[ScoreCheck, ...]:
    """Return the checks of the scores of a run, with those of the first runs of all of its seeds."""
    if None in pair:
        return ()
    entry = planner.jobs.grid.find_scored(job.names["corpus"], job.names["system"])
    folders = [SCORES.at(**{**job.names, "seed": seed}) for seed in entry.seeds]
    before, now = first_run / job.folder / DETAILS, planner.digests.root / job.folder / DETAILS
    of_seeds = [path for folder in folders if (path := first_run / folder / DETAILS).is_file()]
    return tuple(check_scores(before, now, of_seeds))


def _following(planner: Planner, order: list[Job], first: Job) -> dict[str, int]:
    """Return the number of jobs by rule that read the outputs of a job, directly or not."""
    reached = {first}
    for job in order:
        if any(read in reached for read in planner.jobs.inputs(job).values()):
            reached.add(job)
    return dict(Counter(job.rule for job in order if job in reached and job != first))


def _as_json(artifact: ComparedArtifact) -> dict[str, Any]:
    """Return an artifact as a JSON object."""
    return {
        "artifact": str(artifact.job),
        "rule": artifact.job.rule,
        "state": artifact.state,
        "why": artifact.why,
        "expected": list(artifact.expected),
    }
