"""The devices of trainings, as far as it shows without torch: cards, their driver, and what torch was built for."""

import os
import re
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from docmt.base.errors import UserError
from docmt.base.machine import installed_version
from docmt.grid.grid import Grid
from docmt.plan.preflight import check_precision
from docmt.preflight.finding import Area, RunFinding
from docmt.preflight.planned import PlannedRun
from docmt.preflight.profile import Profile

AREA = Area("devices")
DEV, DRIVER = Path("/dev"), Path("/proc/driver/nvidia/version")
VISIBLE = "CUDA_VISIBLE_DEVICES"
OLDEST_DRIVERS = {12: 525, 13: 580}
"""The oldest driver of NVIDIA that runs programs of each version of CUDA (CUDA Compatibility, section 2.1)."""
BUILD = "in docmt's clone: pip install -c pins.txt torch, from an index whose torch is built for CUDA"


def check_devices(grid: Grid, profile: Profile, dev: Path = DEV, driver: Path = DRIVER) -> Iterator[RunFinding]:
    """Yield what is wrong with the devices on which trainings would run.

    On a cluster the cards are those of its nodes, and only the build of torch is checked.
    """
    gpus = profile.number("train", "gpu") or 0
    cards, build = cards_in(dev), torch_build()
    if grid.device == "cpu":
        yield AREA.fact("device: cpu; cards are not used")
        return
    if profile.is_cluster:
        yield from _of_cluster(grid, gpus, build, profile)
        return
    if grid.device == "cuda" and not cards:
        remedy = "set device: auto, or run where there is a GPU (`ls /dev/nvidia*`, `nvidia-smi`)"
        value = f"no card of NVIDIA in {dev}"
        yield AREA.error("there is no GPU on this machine", where="config.yaml device", found=value, remedy=remedy)
    if cards:
        yield from _of_cards(grid, cards, gpus, build, profile, driver)
    if build == "cpu" and (cards or grid.device == "cuda"):
        make = AREA.error if grid.device == "cuda" else AREA.warning
        version = installed_version("torch")
        yield make(
            "torch is built for processors alone", where="this Python's environment", found=version, remedy=BUILD
        )
    yield AREA.fact(f"device: {grid.device}; {len(cards)} cards; torch is built for {build}")


def check_numbers(run: PlannedRun, profile: Profile) -> Iterator[RunFinding]:
    """Yield an error where trainings are in bf16, and cards of this machine do not compute in it."""
    try:
        check_precision(run.grid, () if profile.is_cluster else run.jobs)
    except UserError as problem:
        yield AREA.of(problem)


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


def _of_cluster(grid: Grid, gpus: float, build: str, profile: Profile) -> Iterator[RunFinding]:
    """Yield a finding where jobs ask a cluster for GPUs, or are to use them, and torch cannot."""
    place = profile.resource("train", "gpu")[1]
    if build == "cpu" and gpus:
        make = AREA.error if grid.device == "cuda" else AREA.warning
        what = "trainings ask for GPUs, and torch is built for processors alone"
        value = f"gpu: {gpus:g}; torch {installed_version('torch')}"
        yield make(what, where=place, found=value, remedy=f"{BUILD}, or set gpu: 0 for train")
    if grid.device == "cuda" and not gpus:
        what, remedy = "device: cuda, and trainings ask for no GPU", "state gpu: 1 for train"
        yield AREA.error(what, where=place, found=f"gpu: {gpus:g}", remedy=remedy)
    yield AREA.fact(f"device: {grid.device}; cards are those of the nodes; torch is built for {build}")


def _of_cards(
    grid: Grid, cards: list[Path], gpus: float, build: str, profile: Profile, driver: Path
) -> Iterator[RunFinding]:
    """Yield what is wrong with the cards of this machine."""
    make = AREA.error if grid.device == "cuda" else AREA.warning
    visible = os.environ.get(VISIBLE)
    if visible is not None and not re.search(r"^\s*(\d|GPU-|MIG-)", visible):
        remedy = f"unset {VISIBLE}, or name cards in it"
        yield make("the environment hides all cards", where=VISIBLE, found=repr(visible), remedy=remedy)
    if gpus > len(cards):
        yield AREA.warning(
            "a training asks for more GPUs than this machine has, and takes those that are here",
            where=profile.resource("train", "gpu")[1],
            found=f"gpu: {gpus:g}",
            expected=f"at most {len(cards)}",
            remedy="lower gpu of train, or run on a larger machine",
        )
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
