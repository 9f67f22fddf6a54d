"""The course of a training as JSON lines.

metrics.jsonl has two kinds of lines, both with `update` and `epoch`:
  {"kind": "train", "loss", "nll", "gradient_norm", "lr" or "lr_new" and "lr_taken", "source_tokens_per_s",
   "target_tokens_per_s", "padding_share", "memory_mib", "wall_s", "device_hours"}: means over the updates since the
   line before, but for the last two, which count from the start, and for memory, a peak (`docmt.training.usage`);
  {"kind": "dev", "loss", "nll", "perplexity", "bleu", "entropy.<kind of attention>"}: BLEU where the rules go by it,
   entropy in bits (`docmt.training.entropy`).
Both have the model's other losses by their names, such as "kl" in nats a chain. A training that was
stopped has the same lines as one that was not, but for time and memory. The share of padding is that of the streams'
places that hold no token: 0, since streams are packed; what attention pads inside is not counted.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from docmt.base.artifacts import atomic_file
from docmt.training.meter import Step
from docmt.training.status import Status, Validation
from docmt.training.usage import Usage

EVERY_UPDATES = 20
"""Updates between two lines of kind `train`; a validation writes what is left before it."""


class Metrics:
    """Appends to a file of the state folder; on resuming, lines later than the checkpoint are dropped first."""

    def __init__(self, path: Path, status: Status, usage: Usage, is_ours: Callable[[], bool] = lambda: True) -> None:
        """Status and usage are those of the checkpoint. Nothing is written where the folder `is_ours` no more."""
        # What the meter holds stood in no line: one that has it is of the validation after the checkpoint.
        last = {"train": status.update - status.row.updates, "dev": status.validated}
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        with atomic_file(path) as stream:
            stream.writelines(line + "\n" for line in lines if _up_to(line, last))
        self._stream = path.open("a", encoding="utf-8")
        self._meter, self._usage, self._is_ours = status.row, usage, is_ours

    def updated(self, step: Step) -> None:
        self._meter.add(step)
        if step.update % EVERY_UPDATES == 0:
            self._write_means()

    def validated(self, validation: Validation) -> None:
        if self._meter.updates:
            self._write_means()
        self._write({"kind": "dev", "update": validation.update, "epoch": validation.epoch, **validation.numbers()})

    def note(self, text: str) -> None:
        """Notes are for people."""

    def close(self) -> None:
        self._stream.close()

    def _write_means(self) -> None:
        place, means = self._meter.read()
        self._write({"kind": "train", **place, **means, **self._usage.numbers()})

    def _write(self, line: dict[str, Any]) -> None:
        if self._is_ours():
            self._stream.write(json.dumps(line) + "\n")
            self._stream.flush()


def _up_to(line: str, last: dict[str, int]) -> bool:
    """A line cut short by a kill is later than any checkpoint; what is no line of ours is dropped as well."""
    try:
        read = json.loads(line)
        return read["update"] <= last[read["kind"]]
    except (ValueError, TypeError, KeyError, IndexError):
        return False
