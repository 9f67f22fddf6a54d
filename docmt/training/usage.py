"""What a training ran on, software and hardware, and what it takes: memory, time, devices."""

import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import safetensors
import torch

import docmt

MIB = 1 << 20
RSS_UNIT = 1 if sys.platform == "darwin" else 1 << 10
"""Bytes of the kernel's unit of the resident set."""


def peak_memory(device: torch.device) -> float:
    """The most that this process has held so far, in MiB: allocated on the GPU, or resident where a CPU computes."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) / MIB
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT / MIB


class Usage:
    """Time since the start and its product with the number of devices; what is lost by a kill is not counted."""

    def __init__(self, wall_s: float, devices: int, clock: Callable[[], float] = time.perf_counter) -> None:
        """`wall_s`: seconds until now, over all runs up to their last checkpoints."""
        self._devices, self._clock = devices, clock
        self._began = clock() - wall_s

    def numbers(self) -> dict[str, float]:
        """By the names that they have in files."""
        wall_s = self._clock() - self._began
        return {"wall_s": wall_s, "device_hours": device_hours(wall_s, self._devices)}


def device_hours(wall_s: float, devices: int) -> float:
    return wall_s * devices / 3600


def versions() -> dict[str, str]:
    return {
        "docmt": docmt.__version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
        "pyarrow": pa.__version__,
        "safetensors": safetensors.__version__,
        "cuda": torch.version.cuda,
        "cudnn": torch.backends.cudnn.version(),
    }


def commit() -> str | None:
    """The commit of the working copy that docmt runs from; none where it is installed otherwise, or git is missing."""
    command = ["git", "-C", str(Path(docmt.__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def hardware(device: torch.device) -> dict[str, Any]:
    """The machine, its processor, the cores that this process may use, and the GPU if one computes."""
    gpu = {}
    if device.type == "cuda":
        gpu = {"gpu": torch.cuda.get_device_name(device), "gpu_mib": torch.cuda.mem_get_info(device)[1] // MIB}
    cores, memory = len(os.sched_getaffinity(0)), os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {"host": platform.node(), "processor": processor(), "cores": cores, "memory_mib": memory // MIB, **gpu}


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
