"""How all trainings of a results folder stand, read from what they write. Nothing is locked or written.

A training with a state folder is
  stopped or failed  where `exit.json` says so, with its reason;
  running            where the process of `process.json` is there or, on another machine, where anything of the state
                     folder was written in the last `FRESH_S` seconds;
  killed             else;
one without a state folder is finished where it has a `record.json`, and else none.
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
STATES: tuple[State, ...] = ("running", "failed", "killed", "stopped", "finished")
"""In the order of the table."""
FRESH_S = 900.0
"""Longer than an update, or a validation that translates the dev set, should take."""
STOPPED = (exit.Reason.STOPPED, exit.Reason.DEADLINE)
PACE_LINES = 50
"""Lines of metrics.jsonl over which the time of an update is taken, that of validations included."""


@dataclass(frozen=True)
class TrainingState:
    """One training; none = not known (yet)."""

    scale: str
    corpus: str
    system: str
    seed: str
    state: State
    reason: str = ""
    """Why it stopped or failed."""
    update: int = 0
    max_updates: int | None = None
    loss: float | None = None
    dev: float | None = None
    """The newest validation's loss, or BLEU where rules go by it."""
    best: float | None = None
    """The best of them."""
    target_tokens_per_s: float | None = None
    left_s: float | None = None
    """While it runs, and its number of updates is known."""
    device_hours: float | None = None


def survey(results: Path) -> list[TrainingState]:
    """Every training under `results`: those that run first, then by their folders' names."""
    roots = (results / TRAINING.stage, _states(results))
    folders = {folder.relative_to(root) for root in roots for folder in _seeds(root)}
    found = [training_state(results, folder) for folder in sorted(folders)]
    return sorted((training for training in found if training), key=lambda training: STATES.index(training.state))


def training_state(results: Path, folder: Path) -> TrainingState | None:
    """The training of a folder such as `paper/toy/sentence/seed1`; none where none began."""
    state, output = _states(results) / folder, results / TRAINING.stage / folder
    names = folder.parts
    if state.is_dir() and (run := _read(state / CLAIM, "settings")):
        now, reason = state_of(state)
        train = as_object(run["settings"], str(state / CLAIM), ("train",))["train"]
        return TrainingState(*names, now, reason, **course(state, train, now == "running"))
    if record := _read(output / "record.json", "updates", "target_tokens_per_s"):
        settings = _read(output / "settings.json", "train") or {"train": {}}
        numbers = course(output, settings["train"], running=False)
        numbers |= {"update": record["updates"], "device_hours": record.get("device_hours")}
        return TrainingState(*names, "finished", **{**numbers, "target_tokens_per_s": record["target_tokens_per_s"]})
    return None


def state_of(folder: Path) -> tuple[State, str]:
    """Of a training with a state folder, and the reason; see above."""
    if end := _read(folder / exit.FILE, "status", "reason"):
        return "stopped" if end["reason"] in STOPPED else "failed", end["reason"]
    holder = read_holder(folder)
    alive = holder.process.is_alive() if holder else None
    if alive is None:
        alive = time.time() - max(_written(file) for file in (folder, *folder.glob("*"))) < FRESH_S
    return ("running" if alive else "killed"), ""


def course(folder: Path, train: dict[str, Any], running: bool) -> dict[str, Any]:
    """What metrics.jsonl tells, by the names of `Standing`. Raises UserError where it is no such file."""
    path = folder / "metrics.jsonl"
    lines = read_json_lines(path, "kind", "update", growing=True) if path.exists() else []
    with reading(path, "not the metrics of a training"):
        return _told(lines, as_object(train, str(folder)), running)


def _told(lines: list[dict[str, Any]], train: dict[str, Any], running: bool) -> dict[str, Any]:
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
    """By the pace of these lines."""
    if not trained:
        return None
    first, last = trained[0] if len(trained) > 1 else {"update": 0, "wall_s": 0.0}, trained[-1]
    pace = (last["wall_s"] - first["wall_s"]) / (last["update"] - first["update"])
    return max(total - last["update"], 0) * pace


def _states(results: Path) -> Path:
    return results / Path(TRAINING.states).relative_to(RESULTS)


def _seeds(root: Path) -> Iterator[Path]:
    """Folders `<scale>/<corpus>/<system>/seed<n>`; a state that was set aside has another name."""
    return (folder for folder in root.glob("*/*/*/*") if re.fullmatch(r"seed\d+", folder.name))


def _read(path: Path, *needed: str) -> dict[str, Any] | None:
    """A JSON file that may be gone at any time: a training that ends removes its state."""
    try:
        return read_object_if_there(path, *needed)
    except UserError:
        if path.exists():
            raise
        return None


def _written(path: Path) -> float:
    """When, in seconds since 1970; 0 for a file that is gone."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0
