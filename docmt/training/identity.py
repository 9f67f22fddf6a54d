"""What a run is: its settings, its inputs and what decides its rounding; a state folder belongs to one of them."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from docmt.base.artifacts import digest, read_json, sha256_file, write_json
from docmt.base.errors import UserError
from docmt.training.exit import CLAIM, Failure, Reason

ROUNDING = "settings.train.batch_tokens"
"""May change on the way, as running out of memory asks for: it splits updates, so that sums are rounded otherwise."""
FREE = (ROUNDING, "settings.train.save_every_updates")
"""What may change between two parts of a run."""
HOW = ("threads", "deterministic", "compiled")
"""How a job computes, as each job is told. Where nothing else changed, that is hardly meant to begin anew."""
MISSING = "nothing"

Differences = dict[str, tuple[Any, Any]]
"""By dotted name, such as `settings.train.lr`: the value before and the value now."""


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
        if set(changed) <= set(HOW) and not any(folder.glob("checkpoint-*.pt")):
            # As after an option that does not work here, and is taken back.
            changed = {}
        if changed and (not set_aside or set(changed) <= set(HOW)):
            refuse(changed, folder)
        if changed:
            folder.rename(beside(folder, found))
            names = ", ".join(changed)
            note(f"the state of another run ({names} changed) is set aside as {beside(folder, found)}")
        elif split(found) != split(run):
            note(f"{ROUNDING} was {split(found)}, is {split(run)}: from here on sums are rounded otherwise")
    elif strange := sorted(file.name for file in folder.glob("[!.]*")):
        raise UserError(
            "the state folder holds something else",
            where=str(folder),
            found=strange[0],
            expected=f"an empty folder, or one with {CLAIM}",
            remedy="name another folder with --state",
        )
    if not (folder / CLAIM).exists() and beside(folder, run).exists():
        beside(folder, run).rename(folder)
        note(f"the state that was set aside as {beside(folder, run)} is taken up again")
    write_json(folder / CLAIM, run)


def check_same_run(found: dict[str, Any], run: dict[str, Any], where: Path) -> None:
    """Raises UserError, naming what differs, unless a checkpoint of the run `found` may be resumed as `run`."""
    if changed := differences(found, run):
        refuse(changed, where)


def refuse(changed: Differences, where: Path) -> None:
    """Raises UserError for what is of another run."""
    before, now = ("; ".join(f"{name} {shown(values[i])}" for name, values in changed.items()) for i in (0, 1))
    raise Failure(
        Reason.OTHER_RUN,
        f"this is of another run: {', '.join(changed)} changed",
        where=str(where),
        found=before,
        expected=now,
        remedy="restore what changed to go on, or rename the folder to train from the start",
    )


def shown(value: Any) -> str:
    """A value in a message; digests and lists are cut."""
    text = str(value)
    return text if len(text) <= 24 else f"{text[:12]}..."


def beside(folder: Path, run: dict[str, Any]) -> Path:
    """Where a run's state stands while another run has its folder."""
    settings = run["settings"]
    fixed = {name: value for name, value in settings["train"].items() if f"settings.train.{name}" not in FREE}
    return folder.with_name(f"{folder.name}.{digest({**run, 'settings': {**settings, 'train': fixed}})}")


def split(run: dict[str, Any]) -> int:
    return run["settings"]["train"]["batch_tokens"]


def remove_state(folder: Path) -> None:
    """The claim goes last, so that a kill in between leaves a folder that is still known as a state."""
    for file in sorted(folder.iterdir(), key=lambda file: file.name == CLAIM):
        file.unlink()
    folder.rmdir()


def differences(old: Any, new: Any, path: str = "") -> Differences:
    """What is not equal, but for what may differ."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return {} if old == new or path in FREE else {path: (old, new)}
    names = sorted({*old, *new})
    nested = (differences(old.get(n, MISSING), new.get(n, MISSING), f"{path}.{n}".lstrip(".")) for n in names)
    return {name: values for part in nested for name, values in part.items()}
