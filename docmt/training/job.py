"""The whole of stage 5 for one system and seed: from settings.json and a view to a model folder."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch

from docmt.base.artifacts import folder_lock
from docmt.nn.device import DeviceName, choose_device
from docmt.training.checkpoint import StateFolder, claim_state, identity, remove_state
from docmt.training.computing import Compiling, choose_compiling, repeatable
from docmt.training.exit import Reason, forget_exit, write_exit
from docmt.training.failures import disk_full_named
from docmt.training.lease import Lease
from docmt.training.listeners import Listener, Listeners, Metrics, events
from docmt.training.loop import Stopped, Training
from docmt.training.outputs import METRICS, write_outputs
from docmt.training.pace import JobOptions, StopRequest
from docmt.training.ranks import joined
from docmt.training.status import Validation
from docmt.training.task import Paths, Settings, Task, by_part, check_text, prepare, read_settings, transfer_summary
from docmt.training.validate import Score
from docmt.training.watch import Watch, Watchdog, recorded

SAID = {Reason.STOPPED: "asked to stop", Reason.DEADLINE: "the deadline is near"}


def train(
    paths: Paths,
    device: DeviceName,
    threads: int | None,
    listener: Listener,
    open_score: Callable[[], Score] | None = None,
    options: JobOptions | None = None,
    stop: StopRequest | None = None,
) -> bool:
    """Train to the end: True; or until a signal or the deadline: False, and the state folder holds a checkpoint.

    An interrupted training goes on from its newest valid checkpoint; a finished one leaves no state, so that the
    next call trains from the start. `threads`: none leaves torch's own number. `open_score`: see `prepare`. `stop`:
    what hears signals already.
    Raises UserError for inputs that do not fit, for another run's state, and for failures that have a name (`Reason`).
    """
    options = options or JobOptions()
    where = choose_device(device)
    torch.set_num_threads(threads or torch.get_num_threads())
    settings = read_settings(paths)
    check_text(paths)
    watch = Watch(options, stop=stop)
    with (
        watch.stop,
        joined(where, watch.waiting) as ranks,
        repeatable(options.deterministic),
        Lease(paths.state) as lease,
        recorded(paths.state, watch, lease.may_record),
        lease.fenced(),
        disk_full_named(paths.state),
        Watchdog(paths.state, options.hang_minutes, watch, ranks.number, ranks.count, lease.may_record),
    ):
        task = prepare(paths, settings, where, open_score)
        compiled = choose_compiling(options.compiled, where, settings.train.batch_tokens)
        how = torch.get_num_threads(), options.deterministic, compiled.backend is not None
        run = identity(settings.plain, paths.inputs(), where, *how)
        if ranks.any_of(watch.reason_to_stop(ahead=None)):
            listener.note("asked to stop before training began: nothing was changed; run again")
            return False
        lease.token = ranks.from_first(partial(claim, paths, run, listener, options, watch, lease))
        describe(task, listener, compiled)
        state = StateFolder(paths.state, listener.note, run, options.checkpoints, lease.check)
        training = Training(task, state, watch, ranks, compiled)
        training.restore()
        chosen = follow(training, paths, listener, lease)
        if chosen is None:
            return False
        ranks.from_first(partial(finish, paths, settings, training, chosen, run))
    return True


def claim(
    paths: Paths, run: dict[str, Any], listener: Listener, options: JobOptions, watch: Watch, lease: Lease
) -> str:
    """Make the state folder this run's, and this training's alone, as long as it is alive; the lease's token."""
    own = partial(claim_state, paths.state, run, listener.note, options.set_aside)
    token = lease.take(own, listener.note, watch.reason_to_give_up)
    watch.keep(lease)
    forget_exit(paths.state)
    forget_exit(paths.output)
    return token


def finish(paths: Paths, settings: Settings, training: Training, chosen: Validation, run: dict[str, Any]) -> None:
    """Leave the outputs in the place of the state."""
    with disk_full_named(paths.output):
        write_outputs(paths, settings, training, chosen, run["inputs"])
    update = training.status.update
    with folder_lock(paths.state.parent):
        training.state.check()
        write_exit(paths.output, Reason.FINISHED, update, f"finished after update {update}")
        remove_state(paths.state)


def describe(task: Task, listener: Listener, compiled: Compiling) -> None:
    """Say what is trained; where it starts from another model, how many parameters are taken and how many new."""
    parameters = sum(parameter.numel() for parameter in task.model.parameters())
    listener.note(
        f"{task.model.config.kind}: {parameters:,} parameters, {len(task.rows):,} training segments, "
        f"{len(task.dev):,} for validation, {task.device.type}, threads {torch.get_num_threads()}"
    )
    if compiled.backend is not None:
        listener.note(f"compiled: the first updates take long; streams are padded to multiples of {compiled.quantum}")
    for line in transfer_summary(task.start):
        listener.note(line)
    if task.frozen:
        listener.note(f"frozen: {by_part(task.frozen)}")


def follow(training: Training, paths: Paths, listener: Listener, lease: Lease) -> Validation | None:
    """Run, with the metrics written down, and choose the weights; their validation.

    None where it did not come to its end: screen and state folder are told why.
    """
    update = training.status.update
    if update:
        listener.note(f"resuming from the checkpoint of update {update}")
    training.ranks.from_first(lease.check)
    own = files(training, paths, lease, listener.note) if training.ranks.is_first else ()
    listeners = Listeners(listener, *own)
    try:
        reason = training.run(listeners)
        if reason is Reason.FINISHED:
            return training.choose_weights()
    except Stopped as stop:
        reason = stop.reason
    finally:
        listeners.close()
    update = training.status.update
    to_come = ", its validation is to come" if training.next_work() == "validation" else ""
    message = f"{SAID[reason]}: checkpoint of update {update} written{to_come}; run again to go on"
    training.ranks.from_first(lease.check)
    listener.note(message)
    training.ranks.from_first(partial(write_exit, paths.state, reason, update, message))
    return None


def files(training: Training, paths: Paths, lease: Lease, note: Callable[[str], None]) -> Sequence[Listener]:
    """What writes the course of a training down."""
    status = training.status
    metrics = Metrics(paths.state / METRICS, status, training.ranks.count, lease.is_held)
    return metrics, *events(paths.output / "tensorboard", status, note)
