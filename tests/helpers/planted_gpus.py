"""A machine with GPUs, as far as docmt can see without torch: a program nvidia-smi, and the version of torch."""

import os
from pathlib import Path

import pytest

from docmt.base import gpus
from docmt.base.gpu_locks import VARIABLE
from docmt.base.gpus import VISIBLE

TORCH = "Metadata-Version: 2.1\nName: torch\nVersion: 2.13.0+cu130\n"


def uuid_of(number: int) -> str:
    return f"GPU-{number + 10}aa0000-5c52-9e0b-2d5e-000000000000"


def listing(count: int) -> str:
    """What `nvidia-smi -L` prints."""
    return "".join(f"GPU {number}: NVIDIA H100 80GB HBM3 (UUID: {uuid_of(number)})\n" for number in range(count))


def plant_gpus(folder: Path, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give this process, and the processes that it starts, so many GPUs, and a folder of locks of their own.

    torch itself is still one for CPUs, so that all computations are done there.
    """
    package = folder / "lib/torch-2.13.0.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text(TORCH)
    monkeypatch.setenv("PYTHONPATH", str(package.parent), prepend=os.pathsep)
    monkeypatch.setattr(gpus, "installed_version", lambda name: "2.13.0+cu130")
    write_program(folder / "bin/nvidia-smi", f"cat <<'end'\n{listing(count)}end\n")
    monkeypatch.setenv("PATH", str(folder / "bin"), prepend=os.pathsep)
    monkeypatch.setenv(VARIABLE, str(folder / "locks"))
    monkeypatch.delenv(VISIBLE, raising=False)


def write_program(path: Path, text: str) -> None:
    """Write a program of the shell."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(0o755)
