"""A machine with GPUs, as far as docmt can see without torch: a program nvidia-smi, and the version of torch."""

import os
import secrets
from pathlib import Path

import pytest

from docmt.base import gpus
from docmt.base.gpus import VISIBLE

TORCH = "Metadata-Version: 2.1\nName: torch\nVersion: 2.13.0+cu130\n"


MACHINE = "000000000000"
"""The end of the UUIDs of a machine."""


def uuid_of(number: int, machine: str = MACHINE) -> str:
    return f"GPU-{number + 10}aa0000-5c52-9e0b-2d5e-{machine}"


def listing(count: int, machine: str = MACHINE) -> str:
    """What `nvidia-smi -L` prints."""
    names = (f"GPU {number}: NVIDIA H100 80GB HBM3" for number in range(count))
    return "".join(f"{name} (UUID: {uuid_of(number, machine)})\n" for number, name in enumerate(names))


def plant_gpus(folder: Path, count: int, monkeypatch: pytest.MonkeyPatch, machine: str = MACHINE) -> None:
    """Give this process, and the processes that it starts, so many GPUs, which nobody has on a new `machine`.

    torch itself is still one for CPUs, so that all computations are done there.
    """
    package = folder / "lib/torch-2.13.0.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text(TORCH)
    monkeypatch.setenv("PYTHONPATH", str(package.parent), prepend=os.pathsep)
    monkeypatch.setattr(gpus, "installed_version", lambda name: "2.13.0+cu130")
    write_program(folder / "bin/nvidia-smi", f"cat <<'end'\n{listing(count, machine)}end\n")
    monkeypatch.setenv("PATH", str(folder / "bin"), prepend=os.pathsep)
    monkeypatch.delenv(VISIBLE, raising=False)


def new_machine() -> str:
    """The end of the UUIDs of a machine whose GPUs no process has."""
    return secrets.token_hex(6)


def write_program(path: Path, text: str) -> None:
    """Write a program of the shell."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(0o755)
