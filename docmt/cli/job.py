"""`docmt job FOLDER`: a job of the workflow, which reads the recipe in its folder and nothing else."""

import os
import sys
import traceback
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from docmt.base.artifacts import read_object
from docmt.base.checks import MOST_MINUTES
from docmt.base.errors import INTERRUPTED, UserError
from docmt.base.foreign import explained
from docmt.base.manifest import MANIFEST, RECORD, read_record
from docmt.base.parent import VARIABLE as OF_RUN
from docmt.base.recipe import JOB, Recipe, Resources, root_of
from docmt.base.screen import TOLD, say
from docmt.cli.options import MOST, Device
from docmt.steps import read_job
from docmt.steps.download import STEP as DOWNLOAD
from docmt.steps.download import download
from docmt.store.store import fetch, give

Folder = Annotated[Path, typer.Argument(help="folder of the job, which has its job.json", metavar="FOLDER")]
Threads = Annotated[
    int | None,
    typer.Option(min=1, max=MOST, help="CPU threads or processes [default: one for each core]"),
]
Ranks = Annotated[int, typer.Option(min=1, max=MOST, help="processes of a training, each with a GPU or its threads")]
Nodes = Annotated[
    int,
    typer.Option(
        min=1, max=MOST, help="nodes that share the ranks; in a job of Slurm the command starts itself on each"
    ),
]
NodeRank = Annotated[int | None, typer.Option(min=0, max=MOST, help="number of this node, from 0, without Slurm")]
Rendezvous = Annotated[
    str | None,
    typer.Option(metavar="HOST:PORT", help="where the first node waits for the others, without Slurm"),
]
DeadlineMinutes = Annotated[
    float | None,
    typer.Option(min=0, max=MOST_MINUTES, help="minutes after which a training has to end; it saves a checkpoint"),
]
Part = Annotated[
    str,
    typer.Option(help="part of a divided job: tokenised.2of8, or the name of a file to download", show_default=False),
]


def job(
    folder: Folder,
    device: Device = "auto",
    threads: Threads = None,
    ranks: Ranks = 1,
    nodes: Nodes = 1,
    node_rank: NodeRank = None,
    rendezvous: Rendezvous = None,
    deadline_minutes: DeadlineMinutes = None,
    part: Part = "",
) -> None:
    """Do the job of a folder, as the rules of the workflow do.

    The workflow has written its recipe, job.json, which names the step; call the command in the folder that has
    `results/`. A job that is finished ends at once. If another process does the job, the command waits for it.
    """
    if root_of(folder).resolve() != Path.cwd():
        remedy = f"cd {root_of(folder)}, and call it again"
        raise UserError("docmt job has to be called in the folder that has results/", where=str(folder), remedy=remedy)
    if read_object(folder / JOB, "step")["step"] == DOWNLOAD:
        download(folder, part)
        return
    run_job(folder, Resources(device, threads, ranks, nodes, node_rank, rendezvous, deadline_minutes, part))


def run_job(folder: Path, resources: Resources) -> None:
    """Do a job, unless it is finished; where another process does it, wait for that one."""
    from docmt.supervision.lease import leased

    recipe, known = read_job(folder)
    check_part(known.parts, resources.part)
    if resources.device == "auto":
        resources = replace(resources, device=recipe.hints.get("device", "auto"))
    # The ranks and the further nodes of a training work for a process that has the lease.
    if resources.part or resources.node_rank or "RANK" in os.environ or "DOCMT_ON_EACH_NODE" in os.environ:
        known.run(recipe, resources)
        return
    with logged(folder), leased(folder, lambda: is_done(recipe), say) as has_lease:
        if not has_lease or is_done(recipe):
            say(f"docmt: {folder} is finished already")
            return
        if "fetch" in recipe.hints and not recipe.again:
            fetch(recipe, known.can_write)
            return
        known.run(recipe, resources)
        if "give" in recipe.hints:
            give_or_tell(recipe)


def check_part(parts: Collection[str], part: str) -> None:
    """Raise UserError for the name of a part that is not among those of a divided job."""
    if part and part.partition(".")[0] not in parts:
        expected = ", ".join(f"{name}.2of8" for name in parts) or "none: the jobs of this step have no parts"
        raise UserError("not a part of this job", where="--part", found=part, expected=expected)


def give_or_tell(recipe: Recipe) -> None:
    """Give the outputs of a job to the store; a problem with the store is told, and fails no job."""
    try:
        give(recipe)
    except UserError as problem:
        say(f"docmt: not given to the store: {problem}")


def is_done(recipe: Recipe) -> bool:
    """Return whether the outputs of a job are there, and made by the run that wants them again, if any does."""
    if not (recipe.folder / MANIFEST).is_file():
        return False
    return not recipe.again or read_record(recipe.folder / RECORD).get("again") == recipe.again


@contextmanager
def logged(folder: Path) -> Iterator[None]:
    """Write what the block prints into a file of this attempt, the message of an error too, which the caller prints.

    A person who calls the command on a terminal, by hand, sees it there instead.
    """
    if os.isatty(2) and OF_RUN not in os.environ:
        yield
        return
    number = 1 + max((int(path.suffixes[0][1:]) for path in folder.glob("log.*.txt")), default=0)
    output, screen = os.dup(1), os.dup(2)
    log = os.open(folder / f"log.{number}.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    os.dup2(log, 1)
    os.dup2(log, 2)
    try:
        yield
    except KeyboardInterrupt:
        sys.stdout.flush()
        say("interrupted")
        if TOLD in os.environ:
            raise typer.Exit(INTERRUPTED) from None
        raise
    except Exception as problem:
        error = explained(problem)
        if error is None:
            traceback.print_exc()
        else:
            say(f"docmt: {error}")
        if TOLD in os.environ:
            raise typer.Exit(1 if error is None else error.status) from None
        os.write(screen, f"docmt: {folder} failed; its log is {folder}/log.{number}.txt\n".encode())
        raise
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os.dup2(output, 1)
        os.dup2(screen, 2)
        for descriptor in (output, screen, log):
            os.close(descriptor)
