"""`docmt job STEP FOLDER`: the job of a step, which reads the recipe in its folder and nothing else."""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Annotated

import typer

from docmt.base.checks import MOST_MINUTES
from docmt.base.errors import UserError
from docmt.base.recipe import Resources, read_recipe, root_of
from docmt.cli.options import MOST, Device

Folder = Annotated[
    Path, typer.Argument(help="folder of the job, which has its job.json, or this file", metavar="FOLDER")
]
Threads = Annotated[
    int | None,
    typer.Option(min=1, max=MOST, help="CPU threads or processes [default: one for each core]"),
]
Ranks = Annotated[int, typer.Option(min=1, max=MOST, help="processes of a training, each with a GPU or its threads")]
Nodes = Annotated[
    int, typer.Option(min=1, max=MOST, help="nodes that share the ranks; the command is started once on each of them")
]
NodeRank = Annotated[
    int | None, typer.Option(min=0, max=MOST, help="number of this node, from 0 [default: that of srun]")
]
Rendezvous = Annotated[
    str | None,
    typer.Option(
        metavar="HOST:PORT", help="where the first node waits for the others [default: as srun numbers nodes]"
    ),
]
DeadlineMinutes = Annotated[
    float | None,
    typer.Option(min=0, max=MOST_MINUTES, help="minutes after which a training has to end; it saves a checkpoint"),
]
Part = Annotated[str, typer.Option(help="part of a divided job: tokenised.2of8", show_default=False)]


def command_of(step: str) -> Callable[..., None]:
    """Return the function of the command of a step."""

    def run(
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
        from docmt.steps import get_step

        if root_of(folder).resolve() != Path.cwd():
            remedy = f"run it in the folder {root_of(folder)}"
            raise UserError("the job of another folder than this one", where=str(folder), remedy=remedy)
        of_job = get_step(step)
        check_part(of_job.parts, part)
        recipe = read_recipe(folder, step)
        recipe.check_roles()
        resources = Resources(device, threads, ranks, nodes, node_rank, rendezvous, deadline_minutes, part)
        of_job.run(recipe, resources)

    return run


def check_part(parts: Collection[str], part: str) -> None:
    """Raise UserError for the name of a part that is not among those of a divided job."""
    if part and part.partition(".")[0] not in parts:
        expected = ", ".join(f"{name}.2of8" for name in parts) or "none: the jobs of this step have no parts"
        raise UserError("not a part of this job", where="--part", found=part, expected=expected)
