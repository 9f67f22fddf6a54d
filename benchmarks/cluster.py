"""What a run on a Slurm cluster costs: python benchmarks/cluster.py FOLDER [TARGET ...]; cluster.md is the record.

It runs the targets (`all` without any) at scale smoke with `--profile slurm` in a new copy of the project, and prints
the minutes, the number of allocations, the overhead of a job and the memory of the driver. The cluster needs
accounting (`sacct`).

The overhead of an allocation is its time less the seconds in which its jobs worked, as their records state them.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import psutil
from project_copy import copy_project

LOOK_S = 2.0
GIB = 1 << 30


@dataclass
class Driver:
    """What the process of Snakemake took: seconds by the clock, seconds of processor time, and bytes of memory."""

    seconds: float = 0.0
    processor_s: float = 0.0
    memory: int = 0


@dataclass
class Allocation:
    """An ended allocation: its state, and seconds in the queue and at work."""

    state: str
    queued_s: float
    seconds: float


def drive(folder: Path, targets: list[str]) -> Driver:
    """Run the workflow, and watch its driver."""
    command = [sys.executable, "-m", "snakemake", "--profile", "slurm", *targets, "--config", "scale=smoke"]
    began, seen = time.monotonic(), Driver()
    with (folder / "screen.txt").open("w") as screen:
        driver = psutil.Popen(command, cwd=folder, stdout=screen, stderr=screen)
        while driver.poll() is None:
            try:
                used = driver.cpu_times()
                seen.memory = max(seen.memory, driver.memory_info().rss)
                seen.processor_s = used.user + used.system
            except psutil.Error:
                break
            time.sleep(LOOK_S)
    seen.seconds = time.monotonic() - began
    if driver.wait() != 0:
        sys.exit(f"the run failed: see {folder}/screen.txt")
    return seen


def allocations(folder: Path, began: float) -> Iterator[Allocation]:
    """Yield the allocations of the project since a time, as the accounting of the cluster has them."""
    since = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(began))
    columns = "State,Submit,Start,End,WorkDir%500"
    command = ["sacct", "-X", "-n", "-P", "-S", since, f"--format={columns}"]
    for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
        state, *moments, place = line.split("|")
        if Path(place) == folder and "Unknown" not in moments:
            submitted, started, ended = (time.mktime(time.strptime(moment, "%Y-%m-%dT%H:%M:%S")) for moment in moments)
            yield Allocation(state, started - submitted, ended - started)


def working_seconds(folder: Path) -> list[float]:
    """Return the seconds in which each job worked, as its record states them."""
    records = (json.loads(path.read_text()) for path in (folder / "results").rglob("record.json"))
    return [record["seconds"] for record in records if "seconds" in record]


def report(folder: Path, driver: Driver, ended: list[Allocation]) -> None:
    """Print the figures."""
    jobs = working_seconds(folder)
    at_work, allocated = sum(jobs), sum(allocation.seconds for allocation in ended)
    queued = median(allocation.queued_s for allocation in ended)
    failed = [allocation for allocation in ended if allocation.state != "COMPLETED"]
    print(f"run: {driver.seconds / 60:.1f} minutes; allocations: {len(ended)}, not completed: {len(failed)}")
    print(f"jobs with a record: {len(jobs)}, which worked {at_work / 60:.1f} minutes in all")
    print(
        f"allocated: {allocated / 60:.1f} minutes; overhead: {(allocated - at_work) / len(ended):.1f} s an allocation"
    )
    print(f"overhead of a job: {(allocated - at_work) / len(jobs):.2f} s; median time in the queue: {queued:.0f} s")
    print(f"driver: {driver.memory / GIB:.2f} GiB, {driver.processor_s:.0f} s of processor time")


if __name__ == "__main__":
    where, began = Path(sys.argv[1]).absolute(), time.time()
    copy_project(where)
    watched = drive(where, sys.argv[2:] or ["all"])
    report(where, watched, list(allocations(where, began)))
