"""The state folder: checkpoints to resume from, and weights kept at validations.

A file's name carries the beginning of its checksum, and it gets that name when it is complete. So one rename makes
it valid, whenever the process is killed, and damage shows. Before that, a checkpoint's name says how many updates and
how many validations were made: names are in order, also where one was written before the validation of its update and
one after.

A checkpoint holds the weights, the optimiser's state, the status (updates made, place in the epoch, validations) and
what the run is. It holds no state of a random generator, for any rank: the order of instances follows from (seed,
epoch) and noise from (seed, document, update), so the update says it all. Nor one of the learning rates, which follow
from the update, or of a loss scaler, which bf16 does not need.
"""

import contextlib
import os
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from docmt.base.artifacts import sha256_file
from docmt.base.errors import UserError
from docmt.training.exit import Failure
from docmt.training.failures import disk_full_named, tensor_bytes
from docmt.training.identity import check_same_run

KEPT = 2
"""Checkpoints that are kept at least: the newest, and one for the case that it is damaged."""


class StateFolder:
    """What a training needs to go on.

    `run` is what the run is (see `identity`), `kept` how many checkpoints are; `note` is told what was found damaged.
    `check` is asked before each write, and raises Failure where the folder is another training's.
    """

    def __init__(
        self,
        folder: Path,
        note: Callable[[str], None],
        run: Mapping[str, Any],
        kept: int = KEPT,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self.folder, self._note, self._run, self._kept, self.check = folder, note, dict(run), kept, check
        folder.mkdir(parents=True, exist_ok=True)
        for unfinished in folder.glob(".*.part"):
            unfinished.unlink()
        everything = {file.name for file in folder.glob("weights-*.pt")}
        self._needed: deque[set[str]] = deque([everything], maxlen=kept)
        """Weights' files that each of the kept checkpoints names; of those of an earlier run it may be any."""

    def newest(self) -> dict[str, Any] | None:
        """The payload of the newest valid checkpoint; those that are damaged, or whose weights are, are removed.

        Raises UserError where it is one of another run.
        """
        files = self._checkpoints()
        for file in files:
            if not is_whole(file):
                self._note(f"checkpoint {file.name} is damaged and is skipped")
            else:
                payload = torch.load(file, map_location="cpu", weights_only=True)
                check_same_run(payload["run"], self._run, file)
                if all(is_whole(self.folder / name) for name in payload["weights"]):
                    return payload
                self._note(f"checkpoint {file.name} is skipped: weights that it names are damaged")
            file.unlink()
        if files:
            self._note("no checkpoint is whole: training starts from the beginning")
        return None

    def save(self, update: int, validations: int, payload: dict[str, Any], weights: set[str]) -> None:
        """Write a checkpoint that needs these weights' files; remove what no kept checkpoint needs.

        Raises Failure where the disk is full; the checkpoints before stay.
        """
        stem = f"checkpoint-{update:09d}-{validations:06d}"
        self._write(stem, {**payload, "run": self._run, "weights": sorted(weights)})
        self._needed.append(weights)
        for file in self._checkpoints()[self._kept :]:
            file.unlink()
        for file in self.folder.glob("weights-*.pt"):
            if not any(file.name in names for names in self._needed):
                file.unlink()

    def save_weights(self, update: int, weights: dict[str, torch.Tensor]) -> str:
        """Keep the weights of a validation; returns the file's name."""
        return self._write(f"weights-{update:09d}", weights)

    def load_weights(self, name: str) -> dict[str, torch.Tensor]:
        """Raises UserError where the file is missing or damaged."""
        if not is_whole(self.folder / name):
            raise UserError(
                "weights kept at a validation are missing or damaged",
                where=str(self.folder / name),
                remedy=f"delete {self.folder} and train again",
            )
        return torch.load(self.folder / name, map_location="cpu", weights_only=True)

    def _checkpoints(self) -> list[Path]:
        return sorted(self.folder.glob("checkpoint-*.pt"), reverse=True)

    def _write(self, stem: str, payload: dict[str, Any]) -> str:
        self.check()
        part = self.folder / f".{stem}.part"
        try:
            with disk_full_named(part, tensor_bytes(payload)), part.open("wb") as stream:
                torch.save(payload, stream)
                stream.flush()
                os.fsync(stream.fileno())
        except (Failure, OSError):
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
            raise
        name = f"{stem}-{sha256_file(part)[:16]}.pt"
        # Writing takes long: just before the file counts there is no time for another to come between.
        self.check()
        part.replace(self.folder / name)
        sync_folder(self.folder)
        return name


def is_whole(file: Path) -> bool:
    """Whether the file is there and has the checksum that its name carries."""
    return file.is_file() and sha256_file(file).startswith(file.stem.rsplit("-", 1)[1])


def sync_folder(folder: Path) -> None:
    """Make a rename last through a power cut, on systems whose folders can be synchronised."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
