"""What a finished training leaves: the model folder, metrics.jsonl, record.json."""

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
RECORD = "record.json"


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
        "docmt": VERSION,
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
        **transfer_record(task.start),
        "finished": now(),
    }


def versions() -> dict[str, str]:
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
    """The commit of the working copy that docmt runs from; none where it is installed otherwise, or git is missing."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
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
