"""The state folder of a run: checkpoints to resume from, and weights kept at validations.

A run is its settings, its inputs and what decides its rounding; a state folder belongs to one of them.

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

from docmt.base.artifacts import digest, read_json, sha256_file, write_json
from docmt.base.errors import UserError
from docmt.training.exit import CLAIM, Failure, Reason
from docmt.training.failures import disk_full_named, tensor_bytes

CHECKPOINTS = 2
"""Checkpoints that are kept at least: the newest, and one for the case that it is damaged."""

ROUNDING = "settings.train.batch_tokens"
"""May change on the way, as running out of memory asks for: it splits updates, so that sums are rounded otherwise."""
CHANGEABLE = (ROUNDING, "settings.train.save_every_updates")
"""What may change between two parts of a run."""
COMPUTING_KEYS = ("threads", "deterministic", "compiled")
"""How a job computes, as each job is told. Where nothing else changed, that is hardly meant to begin anew."""
MISSING = "nothing"

Differences = dict[str, tuple[Any, Any]]
"""By dotted name, such as `settings.train.lr`: the value before and the value now."""


class StateFolder:
    """What a training needs to go on.

    `run` is what the run is (`identity`), `kept` how many checkpoints are; `note` is told what was found damaged.
    `check` is asked before each write, and raises Failure where the folder is another training's.
    """

    def __init__(
        self,
        folder: Path,
        note: Callable[[str], None],
        run: Mapping[str, Any],
        checkpoints: int = CHECKPOINTS,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self.folder, self._note, self._run, self._count, self.check = folder, note, dict(run), checkpoints, check
        folder.mkdir(parents=True, exist_ok=True)
        for unfinished in folder.glob(".*.part"):
            unfinished.unlink()
        everything = {file.name for file in folder.glob("weights-*.pt")}
        self._needed: deque[set[str]] = deque([everything], maxlen=checkpoints)
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
                if changed := differences(payload["run"], self._run):
                    refuse_other_run(changed, file)
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
        for file in self._checkpoints()[self._count :]:
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


def identity(
    settings: dict,
    inputs: Mapping[str, Path],
    device: torch.device,
    threads: int,
    deterministic: bool,
    compiled: bool,
) -> dict[str, Any]:
    """Equal for two runs only where these give bit-identical weights (on a CPU)."""
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
    """Make the state folder this run's: keep what is its own.

    Another run's state is refused or, with `set_aside`, renamed to `<folder>.<digest of that run>`; it gets its name
    back when that run is asked for again. So nothing that was saved is lost by a change of the settings.
    Raises UserError, naming what differs, for another run's state; also, set aside or not, where only how the job
    computes differs (`HOW`) and there is a checkpoint.
    """
    if (folder / CLAIM).exists():
        found = read_json(folder / CLAIM)
        changed = differences(found, run)
        if set(changed) <= set(COMPUTING_KEYS) and not any(folder.glob("checkpoint-*.pt")):
            # As after an option that does not work here, and is taken back.
            changed = {}
        if changed and (not set_aside or set(changed) <= set(COMPUTING_KEYS)):
            refuse_other_run(changed, folder)
        if changed:
            folder.rename(set_aside_folder(folder, found))
            names = ", ".join(changed)
            note(f"the state of another run ({names} changed) is set aside as {set_aside_folder(folder, found)}")
        elif batch_tokens_of(found) != batch_tokens_of(run):
            note(
                f"{ROUNDING} was {batch_tokens_of(found)}, is {batch_tokens_of(run)}: "
                "from here on sums are rounded otherwise"
            )
    elif strange := sorted(file.name for file in folder.glob("[!.]*")):
        raise UserError(
            "the state folder holds something else",
            where=str(folder),
            found=strange[0],
            expected=f"an empty folder, or one with {CLAIM}",
            remedy="name another folder with --state",
        )
    if not (folder / CLAIM).exists() and set_aside_folder(folder, run).exists():
        set_aside_folder(folder, run).rename(folder)
        note(f"the state that was set aside as {set_aside_folder(folder, run)} is taken up again")
    write_json(folder / CLAIM, run)


def refuse_other_run(changed: Differences, where: Path) -> None:
    """Raises UserError for what is of another run."""
    before, now = ("; ".join(f"{name} {abbreviated(values[i])}" for name, values in changed.items()) for i in (0, 1))
    raise Failure(
        Reason.OTHER_RUN,
        f"this is of another run: {', '.join(changed)} changed",
        where=str(where),
        found=before,
        expected=now,
        remedy="restore what changed to go on, or rename the folder to train from the start",
    )


def abbreviated(value: Any) -> str:
    """A value in a message; digests and lists are cut."""
    text = str(value)
    return text if len(text) <= 24 else f"{text[:12]}..."


def set_aside_folder(folder: Path, run: dict[str, Any]) -> Path:
    """Where a run's state stands while another run has its folder."""
    settings = run["settings"]
    fixed = {name: value for name, value in settings["train"].items() if f"settings.train.{name}" not in CHANGEABLE}
    return folder.with_name(f"{folder.name}.{digest({**run, 'settings': {**settings, 'train': fixed}})}")


def batch_tokens_of(run: dict[str, Any]) -> int:
    return run["settings"]["train"]["batch_tokens"]


def remove_state(folder: Path) -> None:
    """The claim goes last, so that a kill in between leaves a folder that is still known as a state."""
    for file in sorted(folder.iterdir(), key=lambda file: file.name == CLAIM):
        file.unlink()
    folder.rmdir()


def differences(old: Any, new: Any, path: str = "") -> Differences:
    """What is not equal, but for what may differ."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return {} if old == new or path in CHANGEABLE else {path: (old, new)}
    names = sorted({*old, *new})
    nested = (differences(old.get(n, MISSING), new.get(n, MISSING), f"{path}.{n}".lstrip(".")) for n in names)
    return {name: values for part in nested for name, values in part.items()}
