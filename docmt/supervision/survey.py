"""A survey of all trainings of a results folder, read from the files that they write; it locks and writes nothing.

A training with a manifest is finished. Another one that has begun, with checkpoints in its folder `scratch`, is
  stopped or failed  where this folder has an `exit.json`, whose reason decides between the two;
  running            where the process of `process.json` exists or, if it is elsewhere, gives signs of life;
  killed             otherwise.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from docmt.base.artifacts import SCRATCH, as_object, read_json_lines, read_object
from docmt.base.foreign import reading
from docmt.base.manifest import MANIFEST, RECORD
from docmt.base.paths import TRAINING
from docmt.base.recipe import JOB, read_settings
from docmt.supervision.exit import CLAIM, Reason, read_exit
from docmt.supervision.lease import holder_of

State = Literal["running", "finished", "stopped", "killed", "failed"]
"""The state of a training, as the module's docstring defines it."""
STATES: tuple[State, ...] = ("running", "failed", "killed", "stopped", "finished")
"""All states, in the order of the table of `docmt list-trainings`."""
STOPPED = (Reason.STOPPED, Reason.DEADLINE)
"""Reasons after which the state of a training is `stopped`; after any other reason it is `failed`."""
PACE_LINES = 50
"""Number of lines of metrics.jsonl over which the time of an update is averaged, including the time of validations."""


@dataclass(frozen=True)
class TrainingState:
    """A training of the results folder; a value of None is not known, or not known yet.

    `id`: the name of its folder, which differs between versions of a training.
    """

    scale: str
    corpus: str
    system: str
    seed: str
    id: str
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
    folders = sorted(path.parent for path in (results / TRAINING.stage).glob(f"{'/'.join('*' * TRAINING.depth)}/{JOB}"))
    states = [training for folder in folders if (training := training_state(folder))]
    return sorted(states, key=lambda training: STATES.index(training.state))


def training_state(folder: Path) -> TrainingState | None:
    """Return the training in the folder of a job; None where it has not begun."""
    is_finished = (folder / MANIFEST).is_file()
    if not is_finished and not (folder / SCRATCH / CLAIM).is_file():
        return None
    settings = read_settings(folder / JOB, "scale", "corpus", "system", "seed", "train")
    names = (settings["scale"], settings["corpus"], settings["system"], str(settings["seed"]), folder.name)
    if not is_finished:
        state, reason = state_of(folder)
        return TrainingState(*names, state, reason, **progress(folder / SCRATCH, settings["train"], state == "running"))
    record = read_object(folder / RECORD, "updates", "target_tokens_per_s")
    known = {"update": record["updates"], "device_hours": record.get("device_hours")}
    known |= {"target_tokens_per_s": record["target_tokens_per_s"]}
    return TrainingState(*names, "finished", **{**progress(folder, settings["train"], running=False), **known})


def state_of(folder: Path) -> tuple[State, str]:
    """Return the state of a training in the folder of a job, and the reason why it stopped or failed."""
    if end := read_exit(folder / SCRATCH):
        return "stopped" if end.reason in STOPPED else "failed", end.reason
    return ("running" if holder_of(folder) else "killed"), ""


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
