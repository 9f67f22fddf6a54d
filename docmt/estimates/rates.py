"""How fast trainings compute: as measured by finished trainings of the same kind, else as assumed for the device.

A finished training prices another one where its device is of the same kind, its numbers have the same precision, and
its model is at most `ALIKE` times as wide or as narrow: small models reach a fraction of a device's rate. Trainings on
several models of processors or GPUs are not mixed: those on this machine's processor count, else those on the processor
or GPU that most of them used.
"""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from shutil import which
from statistics import median
from typing import Literal

from docmt.base.gpus import count_device_files, torch_is_for_gpus
from docmt.base.machine import processor
from docmt.base.names import DeviceName
from docmt.settings.system import TrainedSystem

Device = Literal["cpu", "cuda"]  # The kind of a device
ALIKE = 2.0  # The largest ratio of the widths of two models that compute equally fast
ASSUMED: dict[Device, dict[int, float]] = {
    "cpu": {32: 2e10, 64: 4.5e10, 128: 5.5e10, 512: 8e10},
    "cuda": {32: 2.2e10, 128: 3.5e11, 512: 2e13},
}
"""Assumed operations per second by the width of a model. A CPU: one core, as `benchmarks/estimates.md` measured it. A
GPU: an H100, as `benchmarks/gpu.md` measured it from width 128 on. Below that, an update takes the same time at each
width, the time in which the host starts its kernels. Between two widths logarithms are interpolated."""
NAMES: dict[Device, str] = {"cpu": "a CPU core", "cuda": "a GPU"}  # The phrase for a device of each kind

SCHEDULERS = ("sbatch", "bsub", "qsub")  # The programs that send jobs to Slurm, LSF and PBS, whose jobs ask for GPUs


@dataclass(frozen=True)
class TrainingRate:
    """The rate of a finished training: its operations per second, device, precision, width, and model of the device."""

    speed: float
    device: str
    precision: str
    width: int
    hardware: str


@dataclass(frozen=True)
class Rate:
    """A rate in operations per second, and the phrase that names its basis."""

    speed: float
    basis: str


def device_of(name: DeviceName) -> Device:
    """Return the kind of device that trainings use with this setting `device`.

    With `auto` it is a GPU where this machine has one, or the program that sends jobs to a cluster, and else the CPU.
    """
    if name != "auto":
        return name
    return "cuda" if has_gpu() or any(map(which, SCHEDULERS)) else "cpu"


def has_gpu(devices: Path = Path("/dev")) -> bool:
    """Return whether this machine has a GPU of NVIDIA that the installed torch can use; torch is not imported."""
    return count_device_files(devices) > 0 and torch_is_for_gpus()


class Rates:
    """The rates of trainings on one kind of device."""

    def __init__(self, measured: Iterable[TrainingRate], device: Device) -> None:
        """Keep the rates that were measured on this kind of device."""
        self.device: Device = device
        self._measured = [rate for rate in measured if rate.device == device]

    def of(self, system: TrainedSystem) -> Rate:
        """Return the rate of a training of a system: the median of those like it, or the assumed one."""
        width, precision = system.model.width, system.train.precision
        alike = [
            rate for rate in self._measured if rate.precision == precision and 1 / ALIKE <= rate.width / width <= ALIKE
        ]
        if not alike:
            speed = assumed(self.device, width)
            return Rate(speed, f"assumed {speed / 1e12:.2g} TFLOP/s for {NAMES[self.device]} at width {width}")
        counts = Counter(rate.hardware for rate in alike)
        here = processor() if self.device == "cpu" else ""
        hardware = here if here in counts else counts.most_common(1)[0][0]
        speeds = [rate.speed for rate in alike if rate.hardware == hardware]
        trainings = f"{len(speeds)} training{'s' if len(speeds) > 1 else ''}"
        return Rate(median(speeds), f"measured on {hardware or NAMES[self.device]}: {trainings}")


def assumed(device: Device, width: int) -> float:
    """Return the assumed operations per second of a device for models of a width."""
    table = ASSUMED[device]
    ends = [*table.items()]
    for (low, slow), (high, fast) in pairwise(ends):
        if low <= width <= high:
            share = math.log(width / low) / math.log(high / low)
            return slow * (fast / slow) ** share
    return ends[0][1] if width < ends[0][0] else ends[-1][1]
