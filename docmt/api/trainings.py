"""The states of trainings, and the curves that trainings write while they run."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from docmt.base.artifacts import SCRATCH, read_json_lines
from docmt.base.errors import UserError
from docmt.base.paths import RESULTS
from docmt.supervision.survey import TrainingState, survey

METRICS = "metrics.jsonl"


@dataclass(frozen=True)
class CurvePoint:
    """The values that a training wrote after an update, by name: `loss` and `nll` in nats per token, `bleu` and more.

    `kind` is `train` for means over the updates since the last such point, and `dev` for a validation.
    """

    kind: Literal["train", "dev"]
    update: int
    epoch: int
    values: dict[str, float]


def list_trainings(results: str | Path = RESULTS) -> list[TrainingState]:
    """List every training under a results folder with its state; running trainings come first.

    Nothing is locked or written. Raises UserError where there is no such folder.

    >>> import docmt
    >>> {training.state for training in docmt.list_trainings("results")}
    {'finished'}
    """
    folder = Path(results)
    if not folder.is_dir():
        raise UserError(
            "folder not found", where=str(folder), remedy="name the folder of the results: --results FOLDER"
        )
    return survey(folder)


def read_curve(path: str | Path) -> list[CurvePoint]:
    """Read the curve of a training from its folder (results/5_training/.../seed1), or from a metrics.jsonl.

    Of several versions in a folder, the newest is read. Raises UserError where the file is missing, empty or damaged.

    >>> import docmt
    >>> curve = docmt.read_curve("results/5_training/toy_zh-en/sentence/seed1")
    >>> losses = [(point.update, point.values["loss"]) for point in curve if point.kind == "dev"]
    >>> losses[0][0] <= losses[-1][0]
    True
    """
    file = curve_file(Path(path)) if Path(path).is_dir() else Path(path)
    lines = read_json_lines(file, "kind", "update", "epoch", growing=True)
    if not lines:
        raise UserError("no metrics of a training", where=str(file), expected="a JSON object per line")
    return [CurvePoint(line.pop("kind"), line.pop("update"), line.pop("epoch"), _numbers(line)) for line in lines]


def curve_file(folder: Path) -> Path:
    """Return the newest metrics.jsonl of the trainings in a folder, which is that of a training or their place."""
    folders = (folder, folder / SCRATCH, *folder.glob("*"), *folder.glob(f"*/{SCRATCH}"))
    files = [path / METRICS for path in folders if (path / METRICS).is_file()]
    return max(files, key=lambda file: file.stat().st_mtime, default=folder / METRICS)


def _numbers(line: dict) -> dict[str, float]:
    return {name: value for name, value in line.items() if isinstance(value, int | float)}
