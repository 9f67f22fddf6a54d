"""The state folder of a training run: checkpoints to resume from, and the weights of validations.

A run is defined by its settings, its input files and the options that decide how sums are rounded (`identity`). A state
folder belongs to one run.

The name of a file contains the first 16 digits of its SHA-256 checksum, and the file gets this name when it is
complete. So a single rename makes the file valid, whenever the process is killed, and damage is noticed. In front of
the checksum, the name of a checkpoint has the number of updates and the number of validations so far. So names sort in
the order of writing, also where one checkpoint was written before the validation of an update and another after it.

A checkpoint holds the weights, the state of the optimiser, the status (number of updates, position in the epoch,
validations) and the definition of the run. It holds no state of a random generator, for any rank: the order of
instances follows from (seed, epoch) and noise from (seed, document, update), so the number of the update determines
both. It holds no learning rates, since these follow from the number of the update, and no state of a loss scaler, since
bf16 needs none.
"""

import contextlib
import os
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from docmt.base.artifacts import digest, read_json, sha256_file, write_json
from docmt.base.errors import UserError
from docmt.training.exit import CLAIM, Failure, Reason
from docmt.training.failures import disk_full_named, tensor_bytes

CHECKPOINTS = 2
"""Smallest number of checkpoints in the folder: the newest one, and another one in case the newest is damaged."""

ROUNDING = "settings.train.batch_tokens"
"""A setting that may change within a run, since the remedy for a lack of memory is to lower it. It splits updates, so
sums are rounded differently."""
CHANGEABLE = (ROUNDING, "settings.train.save_every_updates")
"""Names of the settings that may change between two parts of a run."""
COMPUTING_KEYS = ("threads", "deterministic", "compiled")
"""Options of the job that decide how it computes. If nothing else differs, the user hardly wants a new run."""
MISSING = "nothing"
"""The value, in messages, of a name that one of two runs lacks."""

Differences = dict[str, tuple[Any, Any]]
"""The value before and the value now, by dotted name such as `settings.train.lr`."""


class StateFolder:
    """The files from which a training is resumed.

    `run` is the definition of the run (`identity`) and `checkpoints` the number of checkpoints that the folder holds.
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
        # A job that was killed while it wrote leaves such a file, which never got a valid name.
        for unfinished in folder.glob(".*.part"):
            unfinished.unlink()
        everything = {file.name for file in folder.glob("weights-*.pt")}
        self._needed: deque[set[str]] = deque([everything], maxlen=checkpoints)
        """For each checkpoint in the folder, the names of the weights' files that it needs. For checkpoints of an
        earlier job this is unknown, so any of the files may be needed."""

    def newest(self) -> dict[str, Any] | None:
        """Return the payload of the newest valid checkpoint, or None where there is none.

        Checkpoints that are damaged, or that need damaged weights, are removed. Raises UserError where the checkpoint
        belongs to another run.
        """
        files = self._checkpoints()
        for file in files:
            if not is_whole(file):
                self._note(f"checkpoint {file.name} is damaged and is skipped")
            else:
                payload = torch.load(file, map_location="cpu", weights_only=True)
                if changed := differences(payload["run"], self._run):
                    refuse_other_run(changed, file)
                if all(is_whole(self.folder / name) for name in payload["weights"]):
                    return payload
                self._note(f"checkpoint {file.name} is skipped: weights that it names are damaged")
            # A damaged file must not count as one of the newest when older checkpoints are removed.
            file.unlink()
        if files:
            self._note("no checkpoint is whole: training starts from the beginning")
        return None

    def save(self, update: int, validations: int, payload: dict[str, Any], weights: set[str]) -> None:
        """Write a checkpoint that needs these files of weights, and remove files that no remaining checkpoint needs.

        Raises Failure where the disk is full; earlier checkpoints remain.
        """
        stem = f"checkpoint-{update:09d}-{validations:06d}"
        self._write(stem, {**payload, "run": self._run, "weights": sorted(weights)})
        # The new checkpoint is complete before old files go: a kill in between leaves too many files, never too few.
        self._needed.append(weights)
        for file in self._checkpoints()[self._count :]:
            file.unlink()
        for file in self.folder.glob("weights-*.pt"):
            if not any(file.name in names for names in self._needed):
                file.unlink()

    def save_weights(self, update: int, weights: dict[str, torch.Tensor]) -> str:
        """Write the weights of a validation after `update`, and return the name of the file."""
        return self._write(f"weights-{update:09d}", weights)

    def load_weights(self, name: str) -> dict[str, torch.Tensor]:
        """Return the weights in a file of this name.

        Raises UserError where the file is missing or damaged.
        """
        if not is_whole(self.folder / name):
            raise UserError(
                "weights saved at a validation are missing or damaged",
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
                # The content must be on the disk before the rename, or a power cut could leave a valid name without
                # content.
                stream.flush()
                os.fsync(stream.fileno())
        except (Failure, OSError):
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
            raise
        name = f"{stem}-{sha256_file(part)[:16]}.pt"
        # Writing takes long, so another training may have taken the folder since the first check.
        self.check()
        part.replace(self.folder / name)
        sync_folder(self.folder)
        return name


def is_whole(file: Path) -> bool:
    """Return whether the file exists and has the checksum that its name contains."""
    return file.is_file() and sha256_file(file).startswith(file.stem.rsplit("-", 1)[1])


def sync_folder(folder: Path) -> None:
    """Make a rename in this folder survive a power cut, on systems that can synchronise folders."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def identity(
    settings: dict,
    inputs: Mapping[str, Path],
    device: torch.device,
    threads: int,
    deterministic: bool,
    compiled: bool,
) -> dict[str, Any]:
    """Return the definition of a run: it is equal for two runs only if they give bit-identical weights (on a CPU).

    `settings` is the content of settings.json and `inputs` has the input files by name, of which the definition
    contains the SHA-256.
    """
    return {
        "settings": settings,
        "inputs": {name: sha256_file(path) for name, path in inputs.items()},
        "device": device.type,
        "torch": str(torch.__version__),
        "threads": threads,
        "deterministic": deterministic,
        "compiled": compiled,
    }


