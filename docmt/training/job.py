"""The whole of stage 5 for one system and seed: from settings.json and a view to a model folder."""

import os
import platform
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import safetensors
import torch

import docmt
from docmt.base.artifacts import alone_in, atomic_file, atomic_folder, read_text, write_json
from docmt.base.columns import STOP_WORDS
from docmt.models.store import save_model
from docmt.nn.device import DeviceName, choose_device
from docmt.training.checkpoint import StateFolder, claim_state, identity, remove_state
from docmt.training.computing import MIB, Compiling, compiling, repeatable
from docmt.training.exit import Reason, forget_exit, now, write_exit
from docmt.training.failures import disk_full_named
from docmt.training.lease import Lease
from docmt.training.listeners import Listener, Listeners, Metrics, device_hours, events
from docmt.training.loop import Stopped, Training
from docmt.training.pace import JobOptions, StopRequest
from docmt.training.ranks import joined
from docmt.training.status import Validation, best, stop_reason
from docmt.training.task import Paths, Settings, Task, account, by_part, check_text, prepare, read_settings, record
from docmt.training.validate import Score
from docmt.training.watch import Watch, Watchdog, recorded

METRICS = "metrics.jsonl"
RECORD = "record.json"
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
        compiled = compiling(options.compiled, where, settings.train.batch_tokens)
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
    with alone_in(paths.state.parent):
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
    for line in account(task.start):
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


def write_outputs(
    paths: Paths, settings: Settings, training: Training, chosen: Validation, inputs: Mapping[str, str]
) -> None:
    """The model folder first, then the metrics and the record; each appears whole. See `make_record`.

    Raises Failure where the state folder is another training's.
    """
    training.count_time()
    training.state.check()
    with atomic_folder(paths.output / "model") as folder:
        save_model(folder, training.task.model, provenance(settings, chosen))
        shutil.copytree(paths.text, folder / "text")
        if paths.chains:
            shutil.copy(paths.chains / STOP_WORDS, folder / STOP_WORDS)
    training.state.check()
    with atomic_file(paths.output / METRICS) as stream:
        stream.write(read_text(paths.state / METRICS))
    write_json(paths.output / RECORD, make_record(settings, training, chosen, inputs))


def provenance(settings: Settings, chosen: Validation) -> dict[str, Any]:
    """What `model.json` says of where the weights came from."""
    names = ("system", "study", "corpus", "scale", "seed", "view", "init_from", "pretrained")
    return {
        **{name: settings.plain[name] for name in names},
        "update": chosen.update,
        "dev_loss": chosen.loss,
        "docmt": docmt.__version__,
        "torch": torch.__version__,
    }


def make_record(
    settings: Settings, training: Training, chosen: Validation, inputs: Mapping[str, str]
) -> dict[str, Any]:
    """What a training was and took.

    `chosen` is the validation of the weights that the model got, `inputs` the SHA-256 of every file that was read.
    Tokens are those of all updates, symbols included; tokens a second are by the time of updates alone. All random
    choices follow from `seed` (`docmt.training.computing`).
    """
    status, task, best_one = training.status, training.task, best(training.task.train, training.status.history)
    return {
        "system": settings.plain["system"],
        "seed": settings.seed,
        "updates": status.update,
        "epochs": status.epoch,
        "stop_rule": stop_reason(task.train, status),
        "best_update": best_one.update,
        "best_dev_loss": best_one.loss,
        "dev_loss": chosen.loss,
        "dev_perplexity": chosen.perplexity,
        "dev_bleu": chosen.bleu,
        "wall_s": status.wall_s,
        "device_hours": device_hours(status.wall_s, training.ranks.count),
        "source_tokens": status.source_tokens,
        "target_tokens": status.target_tokens,
        "source_tokens_per_s": status.source_tokens / status.train_s,
        "target_tokens_per_s": status.target_tokens / status.train_s,
        "inputs": dict(inputs),
        "versions": versions(),
        "commit": commit(),
        "hardware": hardware(task.device),
        "threads": torch.get_num_threads(),
        "device": task.device.type,
        "ranks": training.ranks.count,
        "compiled": training.compiling.backend is not None,
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "parameters": sum(parameter.numel() for parameter in task.model.parameters()),
        "frozen": list(task.frozen),
        **record(task.start),
        "finished": now(),
    }


def versions() -> dict[str, str]:
    return {
        "docmt": docmt.__version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
        "pyarrow": pa.__version__,
        "safetensors": safetensors.__version__,
        "cuda": torch.version.cuda,
        "cudnn": torch.backends.cudnn.version(),
    }


def commit() -> str | None:
    """The commit of the working copy that docmt runs from; none where it is installed otherwise, or git is missing."""
    command = ["git", "-C", str(Path(docmt.__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def hardware(device: torch.device) -> dict[str, Any]:
    """The machine, its processor, the cores that this process may use, and the GPU if one computes."""
    gpu = {}
    if device.type == "cuda":
        gpu = {"gpu": torch.cuda.get_device_name(device), "gpu_mib": torch.cuda.mem_get_info(device)[1] // MIB}
    cores, memory = len(os.sched_getaffinity(0)), os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {"host": platform.node(), "processor": processor(), "cores": cores, "memory_mib": memory // MIB, **gpu}


def processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()
