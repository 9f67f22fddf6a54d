"""`docmt status`: how far a run is, here and on a cluster."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.base.screen import print_json, show_table
from docmt.cli import trainings
from docmt.cli.options import AsJson, Config, Root, overrides

if TYPE_CHECKING:
    from docmt.api.status import RunStatus

STATES = ("finished", "running", "waiting", "failed", "to come")
"""The states of jobs, in the order of the columns."""
LISTED = 20
"""The largest number of lines about jobs in one state."""


def status(
    target: Annotated[str, typer.Argument(help="all, a study, or a file below results/, as snakemake has it")] = "all",
    root: Root = Path(),
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Show how far the run of a target is: its jobs here and on Slurm, its trainings and its failures.

    A job runs where its process shows signs of life, on any machine, and waits where Slurm's queue has it. It has
    failed where its last attempt ended without outputs. Pass the --config of your run, such as scale=smoke. Nothing is
    written. `watch docmt status` shows it again and again.
    """
    from docmt.api.status import read_status

    now = read_status(root, target, overrides(config))
    if as_json:
        print_json({**dataclasses.asdict(now), "jobs": now.progress.total})
    else:
        show(now)


def show(now: "RunStatus") -> None:
    """Print the state: in colour on a terminal, in plain columns in a file."""
    progress, total = now.progress, now.progress.total
    counts = ", ".join(f"{total[state]} {state}" for state in STATES if total[state])
    typer.echo(f"{now.target} at the scale {now.scale}: {sum(total.values())} jobs: {counts or 'none'}")
    rows = [(stage, *(str(numbers.get(state, "")) for state in STATES)) for stage, numbers in progress.stages.items()]
    show_table(("stage", *STATES), rows, STATES)
    if progress.trainings:
        typer.echo("\nTrainings that have begun:")
        rows = [*map(trainings.cells, progress.trainings)]
        show_table(trainings.COLUMNS, rows, trainings.NUMBERS, trainings.styles(progress.trainings))
    waiting = [job for job in now.queue if not job.is_running]
    parts = {
        "Running": (f"{job.folder}: {job.where}" for job in progress.running),
        "Waiting in Slurm's queue": (f"{job.number} {job.what}: {job.about}" for job in waiting),
        "Failed": (f"{job.folder}: {job.why} ({job.log})" for job in progress.failures),
        "Slurm does not answer": [now.problem] if now.problem else [],
    }
    for heading, lines in parts.items():
        for line in listed(heading, list(lines)):
            typer.echo(line)


def listed(heading: str, lines: list[str]) -> Iterator[str]:
    """Yield lines below a heading, the first of them where there are many; nothing where there are none."""
    if lines:
        yield f"\n{heading}: {len(lines)}"
        yield from (f"  {line}" for line in lines[:LISTED])
        yield from [f"  ... and {len(lines) - LISTED} more"] if len(lines) > LISTED else []
