"""The GPUs of NVIDIA that this process may use, found without torch, whose import takes a second.

A GPU in MIG mode is used in parts, and each part counts as a GPU here. Numbers of GPUs are those of nvidia-smi. CUDA
numbers them in the same way only where CUDA_DEVICE_ORDER is PCI_BUS_ID, which jobs therefore set.
"""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from docmt.base.machine import installed_version

# The environment variable with the GPUs that CUDA shows to a process, as names between commas.
VISIBLE = "CUDA_VISIBLE_DEVICES"
# A line of `nvidia-smi -L`: a GPU, or a part of the last GPU.
LISTED = re.compile(r"^(GPU|\s+MIG) .*\(UUID: ([^\s)]+)\)", re.MULTILINE)
HIDING = ("", "-1", "NoDevFiles")  # What stands in CUDA_VISIBLE_DEVICES to hide all GPUs.
LIST_S = 60.0  # The longest time of nvidia-smi in seconds. It takes some seconds where no process uses a GPU.


@dataclass(frozen=True)
class Gpu:
    """A GPU, or a part of one, that this process may use."""

    name: str
    """Its entry in CUDA_VISIBLE_DEVICES: a number or a UUID; an entry that the user has set is kept as it is."""
    key: str
    """The same text for all names of the GPU: its UUID, or its number where nvidia-smi is missing."""


def visible_gpus(environment: Mapping[str, str] = os.environ, devices: Path = Path("/dev")) -> list[Gpu]:
    """Return the GPUs that torch would use here, in order; none where the installed torch is one for CPUs."""
    machine = gpus_of_machine(devices) if torch_is_for_gpus() else []
    if VISIBLE not in environment or not machine:
        return machine
    names = (name.strip() for name in environment[VISIBLE].split(","))
    return [Gpu(name, _key(name, machine)) for name in names if name not in HIDING]


def torch_is_for_gpus() -> bool:
    """Return whether the installed torch can use a GPU; torch is not imported."""
    return not installed_version("torch").endswith("+cpu")


def gpus_of_machine(devices: Path = Path("/dev")) -> list[Gpu]:
    """Return the GPUs of this machine in order, and in the place of one in MIG mode its parts."""
    listed: list[list[str]] = []
    for kind, uuid in LISTED.findall(_nvidia_smi("-L")):
        if kind == "GPU":
            listed.append([uuid])
        else:
            listed[-1].append(uuid)
    gpus: list[Gpu] = []
    for number, (uuid, *parts) in enumerate(listed):
        gpus += [Gpu(part, part) for part in parts] or [Gpu(str(number), uuid)]
    # Where nvidia-smi is missing or fails, numbers replace the UUIDs.
    return gpus or [Gpu(number, number) for number in map(str, range(count_device_files(devices)))]


def count_device_files(devices: Path = Path("/dev")) -> int:
    """Return the number of GPUs with a device file: /dev/nvidia0, /dev/nvidia1 ..."""
    return sum(path.name.removeprefix("nvidia").isdigit() for path in devices.glob("nvidia*"))


def _nvidia_smi(*options: str) -> str:
    """Return what nvidia-smi prints; it is empty where there is none, or where it does not know an option."""
    try:
        done = subprocess.run(["nvidia-smi", *options], capture_output=True, text=True, timeout=LIST_S)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


def _key(name: str, machine: Sequence[Gpu]) -> str:
    """Return the key of the GPU with a name: its number, its UUID or the start of one; else the name itself."""
    return next((gpu.key for gpu in machine if gpu.name == name or gpu.key.startswith(name)), name)
