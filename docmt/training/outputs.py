"""The outputs of a finished training: the model folder, metrics.jsonl and record.json."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from docmt.base import machine
from docmt.base.artifacts import atomic_file, atomic_folder, copy_files, write_json
from docmt.base.columns import STOP_WORDS
from docmt.base.digests import FileDigest
from docmt.base.machine import MIB, hardware
from docmt.base.manifest import MANIFEST, Manifest, checked_bytes
from docmt.base.ragged import sums
from docmt.base.sealing import Seal
from docmt.base.version import VERSION
from docmt.base.vocabulary import CONTINUES, Vocabulary
from docmt.models.store import save_model
from docmt.nn.rows import Rows
from docmt.settings.pretrained import ROWS
from docmt.supervision import exit
from docmt.supervision.exit import Reason, write_exit
from docmt.training.batches import epoch_updates
from docmt.training.loop import Training
from docmt.training.metrics import EVENTS, METRICS, device_hours
from docmt.training.progress import Validation
from docmt.training.start import transfer_record
from docmt.training.status import best, chosen_updates, stop_reason
from docmt.training.task import Paths, Settings

AT_ONCE = 1 << 16
"""The number of instances whose ids are counted together, which limits the memory."""


def write_outputs(
    paths: Paths, settings: Settings, training: Training, chosen: Validation, run: Mapping[str, Any], seal: Seal
) -> None:
    """Write the model folder first, then the metrics, the record and the manifest; each is visible when it is complete.

    `chosen` is the validation of the model's weights. `run` is the definition of the run. `seal` writes the record and
    the manifest. Raises Failure where the state folder belongs to another training.
    """
    training.count_time()
    training.state.check()
    with atomic_folder(paths.output / "model") as folder:
        save_model(folder, training.task.model, provenance(settings, chosen))
        copy_files(paths.text, folder / "text")
        if paths.chains:
            with atomic_file(folder / STOP_WORDS, "wb") as stream:
                stream.write(checked_bytes(paths.chains / STOP_WORDS))
        write_json(folder / MANIFEST, model_manifest(folder).to_json())
    # Saving a model takes long, so another training may have taken the state folder meanwhile.
    training.state.check()
    with atomic_file(paths.output / METRICS) as stream:
        stream.writelines(training.status.lines)
    update = training.status.update
    write_exit(paths.output, Reason.FINISHED, update, f"finished after update {update}")
    events = nameless_events(paths.output / EVENTS)
    # The manifest is written last, since a training whose folder has a manifest counts as finished.
    words = source_words(paths.text, training)
    seal.close(make_record(settings, training, chosen, run, words), records=[METRICS, exit.FILE], events=events)


def nameless_events(folder: Path) -> list[Path]:
    """Return the files of events, after the name of the machine was taken out of their names.

    TensorBoard calls them `events.out.tfevents.<time>.<machine>.<process>.<number>`; people pass them on.
    """
    for path in folder.glob("events.out.tfevents.*"):
        parts = path.name.split(".")
        path.rename(path.with_name(".".join([*parts[:4], *parts[-2:]])))
    return sorted(folder.glob("*"))


def model_manifest(folder: Path) -> Manifest:
    """Return the manifest of a model folder by itself, which people copy and move without the rest of the training."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    digests = {file.relative_to(folder).as_posix(): FileDigest.of(file) for file in files}
    return Manifest(identity=None, step="train", files=digests)


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
    settings: Settings, training: Training, chosen: Validation, run: Mapping[str, Any], words: int
) -> dict[str, Any]:
    """Return the content of record.json: the training's settings, results, cost and environment.

    `chosen` is the validation of the model's weights, and `run` is the definition of the run. `words` is the number of
    source words of all updates. Numbers of tokens are sums over all updates, including special
    symbols; tokens and words per second are over the seconds of updates alone. All random choices follow from `seed`
    (`docmt.training.computing`).
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
        "model_updates": chosen_updates(task.train, status.history) or [status.update],
        "dev_loss": chosen.loss,
        "dev_perplexity": chosen.perplexity,
        "dev_bleu": chosen.bleu,
        "wall_s": status.wall_s,
        "device_hours": device_hours(status.wall_s, training.ranks.count),
        "source_words": words,
        "source_tokens": status.source_tokens,
        "target_tokens": status.target_tokens,
        "source_words_per_s": words / status.train_s,
        "source_tokens_per_s": status.source_tokens / status.train_s,
        "target_tokens_per_s": status.target_tokens / status.train_s,
        "inputs": run["inputs"],
        "versions": versions(),
        "hardware": training_hardware(task.device),
        "threads": run["threads"],
        "device": run["device"],
        "ranks": training.ranks.count,
        "batch_tokens": task.train.batch_tokens,
        "compiled": run["compiled"],
        "deterministic": run["deterministic"],
        "parameters": sum(parameter.numel() for parameter in task.model.parameters()),
        "frozen": list(task.frozen),
        **transfer_record(task.start),
    }


def versions() -> dict[str, str]:
    """Return the versions of docmt, of Python, and of the libraries on which the result depends."""
    return {
        **machine.versions(("numpy", "pyarrow", "safetensors")),
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "cudnn": torch.backends.cudnn.version(),
    }


def training_hardware(device: torch.device) -> dict[str, Any]:
    """Return the facts about the machine, and the GPU if it trains; memory is in MiB."""
    if device.type != "cuda":
        return hardware()
    gpu = {"gpu": torch.cuda.get_device_name(device), "gpu_mib": torch.cuda.mem_get_info(device)[1] // MIB}
    return {**hardware(), **gpu}


def source_words(text: Path, training: Training) -> int:
    """Return the number of source words of all updates so far; a word counts each time that it is trained on.

    `text` is the folder of the vocabularies. The instances of each update follow from the settings alone, so that
    nothing needs to be counted during the training.
    """
    task, status = training.task, training.status
    words = words_of_instances(text, task.rows)
    updates = epoch_updates(task.rows.target_tokens, task.train.tokens_per_update, task.seed, status.epoch)
    last_epoch = sum(int(words[instances].sum()) for instances in updates[: status.position])
    return status.epoch * int(words.sum()) + last_epoch


def words_of_instances(text: Path, rows: Rows) -> np.ndarray:
    """Return the number of source words of each instance; a piece that the vocabulary lacks counts as a word.

    A word of n pieces has n - 1 pieces with the mark `CONTINUES`.
    """
    pieces = Vocabulary.load(text / "vocabulary.source.txt").pieces
    has_mark = str.startswith if (text / ROWS.format(side="source")).is_file() else str.endswith
    counts = np.array([not has_mark(piece, CONTINUES) for piece in pieces], dtype=np.int64)
    parts = (rows.source_ids.take(slice(first, first + AT_ONCE)) for first in range(0, len(rows), AT_ONCE))
    return np.concatenate([sums(counts[part.flat()], part.lengths) for part in parts])
