"""The measurement of jobs in processes of their own, by turns, with the load of others meanwhile."""

import json
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from peers.job import MARKS, MEMORY, Job

BENCHMARKS = Path(__file__).parents[1]
MOST_MEMORY = 0.6
"""The share of the machine's memory that a job may allocate."""
BUSY = ("user", "nice", "system", "irq", "softirq", "steal")
"""The counters of /proc/stat that are time in which a core was not free for us."""
COUNTERS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")


class JobFailed(Exception):
    """A process of a job that ended with an error; the message has the last lines that it wrote."""


@dataclass(frozen=True)
class Measurement:
    """What a job took after its warm-up, by processor time (user and system, all threads) and by the clock."""

    words: int
    processor_s: float
    clock_s: float
    memory_mib: float

    @classmethod
    def of_marks(cls, marks: list[list[float]], memory_mib: float, warm_up: int) -> "Measurement":
        """Return the measurement from the mark that ends the warm-up to the last one."""
        first, last = marks[warm_up - 1], marks[-1]
        words = int(sum(mark[0] for mark in marks[warm_up:]))
        return cls(words, last[1] - first[1], last[2] - first[2], memory_mib)

    def rate(self, time_of: str) -> float:
        """Return source words a second, of `processor` or of `clock`."""
        return self.words / getattr(self, f"{time_of}_s")


def busy_seconds(stat: str, ticks_a_second: int) -> float:
    """Return the time for which all cores together were not idle, from the text of /proc/stat."""
    counts = dict(zip(COUNTERS, map(int, stat.split("\n")[0].split()[1:]), strict=False))
    return sum(counts[name] for name in BUSY) / ticks_a_second


def foreign_load(busy_s: float, own_s: float, clock_s: float) -> float:
    """Return how many cores other processes kept busy on average."""
    return max(0.0, busy_s - own_s) / clock_s


class Load:
    """The load of other processes since the object was made, in cores."""

    def __init__(self) -> None:
        self._before = self._now()

    def foreign(self) -> float:
        return foreign_load(*(now - before for now, before in zip(self._now(), self._before, strict=True)))

    def _now(self) -> tuple[float, float, float]:
        """Return the busy time of all cores, that of this process and its ended children, and the clock."""
        busy = busy_seconds(Path("/proc/stat").read_text(), os.sysconf("SC_CLK_TCK"))
        usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return busy, sum(usage.ru_utime + usage.ru_stime for usage in usages), time.monotonic()


def run_job(job: Job, python: Path, priority: int = 0) -> dict:
    """Run a job to its end and return what it wrote. Raises `JobFailed`.

    The process is the first of a session, so that Linux gives it an autogroup, whose share of the cores is that of any
    other session. `priority` is the nice value of this group; that of a process counts only within its group.
    """
    with tempfile.TemporaryDirectory(prefix="peers-") as folder:
        asked, marks, log = (Path(folder) / name for name in ("job.json", "marks.json", "log.txt"))
        asked.write_text(job.to_json(), encoding="utf-8")
        with log.open("w") as stream:
            process = subprocess.Popen(
                [python, "-m", "peers.child", asked],
                env=environment(job.threads, marks),
                cwd=folder,
                stdout=stream,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            if priority:
                Path(f"/proc/{process.pid}/autogroup").write_text(str(priority))
            try:
                status = process.wait()
            finally:
                # The signal of Ctrl-C does not reach another session.
                process.kill()
        if status:
            tail = "".join(log.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)[-15:])
            raise JobFailed(f"{job.toolkit} {job.task} ended with {status}:\n{tail}")
        return json.loads(marks.read_text(encoding="utf-8")) if marks.exists() else {}


def environment(threads: int, marks: Path) -> dict[str, str]:
    memory = int(MOST_MEMORY * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    variables = {"OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads, "CUDA_VISIBLE_DEVICES": "", MEMORY: memory}
    return {**os.environ, "PYTHONPATH": str(BENCHMARKS), MARKS: str(marks), **{k: str(v) for k, v in variables.items()}}


def measure(job: Job, python: Path, priority: int = 0) -> Measurement:
    """Run a job and return its measurement."""
    content = run_job(job, python, priority)
    warm_up = 1 if job.task == "decode" else job.shape.warm_up
    return Measurement.of_marks(content["marks"], content["memory_mib"], warm_up)


@dataclass(frozen=True)
class Pair:
    """Two measurements, one after the other, and the cores that other processes kept busy meanwhile."""

    ours: Measurement
    peer: Measurement
    foreign: float


def interleaved(ours: Callable[[], Measurement], peer: Callable[[], Measurement], pairs: int) -> list[Pair]:
    """Measure both by turns: ours, the peer, ours, the peer ..."""
    measured = []
    for _ in range(pairs):
        load = Load()
        sides = ours(), peer()
        measured.append(Pair(*sides, load.foreign()))
    return measured
