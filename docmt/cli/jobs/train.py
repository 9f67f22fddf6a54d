"""Job of stage 5: the training of one system with one seed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.base.artifacts import read_object
from docmt.base.errors import INTERRUPTED
from docmt.cli.options import MINUTES, MOST, Device, input_file, input_folder, output_folder
from docmt.cli.screen import say

if TYPE_CHECKING:
    from docmt.training.pace import JobOptions, StopRequest
    from docmt.training.task import Paths


Init = Annotated[Path | None, input_folder("model folder to start from (init_from)")]
Chains = Annotated[Path | None, input_folder("folder of stage 4 for the view: train.arrow, dev.arrow")]
Pretrained = Annotated[Path | None, input_folder("folder of a pretrained checkpoint to start from")]
Threads = Annotated[int | None, typer.Option(min=1, max=MOST, help="CPU threads; a resumed run needs the same")]
Ranks = Annotated[int, typer.Option(min=1, max=MOST, help="processes, each with a GPU or with --threads CPU threads")]
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
    typer.Option(min=0, max=MINUTES, help="minutes after which the job has to end; it saves a checkpoint before"),
]
SaveMinutes = Annotated[
    float, typer.Option(min=0, max=MINUTES, help="minutes between checkpoints, beside save_every_updates")
]
Checkpoints = Annotated[int, typer.Option(min=2, help="number of newest checkpoints that stay")]
HangMinutes = Annotated[
    float, typer.Option(min=0, max=MINUTES, help="minutes without progress after which the job ends; 0 = never")
]
SetAside = Annotated[
    bool, typer.Option("--set-aside", help="rename the state of other settings and start again, instead of refusing it")
]
Deterministic = Annotated[
    bool,
    typer.Option(
        "--deterministic",
        help="same bytes from the same seed on a GPU, more slowly; a resumed run needs it too",
    ),
]
Compiled = Annotated[
    bool,
    typer.Option("--compile/--no-compile", envvar="DOCMT_COMPILE", help="compile parts of updates"),
]


def train_system(
    settings: Annotated[Path, input_file("settings.json of the training")],
    view: Annotated[Path, input_folder("folder of the view: train.arrow, dev.arrow")],
    text: Annotated[Path, input_folder("folder text/ of stage 2: codes and vocabularies")],
    output: Annotated[Path, output_folder("folder for model/, metrics.jsonl, record.json")],
    state: Annotated[Path, output_folder("folder for checkpoints to resume from; removed at the end")],
    init: Init = None,
    chains: Chains = None,
    pretrained: Pretrained = None,
    device: Device = "auto",
    threads: Threads = None,
    ranks: Ranks = 1,
    nodes: Nodes = 1,
    node_rank: NodeRank = None,
    rendezvous: Rendezvous = None,
    deadline_minutes: DeadlineMinutes = None,
    save_minutes: SaveMinutes = 30,
    checkpoints: Checkpoints = 2,
    hang_minutes: HangMinutes = 30,
    set_aside: SetAside = False,
    deterministic: Deterministic = False,
    compiled: Compiled = False,
) -> None:
    """Train a system, or continue an interrupted training.

    SIGTERM, SIGUSR1, Ctrl-C and a near deadline write a checkpoint after the present update, or batch of a validation,
    and end with status 75: run the command again to continue. Ctrl-C again ends at once, with status 130, and the last
    checkpoint stays. Status 70 means no progress; the state folder then has the stack of every thread. exit.json there
    has the reason.
    """
    from docmt.cli.gpus import take_gpus
    from docmt.training.pace import JobOptions, Pace, StopRequest

    options = JobOptions(deadline_minutes, hang_minutes, save_minutes, checkpoints, set_aside, deterministic, compiled)
    with interruptible(), StopRequest() as stop:
        # A damaged file of settings is refused before torch is imported, which takes a second or more.
        read_object(settings)
        locks = take_gpus(device, ranks, stop, Pace(options).is_over) if nodes == 1 else ()
        if max(ranks, nodes) > 1 and "RANK" not in os.environ:
            from docmt.training.launch import launch, launch_on_nodes
            from docmt.training.node import this_node

            if nodes == 1:
                raise typer.Exit(launch(ranks, stop, locks))
            node = this_node(nodes, node_rank, rendezvous)
            raise typer.Exit(launch_on_nodes(node, ranks, stop, state, deadline_minutes))

        from docmt.training.exit import RESUMABLE
        from docmt.training.task import Paths

        paths = Paths(settings, view, text, output, state, init, chains, pretrained)
        if not train_here(paths, device, threads, options, stop):
            raise typer.Exit(RESUMABLE)


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise typer.Exit with status 130 for a KeyboardInterrupt in the block; the first rank prints one line."""
    try:
        yield
    except KeyboardInterrupt as problem:
        if os.environ.get("RANK", "0") == "0":
            say(f"docmt: {problem}" if str(problem) else "docmt: interrupted")
        raise typer.Exit(INTERRUPTED) from None


def train_here(
    paths: "Paths", device: str, threads: int | None, options: "JobOptions", stop: "StopRequest | None" = None
) -> bool:
    """Run the training, or this rank's share of the training, in this process; return whether it is finished."""
    from docmt.api.dev_bleu import dev_bleu
    from docmt.cli.live import training_progress
    from docmt.training.job import train as train_system
    from docmt.training.listeners import Listeners
    from docmt.training.ranks import is_first

    listener = training_progress(paths.settings) if is_first() else Listeners()
    try:
        return train_system(paths, device, threads, listener, partial(dev_bleu, paths.text), options, stop)
    finally:
        listener.close()
