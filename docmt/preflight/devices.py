"""The devices of trainings, as far as it shows without torch: cards, their driver, and what torch was built for."""

import os
import re
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from docmt.base.gpus import compute_capabilities, visible_gpus
from docmt.base.machine import installed_version
from docmt.grid.grid import Grid
from docmt.preflight.finding import Area, RunFinding
from docmt.preflight.planned import PlannedRun
from docmt.preflight.requests import Requests
from docmt.settings.train import IN_FP32

AREA = Area("devices")
DEV, DRIVER = Path("/dev"), Path("/proc/driver/nvidia/version")
VISIBLE = "CUDA_VISIBLE_DEVICES"
OLDEST_DRIVERS = {12: 525, 13: 580}
"""The oldest driver of NVIDIA that runs programs of each version of CUDA (CUDA Compatibility, section 2.1)."""
BF16_SINCE = 8.0
"""The compute capability of the first GPUs of NVIDIA that compute in bf16: those of the A100."""
BUILD = "in docmt's clone: pip install -c pins.txt torch, from an index whose torch is built for CUDA"


def check_devices(grid: Grid, requests: Requests, dev: Path = DEV, driver: Path = DRIVER) -> Iterator[RunFinding]:
    """Yield what is wrong with the devices on which trainings would run.

    On a cluster the cards are those of its nodes, and only the build of torch is checked.
    """
    cards, build = cards_in(dev), torch_build()
    if grid.device == "cpu":
        yield AREA.fact("device: cpu; cards are not used")
        return
    if requests.executor is not None:
        yield from _of_cluster(grid, requests.gpus, build)
        return
    if grid.device == "cuda" and not cards:
        remedy = "set device: auto, or run where there is a GPU (`ls /dev/nvidia*`, `nvidia-smi`)"
        value = f"no card of NVIDIA in {dev}"
        yield AREA.error("there is no GPU on this machine", where="config.yaml device", found=value, remedy=remedy)
    if cards:
        yield from _of_cards(grid, cards, build, driver)
    if build == "cpu" and (cards or grid.device == "cuda"):
        make = AREA.error if grid.device == "cuda" else AREA.warning
        version = installed_version("torch")
        yield make(
            "torch is built for processors alone", where="this Python's environment", found=version, remedy=BUILD
        )
    yield AREA.fact(f"device: {grid.device}; {len(cards)} cards; torch is built for {build}")


def check_numbers(run: PlannedRun, requests: Requests) -> Iterator[RunFinding]:
    """Yield an error where trainings are in bf16, and cards of this machine do not compute in it."""
    systems = {run.grid.find(job.names["corpus"], job.names["system"]).system for job in run.jobs if job.is_training}
    in_bf16 = sorted(system.name for system in systems if system.train.precision == "bf16")
    if not in_bf16 or run.grid.device == "cpu" or requests.executor is not None:
        return
    capabilities, value = compute_capabilities(), f"train.precision: bf16 of {', '.join(in_bf16)}"
    for name, capability in (capabilities[gpu.key] for gpu in visible_gpus() if gpu.key in capabilities):
        if capability < BF16_SINCE:
            yield AREA.error("this GPU does not compute in bf16", where=name, found=value, remedy=IN_FP32)


def cards_in(dev: Path = DEV) -> list[Path]:
    """Return the device files of the cards of NVIDIA."""
    return sorted(path for path in dev.glob("nvidia*") if path.name.removeprefix("nvidia").isdigit())


def torch_build() -> str:
    """Return what the installed torch is built for: `cpu`, `cuda 13`, `cuda`, or `nothing` where it is missing."""
    version = installed_version("torch")
    if version == "missing" or version.endswith("+cpu"):
        return "cpu" if version != "missing" else "nothing"
    stated = re.search(r"\+cu(\d+)", version)
    if stated:
        return f"cuda {int(stated[1]) // 10}"
    names = [name for name in metadata.requires("torch") or () if name.startswith("nvidia-cuda-runtime")]
    major = re.search(r"cu(\d+)|[=<>~ ]+(\d+)", names[0]) if names else None
    return f"cuda {major[1] or major[2]}" if major else "cuda"


def _of_cluster(grid: Grid, gpus: int, build: str) -> Iterator[RunFinding]:
    """Yield a finding where jobs ask a cluster for GPUs, and torch cannot use them."""
    if build == "cpu" and gpus:
        make = AREA.error if grid.device == "cuda" else AREA.warning
        what, value = (
            "jobs ask for GPUs, and torch is built for processors alone",
            f"torch {installed_version('torch')}",
        )
        yield make(what, where="this Python's environment", found=value, remedy=f"{BUILD}, or set device: cpu")
    yield AREA.fact(f"device: {grid.device}; cards are those of the nodes; torch is built for {build}")


def _of_cards(grid: Grid, cards: list[Path], build: str, driver: Path) -> Iterator[RunFinding]:
    """Yield what is wrong with the cards of this machine."""
    make = AREA.error if grid.device == "cuda" else AREA.warning
    visible = os.environ.get(VISIBLE)
    if visible is not None and not re.search(r"^\s*(\d|GPU-|MIG-)", visible):
        remedy = f"unset {VISIBLE}, or name cards in it"
        yield make("the environment hides all cards", where=VISIBLE, found=repr(visible), remedy=remedy)
    closed = [str(path) for path in cards if not os.access(path, os.R_OK | os.W_OK)]
    if closed:
        remedy = "ask the administrator for the rights (often the group `video` or `render`)"
        yield make("no right to use a card", where=", ".join(closed), remedy=remedy)
    yield from _of_driver(build, driver)


def _of_driver(build: str, driver: Path) -> Iterator[RunFinding]:
    """Yield an error where the driver is not loaded, or older than the CUDA of torch needs."""
    if not driver.is_file():
        remedy = "load the driver (`nvidia-smi` shows it)"
        yield AREA.error("the driver of NVIDIA is not loaded", where=str(driver), remedy=remedy)
        return
    version = re.search(r"\b(\d{3,})\.\d+", driver.read_text(encoding="utf-8", errors="replace"))
    major = re.search(r"cuda (\d+)", build)
    oldest = OLDEST_DRIVERS.get(int(major[1])) if major else None
    if version and oldest and int(version[1]) < oldest:
        yield AREA.error(
            "the driver is older than the CUDA of torch needs",
            where=str(driver),
            found=version[0],
            expected=f"{oldest} or newer, for {build}",
            remedy="update the driver, or install a torch that is built for an older CUDA",
        )
