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

VISIBLE = "CUDA_VISIBLE_DEVICES"
"""The environment variable with the GPUs that CUDA shows to a process, as names between commas."""
LISTED = re.compile(r"(GPU|\s+MIG) .*\(UUID: ([^\s)]+)\)")
"""A line of `nvidia-smi -L`: a GPU, or a part of the last GPU."""
LIST_S = 60.0
"""The longest time of nvidia-smi in seconds. It takes some seconds where no process uses a GPU."""


@dataclass(frozen=True)
class Gpu:
    """A GPU, or a part of one, that this process may use."""

    name: str
    """Its entry in CUDA_VISIBLE_DEVICES: a number or a UUID; an entry that the user has set is kept as it is."""
    key: str
    """The same text for all names of the GPU: its UUID, or its number where nvidia-smi is missing."""


def visible_gpus(environment: Mapping[str, str] = os.environ, devices: Path = Path("/dev")) -> list[Gpu]:
    """Return the GPUs that torch would use here, in the order of their numbers there.

    CUDA_VISIBLE_DEVICES limits them. There are none where the installed torch is one for CPUs.
    """
    machine = gpus_of_machine(devices) if torch_is_for_gpus() else []
    if VISIBLE in environment:
        return _named(environment[VISIBLE].split(","), machine)
    gpus = []
    for number, (uuid, *parts) in enumerate(machine):
        gpus += [Gpu(part, part) for part in parts] or [Gpu(str(number), uuid)]
    return gpus


def torch_is_for_gpus() -> bool:
    """Return whether the installed torch can use a GPU; torch is not imported."""
    return not installed_version("torch").endswith("+cpu")


def gpus_of_machine(devices: Path = Path("/dev")) -> list[list[str]]:
    """Return a list for each GPU of this machine, in order: its UUID, and then the UUIDs of its parts in MIG mode.

    Where nvidia-smi is missing or fails, the files of devices are counted, and numbers replace the UUIDs.
    """
    gpus = []
    for line in _nvidia_smi("-L").splitlines():
        if match := LISTED.match(line):
            if match[1] == "GPU":
                gpus.append([match[2]])
            elif gpus:
                gpus[-1].append(match[2])
    return gpus or [[str(number)] for number in range(count_device_files(devices))]


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


def _named(names: Sequence[str], machine: Sequence[Sequence[str]]) -> list[Gpu]:
    """Return the GPUs with these names, as CUDA reads them: up to the first wrong name, and none if one is repeated."""
    gpus: list[Gpu] = []
    for name in map(str.strip, names):
        key = _key(name, machine)
        if key is None:
            break
        if any(gpu.key == key for gpu in gpus):
            return []
        gpus.append(Gpu(name, key))
    return gpus


def _key(name: str, machine: Sequence[Sequence[str]]) -> str | None:
    """Return the key of the GPU with a name: a number, a UUID or the start of one; None where there is no such GPU.

    A GPU in MIG mode stands for its first part, as in CUDA.
    """
    if name.isdecimal():
        number = int(name)
        return machine[number][:2][-1] if number < len(machine) else None
    if not machine or not name.startswith(("GPU-", "MIG-")):
        return None
    if not any(uuid.startswith("GPU-") for uuid, *_ in machine):
        return name  # nvidia-smi is missing, so nothing tells which GPU has this UUID
    for uuid, *parts in machine:
        if uuid.startswith(name):
            return [uuid, *parts][:2][-1]
        if part := next((part for part in parts if part.startswith(name)), None):
            return part
    return None
