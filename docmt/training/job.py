"""The whole of stage 5 for one system and seed: from settings.json and a view to a model folder."""

import shutil
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import torch

from docmt.nn.device import DeviceName, choose_device
from docmt.training.checkpoint import StateFolder
from docmt.training.identity import claim_state, identity, remove_state
from docmt.training.listeners import Listener, Listeners
from docmt.training.loop import Training
from docmt.training.metrics import Events, Metrics
from docmt.training.outputs import METRICS, write_outputs
from docmt.training.settings import Paths, check_text, read_settings
from docmt.training.signals import StopRequest
from docmt.training.start import account
from docmt.training.task import Task, prepare


def train(paths: Paths, device: DeviceName, threads: int | None, listener: Listener) -> bool:
    """Train to the end: True; or until SIGTERM asks to stop: False, and the state folder holds a checkpoint.

    An interrupted training goes on from its newest valid checkpoint; a finished one leaves no state, so that the
    next call trains from the start. `threads`: none leaves torch's own number.
    Raises UserError for inputs that do not fit, for a state of another thread count, for a loss that is not finite.
    """
    where = choose_device(device)
    torch.set_num_threads(threads or torch.get_num_threads())
    settings = read_settings(paths)
    check_text(paths)
    with StopRequest() as stop:
        task = prepare(paths, settings, where)
        run = identity(settings.plain, paths.inputs(), where, torch.get_num_threads())
        claim_state(paths.state, run, listener.note)
        describe(task, listener)
        training = Training(task, StateFolder(paths.state, listener.note), stop)
        training.restore()
        if not follow(training, paths, listener):
            return False
        write_outputs(paths, settings, training)
        remove_state(paths.state)
    return True


def describe(task: Task, listener: Listener) -> None:
    """Say what is trained; where it starts from another model, which parameters are taken and which are new."""
    parameters = sum(parameter.numel() for parameter in task.model.parameters())
    listener.note(
        f"{task.model.config.kind}: {parameters:,} parameters, {len(task.rows):,} training segments, "
        f"{len(task.dev):,} for validation, {task.device.type}, threads {torch.get_num_threads()}"
    )
    for line in account(task.start):
        listener.note(line)


def follow(training: Training, paths: Paths, listener: Listener) -> bool:
    """Run, with the metrics written down; whether it came to its end."""
    update = training.status.update
    if update:
        listener.note(f"resuming from the checkpoint of update {update}")
    listeners = Listeners(listener, Metrics(paths.state / METRICS, update), *events(paths.output, update))
    try:
        finished = training.run(listeners)
    finally:
        listeners.close()
    if not finished:
        listener.note(f"asked to stop: checkpoint of update {training.status.update} written; run again to go on")
    return finished


def events(output: Path, update: int) -> Sequence[Listener]:
    """TensorBoard's listener, where tensorboard is installed; events of an earlier training go."""
    if find_spec("tensorboard") is None:
        return ()
    if update == 0:
        shutil.rmtree(output / "tensorboard", ignore_errors=True)
    return (Events(output / "tensorboard", update),)
