"""What a run is: its settings, its inputs and what decides its rounding; a state folder belongs to one of them."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from docmt.core.artifacts import read_json, sha256_file, write_json
from docmt.core.errors import UserError

FILE = "run.json"


def identity(settings: dict, inputs: Mapping[str, Path], device: torch.device, threads: int) -> dict[str, Any]:
    """Equal for two runs only where these give bit-identical weights (on a CPU)."""
    return {
        "settings": settings,
        "inputs": {name: sha256_file(path) for name, path in inputs.items()},
        "device": device.type,
        "torch": torch.__version__,
        "threads": threads,
    }


def claim_state(folder: Path, run: dict[str, Any], note: Callable[[str], None]) -> None:
    """Make the state folder this run's: keep what is its own, discard another run's.

    Raises UserError where only the number of threads differs, since going on would give other weights.
    """
    if (folder / FILE).exists():
        found = read_json(folder / FILE)
        changed = differences(found, run)
        if changed == ["threads"]:
            raise UserError(
                "the checkpoints were made with another number of threads",
                where=str(folder),
                found=f"--threads {run['threads']}",
                expected=f"--threads {found['threads']}",
                remedy="give the same --threads, or delete the state folder to train from the start",
            )
        if changed:
            note(f"the state in {folder} is of another run ({', '.join(changed)} changed): training starts anew")
            remove_state(folder)
    elif strange := sorted(file.name for file in folder.glob("[!.]*")):
        raise UserError(
            "the state folder holds something else",
            where=str(folder),
            found=strange[0],
            expected=f"an empty folder, or one with {FILE}",
            remedy="name another folder with --state",
        )
    write_json(folder / FILE, run)


def remove_state(folder: Path) -> None:
    """The claim goes last, so that a kill in between leaves a folder that is still known as a state."""
    for file in sorted(folder.iterdir(), key=lambda file: file.name == FILE):
        file.unlink()
    folder.rmdir()


def differences(old: Any, new: Any, path: str = "") -> list[str]:
    """Dotted names of what is not equal, such as `settings.train.lr`."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return [] if old == new else [path]
    missing = object()
    names = sorted({*old, *new})
    nested = (differences(old.get(n, missing), new.get(n, missing), f"{path}.{n}".lstrip(".")) for n in names)
    return [name for part in nested for name in part]
