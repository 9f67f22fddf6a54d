"""The end of a run: a table of what was made, what was there, what failed, and what was left out."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from docmt.base.artifacts import read_object
from docmt.base.foreign import LONGEST_DETAIL
from docmt.plan.driver import LISTED, targets_of
from docmt.plan.plan import Job
from docmt.plan.planning import Plan, Planner
from docmt.plan.supplies import left_out_lines
from docmt.plan.unscored import not_scored_lines

COLUMNS = ("made", "pulled", "there before", "failed", "not reached", "left out")
"""The columns of the table, with numbers of outputs: those that this run made, those that it pulled from the store,
those that were right before, those of jobs that failed, those that a failed job would have made possible, and those
that miss files (`missing: skip`)."""


def ending(
    planner: Planner, plan: Plan, targets: Iterable[str], logs: Mapping[Job, str], studies: Collection[str]
) -> Iterator[str]:
    """Yield the lines that end a run: a table, and lines about failed jobs and systems that are left out.

    `logs`: the log of each job of the run that has started. `studies`: the studies of which a target is all.
    """
    planner.states.forget()
    outcomes = {job: _outcome(planner, job, logs) for job in plan.reasons}
    counts: dict[str, Counter[str]] = {}
    for job in plan.order:
        outcome = outcomes.get(job) or _before(planner, job)
        if outcome is not None:
            counts.setdefault(_stage(job), Counter())[outcome] += 1
    grid = planner.jobs.grid
    entries = [entry for study in studies for entry in grid.of_study(study)]
    left_out = sum(len(entry.seeds) for entry in entries if grid.left_out(entry) is not None)
    if left_out:
        counts.setdefault("runs", Counter())["left out"] = left_out
    yield from _table(counts)
    yield from _warnings(planner.digests.root, (job for job, outcome in outcomes.items() if outcome == "made"))
    failed = [job for job, outcome in outcomes.items() if outcome == "failed"]
    for job in failed[:LISTED]:
        yield f"failed: {job}: {last_line(planner.digests.root / logs[job])} ({logs[job]})"
    yield from [*left_out_lines(grid, studies), *not_scored_lines(grid, plan.order)]
    if not failed:
        yield from _later(planner, targets, outcomes)


def _warnings(root: Path, jobs: Iterable[Job]) -> Iterator[str]:
    """Yield the warnings about the text of each corpus that the run has read."""
    for job in jobs:
        if job.step == "corpus":
            card = read_object(root / job.file("card.json"), "warnings")
            yield from (f"warning: {job.names['corpus']}: {warning}" for warning in card["warnings"])


def _outcome(planner: Planner, job: Job, logs: Mapping[Job, str]) -> str:
    """Return the column of a job of the run."""
    if planner.states.of(job).name == "right":
        return "made"
    return "failed" if job in logs and (planner.digests.root / logs[job]).exists() else "not reached"


def _before(planner: Planner, job: Job) -> str | None:
    """Return the column of outputs that the run did not make; None where they are not here, since nobody needs them."""
    if planner.stored.pulled & {planner.identities.identity(job)}:
        return "pulled"
    return "there before" if planner.states.of(job).name == "right" else None


def _later(planner: Planner, targets: Iterable[str], outcomes: Mapping[Job, str]) -> Iterator[str]:
    """Yield a line for each job that this run has made out of date, by making another content of one of its inputs."""
    if "made" in outcomes.values():
        for job, state in planner.plan(targets_of(planner, targets)).reasons.items():
            yield f"{job}: {state.why}; the next run makes it again"


def _stage(job: Job) -> str:
    """Return the stage of a job, or its file for a job without a stage."""
    parts = job.folder.split("/")
    return parts[1] if len(parts) > 1 else "report"


def _table(counts: Mapping[str, Counter[str]]) -> Iterator[str]:
    """Yield the lines of the table, without columns that have no numbers."""
    columns = [name for name in COLUMNS if any(row[name] for row in counts.values())]
    widths = [max(len(name), 6) for name in columns]
    first = max(map(len, counts), default=0)
    yield f"{'':{first}}  " + "  ".join(f"{name:>{width}}" for name, width in zip(columns, widths, strict=True))
    for stage, row in sorted(counts.items()):
        numbers = (f"{row[name] or '':>{width}}" for name, width in zip(columns, widths, strict=True))
        yield f"{stage:{first}}  " + "  ".join(numbers)


def last_line(log: Path) -> str:
    """Return the line of a log that says why its job failed: the message of docmt, or the last line."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return "no log"
    messages = [line for line in lines if line.startswith("docmt: ")]
    written = [line for line in lines if line.strip()]
    return (messages or written or ["an empty log"])[-1].strip()[:LONGEST_DETAIL]
