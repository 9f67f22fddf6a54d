"""Stage 5: the training of a system with one seed, until a stop rule.

No rule declares the checkpoints, so that a job that was killed or preempted continues from its last one.
"""

import dataclasses
import math
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from docmt.base.artifacts import SCRATCH
from docmt.base.errors import INTERRUPTED, TRY_AGAIN, check_known
from docmt.base.parse import parse
from docmt.base.paths import TRAINING
from docmt.base.plugins import plugin_file
from docmt.base.recipe import Recipe, Resources
from docmt.base.screen import say
from docmt.grid.grid import Grid
from docmt.grid.markers import given
from docmt.settings.models import MODELS
from docmt.settings.pretrained import check_model, checkpoint_files, files_by_role
from docmt.settings.train import CHANGEABLE
from docmt.steps.of_grid import data_of, is_of_user, random_input, run_names, text_settings, training_of, view_inputs
from docmt.steps.step import Inputs, Names, step_of
from docmt.supervision.gpus import take_gpus
from docmt.supervision.launch import launch, launch_by_slurm, launch_on_nodes
from docmt.supervision.node import ON_EACH_NODE, this_node
from docmt.supervision.stop import StopRequest
from docmt.supervision.watch import JobOptions

COMPILE = "DOCMT_COMPILE"  # The variable of the environment by which parts of updates are compiled.
# The values of the variable.
SWITCHES = {"": False, "0": False, "false": False, "no": False, "off": False, "1": True, "true": True, "yes": True}
# The hints that every job may have; those of a training beside them are its `JobOptions`.
OF_RUN = ("minutes", "gpus", "device", "fetch", "give", "knobs")


def settings(grid: Grid, names: Names) -> dict[str, Any]:
    """Return the settings of a training, with the folder of the trained system whose model it starts from."""
    entry = grid.with_model(names["corpus"], names["system"])
    config, start = entry.system, grid.started_from(entry)
    return {
        **run_names(grid, entry, names),
        "init_from": start.trained if start else None,
        "pretrained": given(config.pretrained),
        "text": {"name": config.text, **text_settings(grid, config.text)},
        "view": dataclasses.asdict(config.view),
        **{section: dataclasses.asdict(getattr(config, section)) for section in ("model", "train")},
    }


def inputs(grid: Grid, names: Names) -> Inputs:
    """Return the view, the text, the chains if the model reads them, and the start of a training."""
    entry = grid.with_model(names["corpus"], names["system"])
    roles = {**view_inputs(grid, entry), "tokens": ("tokens", data_of(grid, entry))}
    start = grid.started_from(entry)
    if start:
        roles["init"] = training_of(grid, start, names)
    return Inputs(roles | random_input("checkpoint", "checkpoint", entry.system.pretrained))


def files(grid: Grid, names: Names) -> dict[str, Path]:
    """Return the checkpoint that a training starts from, which must match the model, and the file of a plugin."""
    system = grid.with_model(names["corpus"], names["system"]).system
    source = plugin_file(MODELS[system.model.kind].model.partition(":")[0])
    of_plugin = {} if source is None else {"plugin/model": source}
    if not is_of_user(grid, system.pretrained):
        return of_plugin
    check_model(system.model, system.pretrained)
    return files_by_role("pretrained", checkpoint_files(system.pretrained)) | of_plugin


def run(recipe: Recipe, resources: Resources) -> None:
    """Train a system, or continue an interrupted training.

    SIGTERM, SIGUSR1, Ctrl-C and a near deadline write a checkpoint after the present update, or batch of a validation,
    and end with status 75: run the command again to continue. Ctrl-C again ends at once, with status 130, and the last
    checkpoint stays. Status 70 means no progress; `scratch/` then has the stack of every thread. exit.json there
    has the reason.
    """
    options, minutes = options_of(recipe), resources.deadline_minutes
    end = math.inf if minutes is None else time.monotonic() + 60 * minutes
    with interruptible(), StopRequest() as stop:
        ranks, nodes = resources.ranks, resources.nodes
        locks = take_gpus(resources.device, ranks, stop, end) if nodes == 1 else ()
        if max(ranks, nodes) > 1 and "RANK" not in os.environ:
            if nodes == 1:
                raise SystemExit(launch(ranks, stop, end, locks))
            if resources.node_rank is None and resources.rendezvous is None and ON_EACH_NODE not in os.environ:
                raise SystemExit(launch_by_slurm(nodes, stop, end))
            node = this_node(nodes, resources.node_rank, resources.rendezvous)
            raise SystemExit(launch_on_nodes(node, ranks, stop, end, recipe.folder / SCRATCH))
        if not train_here(recipe, resources, options, stop, end):
            raise SystemExit(TRY_AGAIN)


def options_of(recipe: Recipe) -> JobOptions:
    """Return the options of a training on which no result depends. Raises UserError for a hint that it refuses."""
    switch = os.environ.get(COMPILE, "").lower()
    check_known("value", switch, SWITCHES, COMPILE)
    hints = {name: value for name, value in recipe.hints.items() if name not in OF_RUN}
    return parse(JobOptions, {"compiled": SWITCHES[switch], **hints}, str(recipe.path), ("hints",))


@contextmanager
def interruptible() -> Iterator[None]:
    """Exit with status 130 for a KeyboardInterrupt in the block; the first rank prints one line."""
    try:
        yield
    except KeyboardInterrupt as problem:
        if os.environ.get("RANK", "0") == "0":
            say(f"docmt: {problem}" if str(problem) else "docmt: interrupted")
        raise SystemExit(INTERRUPTED) from None


def train_here(recipe: Recipe, resources: Resources, options: JobOptions, stop: StopRequest, end: float) -> bool:
    """Run the training, or this rank's share of the training, in this process; return whether it is finished."""
    from docmt.trained.dev_bleu import dev_bleu
    from docmt.training.job import train
    from docmt.training.live import training_progress
    from docmt.training.progress import Listeners
    from docmt.training.task import Paths

    # The settings are checked when the training reads them; the total is for the eye alone.
    is_first, total = os.environ.get("RANK", "0") == "0", recipe.settings.get("train", {}).get("max_updates")
    listener = training_progress(total) if is_first else Listeners()
    try:
        paths = Paths.of(recipe)
        score = partial(dev_bleu, paths.text)
        return train(paths, resources.device, resources.threads, listener, score, options, stop, end)
    finally:
        listener.close()


STEP = step_of(
    __name__,
    folder=TRAINING,
    version=11,
    code=("docmt/training", "docmt/models", "docmt/trained/dev_bleu.py"),
    writes=("exit.json", "metrics.jsonl", "model/*", "tensorboard/*"),
    knobs=lambda settings: [f"train.{name}" for name in CHANGEABLE],
)