def claim_state(folder: Path, run: dict[str, Any], note: Callable[[str], None], set_aside: bool = False) -> None:
    """Make the state folder belong to this run, and leave files of the same run in place.

    The state of another run is refused or, with `set_aside`, renamed to `<folder>.<digest of that run>`. It gets its
    name back when that run is trained again. So a change of the settings loses nothing that was saved.

    Raises UserError with the names that differ for the state of another run. It does so with `set_aside`, too, where
    only the way of computing differs (`COMPUTING_KEYS`) and there is a checkpoint.
    """
    if (folder / CLAIM).exists():
        earlier = read_json(folder / CLAIM)
        changed = differences(earlier, run)
        if set(changed) <= set(COMPUTING_KEYS) and not any(folder.glob("checkpoint-*.pt")):
            # The user may have tried an option that does not work here, and now leaves it out again.
            changed = {}
        if changed and (not set_aside or set(changed) <= set(COMPUTING_KEYS)):
            refuse_other_run(changed, folder)
        if changed:
            folder.rename(set_aside_folder(folder, earlier))
            names = ", ".join(changed)
            note(f"the state of another run ({names} changed) is set aside as {set_aside_folder(folder, earlier)}")
        elif batch_tokens_of(earlier) != batch_tokens_of(run):
            note(
                f"{ROUNDING} was {batch_tokens_of(earlier)}, is {batch_tokens_of(run)}: "
                "from now on sums are rounded differently"
            )
    elif foreign := sorted(file.name for file in folder.glob("[!.]*")):
        raise UserError(
            "the state folder holds something else",
            where=str(folder),
            found=foreign[0],
            expected=f"an empty folder, or one with {CLAIM}",
            remedy="name another folder with --state",
        )
    if not (folder / CLAIM).exists() and set_aside_folder(folder, run).exists():
        set_aside_folder(folder, run).rename(folder)
        note(f"the state that was set aside as {set_aside_folder(folder, run)} is taken up again")
    write_json(folder / CLAIM, run)


def refuse_other_run(changed: Differences, where: Path) -> None:
    """Raise Failure with the names and values that differ from those of the other run."""
    before, now = ("; ".join(f"{name} {abbreviated(values[i])}" for name, values in changed.items()) for i in (0, 1))
    raise Failure(
        Reason.OTHER_RUN,
        f"the state belongs to another run: {', '.join(changed)} changed",
        where=str(where),
        found=before,
        expected=now,
        remedy="restore what changed to go on, or rename the folder to train from the start",
    )


def abbreviated(value: Any) -> str:
    """Return a value as text for a message; digests and lists are cut to 12 characters."""
    text = str(value)
    return text if len(text) <= 24 else f"{text[:12]}..."


def set_aside_folder(folder: Path, run: dict[str, Any]) -> Path:
    """Return the folder to which the state of `run` is renamed while another run has `folder`."""
    settings = run["settings"]
    fixed = {name: value for name, value in settings["train"].items() if f"settings.train.{name}" not in CHANGEABLE}
    return folder.with_name(f"{folder.name}.{digest({**run, 'settings': {**settings, 'train': fixed}})}")


def batch_tokens_of(run: dict[str, Any]) -> int:
    """Return the setting `train.batch_tokens` of a run."""
    return run["settings"]["train"]["batch_tokens"]


def remove_state(folder: Path) -> None:
    """Remove the state folder.

    The file that marks the folder as a state (`CLAIM`) goes last, so that a folder that is left behind by a kill in
    between is still known as a state.
    """
    for file in sorted(folder.iterdir(), key=lambda file: file.name == CLAIM):
        file.unlink()
    folder.rmdir()


def differences(old: Any, new: Any, path: str = "") -> Differences:
    """Return the values that differ between two nested dictionaries, without those that may change (`CHANGEABLE`)."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return {} if old == new or path in CHANGEABLE else {path: (old, new)}
    names = sorted({*old, *new})
    nested = (differences(old.get(n, MISSING), new.get(n, MISSING), f"{path}.{n}".lstrip(".")) for n in names)
    return {name: values for part in nested for name, values in part.items()}
