"""`docmt status`: how far a run is, here and on a cluster."""

from pathlib import Path
from typing import Annotated

import typer

from docmt.base.screen import answer, first_of, show_table
from docmt.cli import trainings
from docmt.cli.options import AsJson, Config, Root, overrides
from docmt.plan.links import named
from docmt.plan.progress import STATES, RunProgress, progress_of
from docmt.plan.run import planned

LISTED = 20  # The largest number of lines about jobs in one state.


def status(
    target: Annotated[str, typer.Argument(help="all, a study, or a file below results/, as snakemake has it")] = "all",
    root: Root = Path(),
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Show how far the run of a target is.

    It shows the jobs here and on Slurm, the trainings and the failures. A job runs where its process shows signs of
    life, on any machine, and waits where Slurm's queue has it. It has failed where its last attempt ended without
    outputs. Pass the --config of your run, such as scale=smoke. Nothing is written. `watch docmt status` shows it again
    and again.
    """
    with planned(root, overrides(config), target) as plan:
        progress = progress_of(plan, named(plan, target)[0])
    names = {"target": target, "scale": plan.grid.scale}
    answer(as_json, {**names, **vars(progress), "jobs": progress.total}, lambda: show(progress, **names))


def show(progress: RunProgress, target: str, scale: str) -> None:
    """Print the state."""
    total = progress.total
    counts = ", ".join(f"{total[state]} {state}" for state in STATES if total[state])
    typer.echo(f"{target} at the scale {scale}: {sum(total.values())} jobs: {counts or 'none'}")
    rows = [(stage, *(str(numbers.get(state, "")) for state in STATES)) for stage, numbers in progress.stages.items()]
    show_table(("stage", *STATES), rows, STATES)
    if progress.trainings:
        typer.echo("\nTrainings that have begun:")
        trainings.show(progress.trainings)
    waiting = [job for job in progress.queue if not job.is_running]
    parts = {
        "Running": [f"{job.folder}: {job.where}" for job in progress.running],
        "Waiting in Slurm's queue": [f"{job.number} {job.what}: {job.about}" for job in waiting],
        "Failed": [f"{job.folder}: {job.why} ({job.log})" for job in progress.failures],
        "Slurm does not answer": [progress.problem] if progress.problem else [],
    }
    for heading, lines in parts.items():
        if lines:
            typer.echo("\n  ".join([f"\n{heading}: {len(lines)}", *first_of(lines, LISTED)]))
