"""What a training takes: memory, time, devices."""

import resource
import sys
import time
from collections.abc import Callable

import torch

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
