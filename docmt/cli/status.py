"""`docmt status`: how far a run is, here and on a cluster."""

import dataclasses
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from docmt.base.screen import print_json, ruled, show_table
from docmt.cli import trainings
from docmt.cli.options import AsJson, Config, Root, overrides

if TYPE_CHECKING:
    from rich.console import RenderableType

    from docmt.api.status import RunStatus, StatusReader
    from docmt.cluster.jobs import ClusterJob
    from docmt.plan.spending import Spending

STATES = ("done", "running", "queued", "failed", "to come")
"""The states of jobs, in the order of the columns."""
ON_CLUSTER = ("job", "of", "state", "since", "left", "requeued", "about")
LISTED = 20
"""The largest number of waiting jobs, and of failures, that are listed."""
COLOURS = {"running": "green", "queued": "yellow"}


class StatusPart(NamedTuple):
    """A part of the answer: lines, and a table below them where there is one."""

    lines: Sequence[str]
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    numbers: Sequence[str] = ()
    styles: Sequence[str] = ()


def status(
    target: Annotated[str, typer.Argument(help="all, a study, or a file below results/, as snakemake has it")] = "all",
    root: Root = Path(),
    watch: Annotated[
        float | None,
        typer.Option(
            min=1,
            max=86_400,
            metavar="SECONDS",
            help="ask again so often until Ctrl-C; without a terminal, print a line for each change",
        ),
    ] = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Show how far the run of a target is: its jobs here and on Slurm, trainings, failures and device-hours.

    A job is queued or running as Slurm says, where this machine has `squeue`, and running where its process is on this
    machine or its training shows signs of progress. Pass the --config of your run, such as scale=smoke. Nothing is
    written.
    """
    from docmt.api.status import StatusReader

    reader = StatusReader(root, target, overrides(config))
    first = reader.read()
    if watch is not None:
        with suppress(KeyboardInterrupt):
            follow(reader, first, watch, as_json)
    elif as_json:
        print_json(as_object(first))
    else:
        show(first)


def follow(reader: "StatusReader", now: "RunStatus", every: float, as_json: bool) -> None:
    """Show the state again and again: as a page on a terminal, elsewhere as a line for each change."""
    if as_json or not sys.stdout.isatty():
        printed = None
        while True:
            line = json.dumps(as_object(now), ensure_ascii=False) if as_json else headline(now)
            if line != printed:
                typer.echo(line if as_json else f"{time.strftime('%H:%M:%S')} {line}")
                sys.stdout.flush()
            printed = line
            time.sleep(every)
            now = reader.read()
    from rich.live import Live

    with Live(page(now), auto_refresh=False, vertical_overflow="visible") as live:
        while True:
            time.sleep(every)
            live.update(page(reader.read()), refresh=True)


def show(now: "RunStatus") -> None:
    """Print the state once: in colour on a terminal, in plain columns in a file."""
    for number, part in enumerate(parts(now)):
        typer.echo("\n".join([*([""] if number else []), *part.lines]))
        if part.rows:
            show_table(part.columns, part.rows, part.numbers, part.styles)


def page(now: "RunStatus") -> "RenderableType":
    """Return the state as a page of a terminal."""
    from rich.console import Group
    from rich.text import Text

    renderables: list[RenderableType] = []
    for part in parts(now):
        renderables.append(Text("\n".join([*([""] if renderables else []), *part.lines])))
        if part.rows:
            renderables.append(ruled(part.columns, part.rows, part.numbers, part.styles))
    return Group(*renderables)


def parts(now: "RunStatus") -> Iterator[StatusPart]:
    """Yield the parts of the answer; one that has nothing to tell is left out."""
    rows = [(rule, *(str(counts[state] or "") for state in STATES)) for rule, counts in now.progress.rules.items()]
    yield StatusPart([headline(now), driver_line(now)], ("rule", *STATES), rows, STATES)
    begun = [training for training in now.trainings if training.state != "finished"]
    if begun:
        finished = len(now.trainings) - len(begun)
        yield StatusPart(
            [f"Trainings that have begun; {finished} more are finished (docmt list-trainings):"],
            trainings.COLUMNS,
            [*map(trainings.cells, begun)],
            trainings.NUMBERS,
            trainings.styles(begun),
        )
    if now.queue.is_there:
        yield cluster_part(now)
    if now.progress.failures:
        yield StatusPart([f"Failed: {len(now.progress.failures)}", *failure_lines(now)])
    yield StatusPart([*spending_lines(now.spending)])


def headline(now: "RunStatus") -> str:
    """Return the number of jobs in each state."""
    total = now.progress.total
    counts = ", ".join(f"{total[state]} {state}" for state in STATES if total[state])
    return f"{now.target} at the scale {now.scale}: {jobs(sum(total.values()))}: {counts or 'none'}"


def driver_line(now: "RunStatus") -> str:
    """Return whether a run of Snakemake is going on."""
    return {
        "here": "A run of snakemake is going on, on this machine.",
        "elsewhere or killed": (
            "The folder is locked by a run of snakemake that is not on this machine: it runs on another one, or it was "
            "killed (then `snakemake --unlock`)."
        ),
        "none": "No run of snakemake is going on.",
    }[now.driver]


def cluster_part(now: "RunStatus") -> StatusPart:
    """Return the jobs of the project on Slurm, and why jobs wait."""
    order = sorted(now.submitted, key=lambda job: (job.phase != "running", not job.is_stuck))
    waiting = [job for job in order if job.phase == "queued"]
    running = [job for job in order if job.phase == "running"]
    listed = [*running, *waiting[:LISTED]]
    lines = [f"Slurm: {len(running)} running, {len(waiting)} queued."]
    why = Counter(job.about for job in waiting)
    lines += [f"  {jobs(count)} queued: {about}" for about, count in why.most_common()]
    lines += [f"  {problem}" for problem in now.queue.problems]
    if now.orphans:
        numbers = " ".join(job.number for job in now.orphans[:LISTED])
        lines.append(
            "  No run waits for these jobs any more. A new run takes over those that do what it needs. To end them: "
            f"scancel {numbers}{' ...' if len(now.orphans) > LISTED else ''}"
        )
    if len(waiting) > LISTED:
        lines.append(f"  The first {LISTED} queued jobs are listed; --json has all of them.")
    styles = ["red" if job.is_stuck else COLOURS[job.phase] for job in listed]
    return StatusPart(lines, ON_CLUSTER, [*map(job_row, listed)], ("left", "requeued"), styles)


def job_row(job: "ClusterJob") -> tuple[str, ...]:
    """Return the cell of each column for a job of a cluster that has not ended."""
    is_running = job.phase == "running"
    since = job.started if is_running else job.submitted
    expected = f"; expected to start at {moment(job.started)}" if not is_running and job.started else ""
    return (
        job.number,
        str(job.purpose),
        f"{job.phase}, stuck" if job.is_stuck else job.phase,
        moment(since),
        trainings.duration(job.left_s) if is_running and job.left_s is not None else "-",
        str(job.restarts or "-"),
        f"{job.about}{expected}",
    )


def moment(text: str) -> str:
    """Return a time of Slurm's without its seconds; the date is left out if it is today."""
    day, _, hour = text.partition("T")
    return hour[:5] if day == time.strftime("%Y-%m-%d") else f"{day} {hour[:5]}".strip() or "-"


def failure_lines(now: "RunStatus") -> Iterator[str]:
    """Yield a line for each job that failed, with the path of its log."""
    failures = now.progress.failures
    for failure in failures[:LISTED]:
        place = failure.log or (f"job {failure.number}" if failure.number else "")
        yield f"  {failure.job}: {failure.why}{f' ({place})' if place else ''}"
    if len(failures) > LISTED:
        yield f"  ... and {len(failures) - LISTED} more"


def spending_lines(spending: "Spending") -> Iterator[str]:
    """Yield the device-hours so far against the estimate, and what the estimate is based on."""
    share = f" ({spending.used / spending.total:.0%})" if spending.total else ""
    of = " of about" if spending.basis else " of"
    line = f"Device-hours of trainings: {hours(spending.used)} used{of} {hours(spending.total)}{share}."
    if spending.unknown:
        line += f" Not estimated, since nobody states the size of the corpus: {spending.unknown} trainings."
    yield line
    if spending.budget is not None:
        yield f"Budget (`device_hours` of config.yaml): {hours(spending.budget)}."
    if spending.basis:
        yield f"Estimated at {'; '.join(spending.basis)}."


def hours(value: float) -> str:
    """Return a number of hours as text."""
    return f"{value:,.2f}" if value >= 0.005 or not value else "less than 0.01"


def jobs(count: int) -> str:
    """Return a number of jobs as text."""
    return f"{count} {'job' if count == 1 else 'jobs'}"


def as_object(now: "RunStatus") -> dict[str, Any]:
    """Return the state as a JSON object."""
    return {
        "target": now.target,
        "scale": now.scale,
        "driver": now.driver,
        "jobs": {state: now.progress.total[state] for state in STATES},
        "rules": {rule: {state: counts[state] for state in STATES} for rule, counts in now.progress.rules.items()},
        "failures": [
            {"job": str(failure.job), "rule": failure.job.rule, "why": failure.why, "log": failure.log or None}
            for failure in now.progress.failures
        ],
        "trainings": [dataclasses.asdict(training) for training in now.trainings],
        "slurm": cluster_object(now) if now.queue.is_there else None,
        "device_hours": dataclasses.asdict(now.spending),
    }


def cluster_object(now: "RunStatus") -> dict[str, Any]:
    """Return what Slurm says as a JSON object."""
    return {"problems": now.queue.problems, "jobs": [*map(job_object, now.submitted)], "orphans": bool(now.orphans)}


def job_object(job: "ClusterJob") -> dict[str, Any]:
    """Return a job of a cluster as a JSON object."""
    facts = dataclasses.asdict(job)
    purpose = facts.pop("purpose")
    return {**facts, **purpose, "names": dict(job.purpose.names), "phase": job.phase, "about": job.about}
