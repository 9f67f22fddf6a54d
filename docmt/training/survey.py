"""A survey of all trainings of a results folder, read from the files that they write; it locks and writes nothing.

A training with a state folder is
  stopped or failed  where the state folder has an `exit.json`, whose reason decides between the two;
  running            where the process of `process.json` exists or, if this machine cannot know that, where any file of
                     the state folder was written in the last `FRESH_S` seconds;
  killed             otherwise.

A training without a state folder is finished where it has a `record.json`; otherwise there is no training.
"""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from docmt.base.artifacts import as_object, read_json_lines, read_object_if_there
from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.base.paths import RESULTS, TRAINING
from docmt.training import exit
from docmt.training.exit import CLAIM
from docmt.training.lease import read_holder

State = Literal["running", "finished", "stopped", "killed", "failed"]
"""The state of a training, as the module's docstring defines it."""
STATES: tuple[State, ...] = ("running", "failed", "killed", "stopped", "finished")
"""All states, in the order of the table of `docmt list-trainings`."""
FRESH_S = 900.0
"""Seconds within which a running training writes a file: longer than an update, or a validation that translates the
dev set, should take."""
STOPPED = (exit.Reason.STOPPED, exit.Reason.DEADLINE)
"""Reasons after which the state of a training is `stopped`; after any other reason it is `failed`."""
PACE_LINES = 50
"""Number of lines of metrics.jsonl over which the time of an update is averaged, including the time of validations."""


@dataclass(frozen=True)
class TrainingState:
    """A training of the results folder; a value of None is not known, or not known yet."""

    scale: str
    corpus: str
    system: str
    seed: str
    state: State
    reason: str = ""
    """The reason why the training stopped or failed; empty otherwise."""
    update: int = 0
    max_updates: int | None = None
    loss: float | None = None
    """The loss in the newest line of updates, in nats per target token."""
    dev: float | None = None
    """The loss of the newest validation, or its BLEU where `select_by` is `bleu`."""
    best: float | None = None
    """The best loss, or BLEU, of all validations."""
    target_tokens_per_s: float | None = None
    left_s: float | None = None
    """Estimated seconds to the end, for a running training with a limit of updates."""
    device_hours: float | None = None


def survey(results: Path) -> list[TrainingState]:
    """Return all trainings below `results`, sorted by state in the order of `STATES`, then by name of folder."""
    roots = (results / TRAINING.stage, _states(results))
    folders = {folder.relative_to(root) for root in roots for folder in _seeds(root)}
    states = [training_state(results, folder) for folder in sorted(folders)]
    return sorted((training for training in states if training), key=lambda training: STATES.index(training.state))


def hours_used(results: Path) -> tuple[float, dict[str, float]]:
    """Return the device-hours of all finished trainings below `results`, and those of each other one by its folder.

    Folders are as the workflow names them, relative to the folder of `results/`.
    """
    finished, unfinished = 0.0, {}
    for training in survey(results):
        names = {name: getattr(training, name) for name in ("scale", "corpus", "system")}
        if training.state == "finished":
            finished += training.device_hours or 0
        else:
            folder = TRAINING.at(**names, seed=training.seed.removeprefix("seed"))
            unfinished[folder] = training.device_hours or 0
    return finished, unfinished


def training_state(results: Path, folder: Path) -> TrainingState | None:
    """Return the training of a folder such as `paper/toy/sentence/seed1`, or None where there is no training."""
    state, output = _states(results) / folder, results / TRAINING.stage / folder
    names = folder.parts
    if state.is_dir() and (run := _read(state / CLAIM, "settings")):
        now, reason = state_of(state)
        train = as_object(run["settings"], str(state / CLAIM), ("train",))["train"]
        return TrainingState(*names, now, reason, **progress(state, train, now == "running"))
    if record := _read(output / "record.json", "updates", "target_tokens_per_s"):
        settings = _read(output / "settings.json", "train") or {"train": {}}
        numbers = progress(output, settings["train"], running=False)
        numbers |= {"update": record["updates"], "device_hours": record.get("device_hours")}
        return TrainingState(*names, "finished", **{**numbers, "target_tokens_per_s": record["target_tokens_per_s"]})
    return None


def state_of(folder: Path) -> tuple[State, str]:
    """Return the state of a training that has a state folder, and the reason why it stopped or failed."""
    if end := _read(folder / exit.FILE, "status", "reason"):
        return "stopped" if end["reason"] in STOPPED else "failed", end["reason"]
    holder = read_holder(folder)
    alive = holder.process.is_alive() if holder else None
    if alive is None:
        alive = time.time() - max(_written(file) for file in (folder, *folder.glob("*"))) < FRESH_S
    return ("running" if alive else "killed"), ""


def progress(folder: Path, train: dict[str, Any], running: bool) -> dict[str, Any]:
    """Return the fields of TrainingState that metrics.jsonl provides.

    Raises UserError where the file has another form.
    """
    path = folder / "metrics.jsonl"
    lines = read_json_lines(path, "kind", "update", growing=True) if path.exists() else []
    with reading(path, "not the metrics of a training"):
        return _progress_of(lines, as_object(train, str(folder)), running)


def _progress_of(lines: list[dict[str, Any]], train: dict[str, Any], running: bool) -> dict[str, Any]:
    """Return the fields of TrainingState that these lines of metrics.jsonl provide."""
    trained, validated = ([line for line in lines if line["kind"] == kind] for kind in ("train", "dev"))
    by_bleu = train.get("select_by") == "bleu"
    scores = [line["bleu" if by_bleu else "loss"] for line in validated]
    last = trained[-1] if trained else {}
    total = train.get("max_updates")
    return {
        "update": max((line["update"] for line in (*trained[-1:], *validated[-1:])), default=0),
        "max_updates": total,
        "loss": last.get("loss"),
        "dev": scores[-1] if scores else None,
        "best": (max if by_bleu else min)(scores, default=None),
        "target_tokens_per_s": last.get("target_tokens_per_s"),
        "left_s": seconds_left(trained[-PACE_LINES:], total) if running and total else None,
        "device_hours": last.get("device_hours"),
    }


def seconds_left(trained: list[dict[str, Any]], total: int) -> float | None:
    """Return the seconds to update `total`, at the pace of the lines `trained`, or None where there is no line."""
    if not trained:
        return None
    # The pace of a single line is that since the start of training.
    first, last = trained[0] if len(trained) > 1 else {"update": 0, "wall_s": 0.0}, trained[-1]
    pace = (last["wall_s"] - first["wall_s"]) / (last["update"] - first["update"])
    return max(total - last["update"], 0) * pace


def _states(results: Path) -> Path:
    return results / Path(TRAINING.states).relative_to(RESULTS)


def _seeds(root: Path) -> Iterator[Path]:
    """Yield the folders `<scale>/<corpus>/<system>/seed<n>`; a state that was set aside has another name."""
    return (folder for folder in root.glob("*/*/*/*") if re.fullmatch(r"seed\d+", folder.name))


def _read(path: Path, *needed: str) -> dict[str, Any] | None:
    """Return the object of a JSON file, or None where the file is missing.

    The file may disappear at any time, since a training that finishes removes its state folder.
    """
    try:
        return read_object_if_there(path, *needed)
    except UserError:
        if path.exists():
            raise
        return None


def _written(path: Path) -> float:
    """Return the time of the last change in seconds since 1970, or 0 for a file that is gone."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0
