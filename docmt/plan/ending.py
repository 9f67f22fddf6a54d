"""The end of a run: a table of what was made, what was there, what failed, and what was left out."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from docmt.base.artifacts import read_object
from docmt.base.foreign import LONGEST_DETAIL
from docmt.base.manifest import MANIFEST, RECORD, read_record
from docmt.base.recipe import JOB
from docmt.plan.plan import Job, Plan
from docmt.plan.supplies import left_out_lines
from docmt.plan.unscored import not_scored_lines

COLUMNS = ("made", "fetched", "there before", "failed", "not reached", "left out")
"""The columns of the table, with numbers of artifacts: those that this run made, those that it fetched from the store,
those that were there before, those of jobs that failed, those that a failed job would have made possible, and runs
that miss files (`missing: skip`)."""
LISTED = 20
"""The largest number of lines about jobs that failed."""


def ending(
    plan: Plan, jobs: Collection[Job], targets: Iterable[Job], studies: Collection[str], began: float
) -> Iterator[str]:
    """Yield the lines that end a run: a table, and lines about failed jobs and systems that are left out.

    `jobs`: those that the run was to do. `studies`: the studies of which a target is all. `began`: the start of the run
    in seconds since 1970.
    """
    order = list(plan.closure(targets))
    logs = {job: log for job in jobs if (log := newest_log(plan.root / plan.recipe(job).folder, began)) is not None}
    counts: dict[str, Counter[str]] = {}
    outcomes = {job: _outcome(plan, job, logs) for job in jobs}
    for job in order:
        outcome = outcomes.get(job) or ("there before" if plan.is_finished(job) else None)
        if outcome is not None:
            counts.setdefault(Path(job.role).parts[0], Counter())[outcome] += 1
    grid = plan.grid
    entries = [entry for study in studies for entry in grid.of_study(study)]
    left_out = sum(len(entry.seeds) for entry in entries if grid.left_out(entry) is not None)
    if left_out:
        counts.setdefault("runs", Counter())["left out"] = left_out
    yield from _table(counts)
    yield from _warnings(plan, (job for job, outcome in outcomes.items() if outcome == "made"))
    failed = [job for job, outcome in outcomes.items() if outcome == "failed"]
    for job in failed[:LISTED]:
        yield f"failed: {job}: {last_line(logs[job])} ({logs[job]})"
    yield from [*left_out_lines(grid, studies), *not_scored_lines(grid, order)]


def _outcome(plan: Plan, job: Job, logs: Mapping[Job, Path]) -> str:
    """Return the column of a job of the run."""
    folder = plan.root / plan.recipe(job).folder
    # A forced job has outputs of before, and makes no others where it fails, and with --touch.
    if (folder / MANIFEST).is_file() and (not plan.is_finished(job) or _is_of_this_run(folder)):
        return "fetched" if job in plan.fetched else "made"
    if job in logs:
        return "failed"
    return "there before" if plan.is_finished(job) else "not reached"


def _is_of_this_run(folder: Path) -> bool:
    """Return whether the outputs of a forced job are those of this run."""
    record = folder / RECORD
    return record.is_file() and read_record(record).get("again") == read_object(folder / JOB).get("again")


def _warnings(plan: Plan, jobs: Iterable[Job]) -> Iterator[str]:
    """Yield the warnings about the text of each corpus that the run has read."""
    for job in jobs:
        if job.step == "corpus":
            card = read_object(plan.root / plan.recipe(job).folder / "card.json", "warnings")
            yield from (f"warning: {job.names['corpus']}: {warning}" for warning in card["warnings"])


def _table(counts: Mapping[str, Counter[str]]) -> Iterator[str]:
    """Yield the lines of the table, without columns that have no numbers."""
    columns = [name for name in COLUMNS if any(row[name] for row in counts.values())]
    widths = [max(len(name), 6) for name in columns]
    first = max(map(len, counts), default=0)
    yield f"{'':{first}}  " + "  ".join(f"{name:>{width}}" for name, width in zip(columns, widths, strict=True))
    for stage, row in sorted(counts.items()):
        numbers = (f"{row[name] or '':>{width}}" for name, width in zip(columns, widths, strict=True))
        yield f"{stage:{first}}  " + "  ".join(numbers)


def newest_log(folder: Path, since: float) -> Path | None:
    """Return the log of the last attempt of a job that was written since a time; None where there is none."""
    logs = [path for path in folder.glob("log.*.txt") if path.stat().st_mtime >= since]
    return max(logs, key=lambda path: path.stat().st_mtime, default=None)


def last_line(log: Path) -> str:
    """Return the line of a log that says why its job failed: the message of docmt, or the last line."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return "no log"
    messages = [line for line in lines if line.startswith("docmt: ")]
    written = [line for line in lines if line.strip()]
    return (messages or written or ["an empty log"])[-1].strip()[:LONGEST_DETAIL]
