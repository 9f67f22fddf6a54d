"""The state folder of a training run: checkpoints to resume from, and the weights of validations.

A run is defined by its settings, its input files and the options that decide how sums are rounded
(`run_definition`). A state folder belongs to one run.

The name of a file contains the first 16 digits of its SHA-256 checksum, and the file gets this name when it is
complete. So a single rename makes the file valid, a killed process leaves no valid name on an incomplete file, and
damage is noticed. In front of the checksum, the name of a checkpoint has the number of updates and the number of
validations so far. So the names of checkpoints sort in the order of writing, also where one checkpoint was written
before the validation of an update and another after this validation.

A checkpoint holds the weights, the state of the optimiser, the status (number of updates, position in the epoch,
validations) and the definition of the run. A checkpoint holds no state of a random generator, for any rank: the order
of instances follows from the seed and the epoch, and noise from the seed, the instance and the update. It holds no
learning rates, since these follow from the number of the update, and no state of a loss scaler, since bf16 needs none.
"""

import contextlib
import os
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from docmt.base.artifacts import atomic_file, write_json
from docmt.base.digests import sha256_file
from docmt.base.errors import UserError
from docmt.base.manifest import stated_sha256
from docmt.base.untrusted import inside
from docmt.models.weights import load_plain
from docmt.settings import train
from docmt.supervision.exit import CLAIM, Failure, Reason, disk_full_named

CHECKPOINTS = 2
"""The default and smallest number of checkpoints in the folder: the newest one, and another in case it is damaged."""

CHANGEABLE = tuple(f"settings.train.{name}" for name in train.CHANGEABLE)
"""Names of the settings that may change between two parts of a run."""
VISIBLE_S = 120.0
"""Seconds that a rank waits for a file of the first rank: a network file system may show a new file to other nodes only
after a minute."""
LOOK_S = 0.5
"""Seconds between two looks for such a file."""
MISSING = "nothing"
"""The text that stands, in messages, for the value of a name that only one of two runs has."""

Differences = dict[str, tuple[Any, Any]]
"""The earlier and the present value of what differs between two runs, by dotted name such as `settings.train.lr`."""


