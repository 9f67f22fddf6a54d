"""What a finished training leaves: the model folder, metrics.jsonl, record.json."""

import shutil
from datetime import UTC, datetime
from typing import Any

import torch

import docmt
from docmt.core.artifacts import atomic_file, atomic_folder, write_json
from docmt.core.documents import STOP_WORDS
from docmt.models.store import save_model
from docmt.training.loop import Training
from docmt.training.record import commit, hardware, versions
from docmt.training.selection import best
from docmt.training.settings import Paths, Settings
from docmt.training.start import record
from docmt.training.status import Validation

METRICS = "metrics.jsonl"
RECORD = "record.json"


def write_outputs(paths: Paths, settings: Settings, training: Training) -> None:
    """The model folder first, then the metrics and the record; each appears whole."""
    chosen = training.choose_weights()
    training.count_time()
    with atomic_folder(paths.output / "model") as folder:
        save_model(folder, training.task.model, provenance(settings, chosen))
        shutil.copytree(paths.text, folder / "text")
        if paths.chains:
            shutil.copy(paths.chains / STOP_WORDS, folder / STOP_WORDS)
    with atomic_file(paths.output / METRICS) as stream:
        stream.write((paths.state / METRICS).read_text(encoding="utf-8"))
    write_json(paths.output / RECORD, make_record(settings, training, chosen))


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


def make_record(settings: Settings, training: Training, chosen: Validation) -> dict[str, Any]:
    """`chosen` is the validation of the weights that the model got; tokens a second are those of updates alone."""
    status, task = training.status, training.task
    return {
        "system": settings.plain["system"],
        "seed": settings.seed,
        "updates": status.update,
        "epochs": status.epoch,
        "best_update": best(status.history).update,
        "best_dev_loss": best(status.history).loss,
        "dev_loss": chosen.loss,
        "dev_perplexity": chosen.perplexity,
        "wall_s": status.wall_s,
        "source_tokens_per_s": status.source_tokens / status.train_s,
        "target_tokens_per_s": status.target_tokens / status.train_s,
        "versions": versions(),
        "commit": commit(),
        "hardware": hardware(task.device),
        "threads": torch.get_num_threads(),
        "device": task.device.type,
        "parameters": sum(parameter.numel() for parameter in task.model.parameters()),
        **record(task.start),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
    }
