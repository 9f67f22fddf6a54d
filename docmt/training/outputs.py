"""The outputs of a finished training: the model folder, metrics.jsonl and record.json."""

import os
import platform
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import safetensors
import torch

from docmt.base.artifacts import atomic_file, atomic_folder, read_text, write_json
from docmt.base.columns import STOP_WORDS
from docmt.base.version import VERSION
from docmt.models.store import save_model
from docmt.training.computing import MIB
from docmt.training.exit import now
from docmt.training.listeners import device_hours
from docmt.training.loop import Training
from docmt.training.rules import best, stop_reason
from docmt.training.status import Validation
from docmt.training.task import Paths, Settings, transfer_record

METRICS = "metrics.jsonl"
"""Name of the file of metrics, in the state folder and in the output folder."""
RECORD = "record.json"
"""Name of the file that describes a finished training."""


def write_outputs(
    paths: Paths, settings: Settings, training: Training, chosen: Validation, inputs: Mapping[str, str]
) -> None:
    """Write the model folder first, then the metrics and the record; none is visible before it is complete.

    `chosen` is the validation of the model's weights. `inputs` has the SHA-256 of every input file by name. Raises
    Failure where the state folder belongs to another training.
    """
    training.count_time()
    training.state.check()
    with atomic_folder(paths.output / "model") as folder:
        save_model(folder, training.task.model, provenance(settings, chosen))
        shutil.copytree(paths.text, folder / "text")
        if paths.chains:
            shutil.copy(paths.chains / STOP_WORDS, folder / STOP_WORDS)
    # Saving a model takes long, so another training may have taken the state folder meanwhile.
    training.state.check()
    with atomic_file(paths.output / METRICS) as stream:
        stream.write(read_text(paths.state / METRICS))
    # The record is written last, since a training whose folder has a record counts as finished.
    write_json(paths.output / RECORD, make_record(settings, training, chosen, inputs))


def provenance(settings: Settings, chosen: Validation) -> dict[str, Any]:
    """Return the fields of `model.json` that describe the origin of the weights."""
    names = ("system", "study", "corpus", "scale", "seed", "view", "init_from", "pretrained")
    return {
        **{name: settings.plain[name] for name in names},
        "update": chosen.update,
        "dev_loss": chosen.loss,
        "docmt": VERSION,
        "torch": torch.__version__,
    }


def make_record(
    settings: Settings, training: Training, chosen: Validation, inputs: Mapping[str, str]
) -> dict[str, Any]:
    """Return the content of record.json: the training's settings, results, cost and environment.

    `chosen` is the validation of the model's weights, and `inputs` has the SHA-256 of every input file by name. Numbers
    of tokens are sums over all updates, including special symbols; tokens per second are over the seconds of updates
    alone. All random choices follow from `seed` (`docmt.training.computing`).
    """
    status, task, best_validation = training.status, training.task, best(training.task.train, training.status.history)
    return {
        "system": settings.plain["system"],
        "seed": settings.seed,
        "updates": status.update,
        "epochs": status.epoch,
        "stop_rule": stop_reason(task.train, status),
        "best_update": best_validation.update,
        "best_dev_loss": best_validation.loss,
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
        **transfer_record(task.start),
        "finished": now(),
    }


def versions() -> dict[str, str]:
    """Return the versions of docmt, of Python, and of the libraries on which the result depends."""
    return {
        "docmt": VERSION,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
        "pyarrow": pa.__version__,
        "safetensors": safetensors.__version__,
        "cuda": torch.version.cuda,
        "cudnn": torch.backends.cudnn.version(),
    }


def commit() -> str | None:
    """Return the commit of the git checkout that docmt runs from.

    The commit is None where docmt does not run from a checkout, or git is missing.
    """
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def hardware(device: torch.device) -> dict[str, Any]:
    """Return the machine, its processor and memory, the number of cores for this process, and the GPU if it trains.

    Memory is in MiB.
    """
    gpu = {}
    if device.type == "cuda":
        gpu = {"gpu": torch.cuda.get_device_name(device), "gpu_mib": torch.cuda.mem_get_info(device)[1] // MIB}
    cores, memory = len(os.sched_getaffinity(0)), os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {"host": platform.node(), "processor": processor(), "cores": cores, "memory_mib": memory // MIB, **gpu}


def processor() -> str:
    """Return the model name of the processor, or the machine type where the system does not report a model name."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()