class StateFolder:
    """The files from which a training is resumed.

    `run` is the definition of the run (`run_definition`), `checkpoints` is the number of checkpoints in the folder.
    `note` is called with a message about each damaged file. `check` is called before each write; it raises Failure
    where the folder belongs to another training.
    """

    def __init__(
        self,
        folder: Path,
        note: Callable[[str], None],
        run: Mapping[str, Any],
        checkpoints: int = CHECKPOINTS,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        """Create the folder where it is missing, and remove files whose writing was interrupted."""
        self.folder, self._note, self._run, self._count, self.check = folder, note, dict(run), checkpoints, check
        folder.mkdir(parents=True, exist_ok=True)
        # A job that is killed while it writes a file leaves the part that is written, which never gets a valid name.
        for unfinished in folder.glob(".*.part"):
            # Another rank may have removed it.
            unfinished.unlink(missing_ok=True)
        everything = {file.name for file in folder.glob("weights-*.pt")}
        self._needed: deque[set[str]] = deque([everything], maxlen=checkpoints)
        """For each checkpoint in the folder, the names of the files of weights that it needs. A checkpoint of an
        earlier job may need any of the files in the folder."""

    def newest(self) -> str | None:
        """Return the name of the newest valid checkpoint, or None where there is none.

        Checkpoints that are damaged, or that need damaged weights, are removed. Raises UserError where the checkpoint
        belongs to another run.
        """
        files = self._checkpoints()
        for file in files:
            if not is_whole(file):
                self._note(f"checkpoint {file.name} is damaged and is skipped")
            else:
                payload = load_plain(file, is_mapped=True)
                check_run(payload["run"], self._run, file, self._note)
                if all(is_whole(inside(self.folder, name)) for name in payload["weights"]):
                    return file.name
                self._note(f"checkpoint {file.name} is skipped: weights that it names are damaged")
            # A damaged file must not count as one of the newest when older checkpoints are removed.
            file.unlink()
        if files:
            self._note("no checkpoint is whole: training starts from the beginning")
        return None

    def save(self, update: int, validations: int, payload: dict[str, Any], weights: set[str]) -> None:
        """Write a checkpoint that needs the files `weights`, and remove files that no remaining checkpoint needs.

        Raises Failure where the disk is full; earlier checkpoints remain.
        """
        stem = f"checkpoint-{update:09d}-{validations:06d}"
        self._write(stem, {**payload, "run": self._run, "weights": sorted(weights)})
        # Old files are removed after the new checkpoint is complete, so that a kill leaves too many, never too few.
        self._needed.append(weights)
        for file in self._checkpoints()[self._count :]:
            file.unlink()
        for file in self.folder.glob("weights-*.pt"):
            if not any(file.name in names for names in self._needed):
                file.unlink()

    def save_weights(self, update: int, weights: dict[str, torch.Tensor]) -> str:
        """Write the weights of the validation after `update`, and return the name of the file."""
        return self._write(f"weights-{update:09d}", weights)

    def read(self, name: str, patience_s: float = 0.0) -> dict[str, Any]:
        """Return the content of a file of the folder: the weights of a validation, or a checkpoint.

        The file is waited for during `patience_s` seconds, where another rank has written it.

        Raises UserError where the file is missing or damaged.
        """
        until, file = time.monotonic() + patience_s, inside(self.folder, name)
        while not is_whole(file):
            if time.monotonic() >= until:
                raise UserError(
                    "a file that the training saved is missing or damaged",
                    where=str(file),
                    remedy=f"delete {self.folder} and train again",
                )
            time.sleep(LOOK_S)
        return load_plain(file, is_mapped=False)

    def _checkpoints(self) -> list[Path]:
        return sorted(self.folder.glob("checkpoint-*.pt"), reverse=True)

    def _write(self, stem: str, payload: dict[str, Any]) -> str:
        self.check()
        part = self.folder / f".{stem}.part"
        with disk_full_named(part, tensor_bytes(payload)), atomic_file(part, "wb") as stream:
            torch.save(payload, stream)
        name = f"{stem}-{sha256_file(part)[:16]}.pt"
        # Writing takes long, so another training may have taken the state folder since the first check.
        self.check()
        part.replace(self.folder / name)
        sync_folder(self.folder)
        return name


def is_whole(file: Path) -> bool:
    """Return whether the file exists and has the SHA-256 checksum whose first digits its name contains."""
    return file.is_file() and sha256_file(file).startswith(file.stem.rsplit("-", 1)[1])


def tensor_bytes(value: Any) -> int:
    """Return the size in bytes of all tensors in nested dictionaries and lists."""
    if isinstance(value, torch.Tensor):
        return value.nbytes
    nested = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return sum(map(tensor_bytes, nested))


def sync_folder(folder: Path) -> None:
    """Make a rename in this folder survive a power cut, where the operating system can synchronise folders."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def run_definition(
    settings: dict,
    inputs: Mapping[str, Path],
    device: torch.device,
    threads: int,
    deterministic: bool,
    compiled: bool,
) -> dict[str, Any]:
    """Return the definition of a run: two runs with equal definitions give bit-identical weights on a CPU.

    `settings` is the settings in job.json. `inputs` has the input files by name; the definition contains the
    SHA-256 of each input file.
    """
    return {
        "settings": settings,
        "inputs": {name: stated_sha256(path) for name, path in inputs.items()},
        "device": device.type,
        "torch": str(torch.__version__),
        "threads": threads,
        "deterministic": deterministic,
        "compiled": compiled,
    }


def claim_state(folder: Path, run: dict[str, Any]) -> None:
    """Make a folder the state of a training, and leave the files of a state in place.

    Raises UserError where the folder has files and is no state.
    """
    files = sorted(file.name for file in folder.glob("[!.]*"))
    if files and CLAIM not in files:
        raise UserError(
            "the folder for checkpoints has other files",
            where=str(folder),
            found=files[0],
            expected=f"an empty folder, or one with {CLAIM}",
            remedy="name another state folder",
        )
    if not files:
        write_json(folder / CLAIM, run)


def check_run(earlier: dict[str, Any], run: dict[str, Any], file: Path, note: Callable[[str], None]) -> None:
    """Raise Failure with what differs where a checkpoint belongs to another run; note settings that may change."""
    changed = differences(earlier, run)
    for name in CHANGEABLE:
        if name in changed:
            was, now = changed.pop(name)
            note(f"{name.removeprefix('settings.')} was {was}, is {now}")
    if changed:
        before, now = ("; ".join(f"{n} {abbreviated(values[i])}" for n, values in changed.items()) for i in (0, 1))
        raise Failure(
            Reason.OTHER_RUN,
            f"the state belongs to another run: {', '.join(changed)} changed",
            where=str(file),
            found=before,
            expected=now,
            remedy="restore what changed to go on, or remove the folder to train from the start",
        )


def abbreviated(value: Any) -> str:
    """Return a value as text for a message; a text of more than 24 characters is cut to its first 12."""
    text = str(value)
    return text if len(text) <= 24 else f"{text[:12]}..."


def remove_state(folder: Path) -> None:
    """Remove the state folder.

    The file that marks the folder as a state (`CLAIM`) is removed last. So a folder that a kill leaves half removed is
    still recognised as a state.
    """
    for file in sorted(folder.iterdir(), key=lambda file: file.name == CLAIM):
        file.unlink()
    folder.rmdir()


def differences(old: Any, new: Any, path: str = "") -> Differences:
    """Return the values that differ between two nested dictionaries, by dotted name."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return {} if old == new else {path: (old, new)}
    names = sorted({*old, *new})
    nested = (differences(old.get(n, MISSING), new.get(n, MISSING), f"{path}.{n}".lstrip(".")) for n in names)
    return {name: values for part in nested for name, values in part.items()}
