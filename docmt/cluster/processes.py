"""The processes of this machine that run the workflow of a project: its drivers, and the jobs of these."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psutil

LOCKS = ".snakemake/locks"
"""The folder of the files by which Snakemake locks a project; a driver that was killed leaves them."""

DriverState = Literal["here", "elsewhere or killed", "none"]
"""Whether a driver runs: a process of this machine; one of another machine, or none but its locks; or none."""


@dataclass(frozen=True)
class LocalWork:
    """The work on this machine: the numbers of the drivers, and the recipes of the jobs, below the project."""

    drivers: tuple[int, ...] = ()
    recipes: frozenset[str] = frozenset()


def local_work(root: Path) -> LocalWork:
    """Return what runs on this machine in the folder `root`; processes of other users cannot be seen."""
    calls = [*_calls(root)]
    drivers = tuple(number for number, words in calls if _is_driver(words))
    return LocalWork(drivers, frozenset(path for _, words in calls for path in _recipes(words)))


def driver_state(root: Path, work: LocalWork) -> DriverState:
    """Return whether a driver runs in the folder `root`."""
    if work.drivers:
        return "here"
    locks = root / LOCKS
    return "elsewhere or killed" if locks.is_dir() and any(locks.iterdir()) else "none"


def _calls(root: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the words of each process whose present folder is `root`."""
    folder = str(root.resolve())
    for process in psutil.process_iter(["cwd", "cmdline"]):
        words = process.info["cmdline"]
        if words and process.info["cwd"] == folder:
            yield process.pid, words


def _is_driver(words: Sequence[str]) -> bool:
    """Return whether a process is a run of Snakemake; the Snakemake inside a job states its `--mode`."""
    programs = [Path(word).name for word in words[:3]]
    return "snakemake" in programs and "--mode" not in words


def _recipes(words: Sequence[str]) -> Iterator[str]:
    """Yield the path of the recipe of a job of `docmt`: `docmt job STEP FOLDER/job.json`."""
    if "job" in words[:-2]:
        yield words[words.index("job") + 2]
