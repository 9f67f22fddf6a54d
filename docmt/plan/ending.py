"""The end of a run: what was made, was there, failed and was left out, the best systems, and the page to open."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from docmt.base.artifacts import SCRATCH, read_object, read_object_if_there
from docmt.base.foreign import LONGEST_DETAIL
from docmt.base.manifest import MANIFEST, RECORD, read_record
from docmt.base.recipe import JOB
from docmt.base.screen import aligned
from docmt.plan.inventory import tree_bytes
from docmt.plan.links import LINKS
from docmt.plan.plan import Job, Plan
from docmt.plan.supplies import left_out_lines, not_scored_lines
from docmt.settings.metrics import METRICS, base_of
from docmt.supervision.exit import CLAIM
from docmt.supervision.survey import state_of

COLUMNS = ("made", "fetched", "there before", "failed", "stopped", "not reached", "left out")
"""The columns of the table, with numbers of artifacts: those that this run made, those that it fetched from the store,
those that were there before, those of jobs that failed, those of jobs that somebody or the end of their time stopped,
those that these would have made possible, and runs that miss files (`missing: skip`)."""
TICK_S = 0.01  # The seconds by which the clock of a file system is behind.
LISTED = 20  # The largest number of lines about jobs that failed.


def ending(
    plan: Plan, jobs: Collection[Job], targets: Iterable[Job], studies: Collection[str], began: float
) -> Iterator[str]:
    """Yield the lines that end a run: a table, what failed and was left out, the best systems, the page to open.

    `jobs`: those that the run was to do. `studies`: the studies of which a target is all. `began`: the start of the run
    in seconds since 1970.
    """
    targets = list(targets)
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
    failed = [(job, outcome) for job, outcome in outcomes.items() if outcome in ("failed", "stopped")]
    for job, outcome in failed[:LISTED]:
        yield f"{outcome}: {logs[job]}: {last_line(logs[job])}"
    if any(outcome == "stopped" for _, outcome in failed):
        yield "the same command goes on where the stopped jobs ended"
    yield from [*left_out_lines(grid, studies), *not_scored_lines(grid, order)]
    added = [plan.root / plan.recipe(job).folder for job, outcome in outcomes.items() if outcome in ("made", "fetched")]
    if added:
        yield f"added on disk: {sum(map(tree_bytes, added)) / 1e6:,.1f} MB"
    pages = [job for job in targets if job.step in LINKS and (plan.root / plan.recipe(job).folder / MANIFEST).is_file()]
    yield from _to_open(plan, pages)


def _to_open(plan: Plan, pages: Sequence[Job]) -> Iterator[str]:
    """Yield the best system of each table on real text, and the path to open: of each study, or the front page."""
    for _, group in groupby(pages, key=lambda job: job.names.get("study")):
        of_study = [*group]
        for job in of_study:
            numbers = (plan.root / plan.recipe(job).folder / job.names.get("item", "")).with_suffix(".json")
            if plan.grid.fixtures is None:  # No system is the best on generated text of a few seconds.
                yield from _best(job, read_object_if_there(numbers) or {})
        if pages[0].step != "front":
            yield f"open {LINKS[of_study[0].step](**of_study[0].names)}"
    if pages and pages[0].step == "front":
        yield f"open {LINKS['front'](**pages[0].names)}"


def _best(job: Job, page: Mapping[str, Any]) -> Iterator[str]:
    """Yield the best system of a table of systems by its first metric, on each corpus of which two have numbers."""
    measured = [row for row in page.get("records", ()) if row.get("status") == "measured"]
    columns: dict[str, list[Mapping[str, Any]]] = {}
    for row in measured if page.get("kind") == "systems" else ():
        if row["metric"] == measured[0]["metric"]:
            columns.setdefault(row["column"], []).append(row)
    for column, rows in columns.items():
        if len(rows) > 1:
            choose = min if METRICS[base_of(rows[0]["metric"])].lower_is_better else max
            best = choose(rows, key=lambda row: row["measured"])
            yield f"{job.names['item']}, {column}: best is {best['row']} ({best['metric']} {best['measured']:.2f})"


def _outcome(plan: Plan, job: Job, logs: Mapping[Job, Path]) -> str:
    folder = plan.root / plan.recipe(job).folder
    # A forced job has outputs of before, and makes no others where it fails, and with --touch.
    if (folder / MANIFEST).is_file() and (not plan.is_finished(job) or _is_of_this_run(folder)):
        return "fetched" if job in plan.fetched else "made"
    if job in logs:
        return "stopped" if was_stopped(folder, logs[job], job.is_training) else "failed"
    return "there before" if plan.is_finished(job) else "not reached"


def was_stopped(folder: Path, log: Path, is_training: bool) -> bool:
    """Return whether the last attempt of a job was stopped or killed: it had no time to write why it failed."""
    # A forced training has the outputs of before beside its state.
    if is_training and (folder / SCRATCH / CLAIM).is_file():
        return state_of(folder)[0] in ("stopped", "killed")
    return not re.search("^(docmt: |Traceback)", log.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)


def _is_of_this_run(folder: Path) -> bool:
    """Return whether the outputs of a forced job are those of this run."""
    record = folder / RECORD
    return record.is_file() and read_record(record).get("again") == read_object(folder / JOB).get("again")


def _warnings(plan: Plan, jobs: Iterable[Job]) -> Iterator[str]:
    for job in jobs:
        if job.step == "corpus":
            card = read_object(plan.root / plan.recipe(job).folder / "card.json", "warnings")
            yield from (f"warning: {job.names['corpus']}: {warning}" for warning in card["warnings"])


def _table(counts: Mapping[str, Counter[str]]) -> Iterator[str]:
    columns = [name for name in COLUMNS if any(row[name] for row in counts.values())]
    rows = [(stage, *(str(row[name] or "") for name in columns)) for stage, row in sorted(counts.items())]
    yield from aligned([("", *columns), *rows], numbers=columns).splitlines()


def newest_log(folder: Path, since: float) -> Path | None:
    """Return the log of the last attempt of a job that was written since a time; None where there is none."""
    logs = [path for path in folder.glob("log.*.txt") if path.stat().st_mtime >= since - TICK_S]
    return max(logs, key=lambda path: path.stat().st_mtime, default=None)


def last_line(log: Path) -> str:
    """Return the line of a log that says why its job failed."""
    return last_message(log).splitlines()[0].strip()[:LONGEST_DETAIL]


def last_message(log: Path) -> str:
    """Return what a log says at its end: the last message of docmt with its remedy, or the last line."""
    try:
        lines = [line for line in log.read_text(encoding="utf-8", errors="replace").split("\n") if line.strip()]
    except OSError:
        return "no log"
    first = max((number for number, line in enumerate(lines) if line.startswith("docmt: ")), default=len(lines) - 1)
    return "\n".join(lines[max(first, 0) :]) or "an empty log"
