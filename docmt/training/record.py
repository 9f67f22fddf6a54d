"""Which software and hardware a training ran on."""

import os
import platform
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import torch

import docmt


def versions() -> dict[str, str]:
    return {
        "docmt": docmt.__version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
    }


def commit() -> str | None:
    """The commit of the working copy that docmt runs from; none where it is installed otherwise, or git is missing."""
    command = ["git", "-C", str(Path(docmt.__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def hardware(device: torch.device) -> dict[str, Any]:
    """The processor, its cores that this process may use, and the GPU if one computes."""
    gpu = {"gpu": torch.cuda.get_device_name(device)} if device.type == "cuda" else {}
    return {"processor": processor(), "cores": len(os.sched_getaffinity(0)), **gpu}


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
