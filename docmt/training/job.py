"""The job of stage 5 for one system, corpus and seed: from job.json and a view to a model folder."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import torch

from docmt.base.artifacts import folder_lock
from docmt.base.sealing import Seal, sealing
from docmt.nn.compiled import compile_parts
from docmt.nn.device import DeviceName, choose_device
from docmt.supervision.exit import Reason, disk_full_named, forget_exit, read_exit, write_exit
from docmt.supervision.lease import Lease
from docmt.supervision.ranks import joined
from docmt.supervision.stop import StopRequest
from docmt.supervision.watch import JobOptions, Watch
from docmt.supervision.watchdog import Watchdog, recorded
from docmt.training.batch_size import batch_tokens
from docmt.training.checkpoint import StateFolder, claim_state, remove_state, run_definition
from docmt.training.computing import is_slow, quantum, repeatable
from docmt.training.loop import Stopped, Training
from docmt.training.metrics import EVENTS, METRICS, Metrics, events
from docmt.training.outputs import write_outputs
from docmt.training.progress import Listener, Listeners, Validation
from docmt.training.start import by_part, transfer_summary
from docmt.training.status import chosen_updates
from docmt.training.task import Paths, Score, Settings, Task, check_text, prepare, read_settings

COMPILER = "inductor"
"""The backend of `torch.compile` for the parts of updates."""
REASON_TEXTS = {Reason.STOPPED: "asked to stop", Reason.DEADLINE: "the deadline is near"}


def train(
    paths: Paths,
    device: DeviceName,
    threads: int | None,
    listener: Listener,
    open_score: Callable[[], Score] | None = None,
    options: JobOptions | None = None,
    stop: StopRequest | None = None,
    end: float = math.inf,
) -> bool:
    """Train to the end and return True, or stop at a signal or the deadline, write a checkpoint and return False.

    An interrupted training continues from its newest valid checkpoint. A finished training leaves no state folder, so
    that the next call trains from the start. `threads` None means the number of threads that torch has chosen.
    `open_score` returns the function that scores translations of the dev set (`prepare`). `stop` is a StopRequest that
    receives signals already. `end` is the time of the deadline, by the clock of `time.monotonic`.

    Raises UserError for inputs that do not fit, for the state of another run, and for the failures of `Reason`.
    """
    options = options or JobOptions()
    where = choose_device(device)
    torch.set_num_threads(threads or torch.get_num_threads())
    settings = read_settings(paths)
    check_text(paths)
    lease = Lease(paths.output)
    watch = Watch(options, lease, stop, end)
    # The contexts end in reverse order: an exception first becomes a Failure, is then written to exit.json, and after
    # that the lease is given back.
    with (
        watch.stop,
        joined(where, watch.waiting) as ranks,
        sealing(paths.recipe, closes=False) as seal,
        repeatable(options.deterministic),
        lease,
        recorded(paths.state, watch, lease.is_held),
        lease.fenced(),
        disk_full_named(paths.state),
        Watchdog(paths.state, options.hang_minutes, watch, ranks.number, ranks.count, lease.is_held),
    ):
        with watch.waiting():
            # The first rank takes the lease for all ranks.
            lease.token = ranks.from_first(partial(lease.take, listener.note, lambda: watch.stop.requested))
        task = prepare(paths, settings, where, open_score)
        run = defined(paths, settings, where, options)
        if ranks.any_of(watch.reason_to_stop(ahead=None)):
            listener.note("asked to stop before training began: nothing was changed; run again")
            return False
        ended = ranks.from_first(partial(claim, paths, run))
        task = with_batch_size(task, ranks.from_first(lambda: batch_tokens(task, paths.state, ended)))
        rows = quantum(where, task.train.batch_tokens, options.compiled)
        describe(task, listener, rows if options.compiled else None)
        state = StateFolder(paths.state, listener.note, run, options.checkpoints, lease.check)
        training = Training(task, state, watch, ranks, rows)
        training.restore()
        with compile_parts(task.model, COMPILER if options.compiled else None):
            chosen = follow(training, paths, listener, lease)
        if chosen is None:
            return False
        ranks.from_first(partial(finish, paths, settings, training, chosen, run, seal))
    return True


def defined(paths: Paths, settings: Settings, where: torch.device, options: JobOptions) -> dict[str, Any]:
    """Return the definition of the run on a device."""
    how = torch.get_num_threads(), options.deterministic, options.compiled
    return run_definition(settings.plain, paths.inputs(), where, *how)


def with_batch_size(task: Task, tokens: int) -> Task:
    """Return the task with batches of at most so many target tokens."""
    return replace(task, train=replace(task.train, batch_tokens=tokens))


def claim(paths: Paths, run: dict[str, Any]) -> Reason | None:
    """Make the state folder that of this training; return why its last job ended, and forget it."""
    claim_state(paths.state, run)
    ended = read_exit(paths.state)
    forget_exit(paths.state)
    forget_exit(paths.output)
    return ended and ended.reason


def finish(
    paths: Paths, settings: Settings, training: Training, chosen: Validation, run: dict[str, Any], seal: Seal
) -> None:
    """Write the outputs, and then remove the state folder."""
    with disk_full_named(paths.output):
        write_outputs(paths, settings, training, chosen, run, seal)
    with folder_lock(paths.output.parent):
        training.state.check()
        # The state folder is removed last: a kill before that leaves a training that can be resumed.
        remove_state(paths.state)


def describe(task: Task, listener: Listener, compiled_rows: int | None) -> None:
    """Report the model, the data, and the parameters that are transferred or frozen.

    `compiled_rows`: streams have multiples of so many rows for compiled parts; None where no part is compiled.
    """
    parameters = sum(parameter.numel() for parameter in task.model.parameters())
    listener.note(
        f"{task.model.config.kind}: {parameters:,} parameters, {len(task.rows):,} training segments, "
        f"{len(task.dev):,} for validation, {task.device.type}, threads {torch.get_num_threads()}, "
        f"batches of up to {task.train.batch_tokens:,} target tokens"
    )
    if is_slow(task.device, task.train.precision):
        listener.note(
            "bf16 is slow on this processor, which has neither avx512_bf16 nor amx: fp32 would take less time"
        )
    if compiled_rows:
        listener.note(f"compiled: the first updates take long; streams are padded to multiples of {compiled_rows}")
    for line in transfer_summary(task.start):
        listener.note(line)
    if task.frozen:
        listener.note(f"frozen: {by_part(task.frozen)}")


def follow(training: Training, paths: Paths, listener: Listener, lease: Lease) -> Validation | None:
    """Run the training, write its metrics, choose the weights, and return the validation of these weights.

    Returns None where the training stopped before its end; the reason is then reported and in the state folder.
    """
    update = training.status.update
    if update:
        listener.note(f"resuming from the checkpoint of update {update}")
    training.ranks.from_first(lease.check)
    listeners = Listeners(listener)
    if training.ranks.is_first:
        metrics = Metrics(paths.state / METRICS, training.status, training.ranks.count, lease.is_held)
        curves = events(paths.output / EVENTS, training.status, listener.note)
        listeners = Listeners(listener, metrics, *curves)
    try:
        reason = training.run(listeners)
        if reason is Reason.FINISHED:
            tell_average(training, listener)
            return training.choose_weights()
    except Stopped as stop:
        reason = stop.reason
    finally:
        listeners.close()
    update = training.status.update
    to_come = ", its validation is to come" if training.next_work() == "validation" else ""
    message = f"{REASON_TEXTS[reason]}: checkpoint of update {update} written{to_come}; run again to go on"
    training.ranks.from_first(lease.check)
    listener.note(message)
    training.ranks.from_first(partial(write_exit, paths.state, reason, update, message))
    return None


def tell_average(training: Training, listener: Listener) -> None:
    """Report that the mean of the checkpoint rule is of fewer validations than the settings ask for."""
    train, count = training.task.train, len(chosen_updates(training.task.train, training.status.history))
    if "average" in train.checkpoint and count < train.average:
        listener.note(f"checkpoint {train.checkpoint}: mean of {count} validations, not {train.average}: no more exist")
