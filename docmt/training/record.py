"""Which software and hardware a training ran on."""

import os
import platform
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import safetensors
import torch

import docmt
from docmt.training.usage import MIB


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
