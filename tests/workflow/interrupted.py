"""A training of the workflow that a test may interrupt."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
from helpers.plans import plan_of
from helpers.support import SMOKE, Project

from docmt.base.artifacts import SCRATCH
from docmt.base.manifest import MANIFEST
from docmt.plan.plan import Job
from docmt.supervision.lease import read_holder

JOB = Job.of("train", corpus="toy_zh-en", system="sentence", seed=1)
WAIT_S = 120
UPDATES = 60


def until(holds: Callable[[], object], why: Callable[[], str] = str, seconds: float = WAIT_S) -> None:
    """Wait until something holds; `why` is asked what to show where it does not."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, why()
        time.sleep(0.02)


def start(root: Path, *arguments: str, screen: str = "screen.txt") -> subprocess.Popen:
    """The real Snakemake, in a process group of its own; what it says goes into a file of the project."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with (root / screen).open("a") as stream:
        return subprocess.Popen(
            [sys.executable, "-m", "snakemake", *arguments],
            cwd=root,
            env=environment,
            stdout=stream,
            stderr=stream,
            start_new_session=True,
            # A shell's `&` lets pytest, and what it starts, ignore SIGINT.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )


def jobs_of(driver: subprocess.Popen) -> Iterator[psutil.Process]:
    """The processes of the commands that a driver has started, without those that they start."""
    for process in psutil.Process(driver.pid).children(recursive=True):
        try:
            words = process.cmdline()[1:3]
        except psutil.Error:
            continue
        if words[1:] == ["job"] and Path(words[0]).name == "docmt":
            yield process


class LongTraining:
    """The sentence model of the finished demo, to be trained anew with more updates and frequent checkpoints."""

    def __init__(self, project: Project, updates: int = UPDATES, **rules: object) -> None:
        smoke = project.read(SMOKE)
        smoke["train"] |= {"max_updates": updates, "save_every_updates": 5, "validate_every_updates": 20, **rules}
        project.write(SMOKE, smoke)
        self.project, self.root = project, project.root
        self.place = plan_of(project.root).recipe(JOB).folder
        self.folder = project.root / self.place
        self.target = str(self.place / MANIFEST)
        self.scratch = self.folder / SCRATCH

    def train(self, *options: str, programs: Path | None = None, check: bool = True) -> subprocess.CompletedProcess:
        """Run the workflow to its end."""
        return self.project.snakemake("--cores", "1", self.target, *options, check=check, programs=programs)

    def started(self, *options: str) -> tuple[subprocess.Popen, psutil.Process]:
        """The workflow, and its training, which has written checkpoints."""
        driver = self.started_again(*options)
        until(lambda: driver.poll() is not None or self.checkpoints() > 1, self.screen)
        assert driver.poll() is None, self.screen()
        return driver, self.process()

    def started_again(self, *options: str) -> subprocess.Popen:
        """The workflow, which may have to wait."""
        return start(self.root, self.target, "--cores", "1", *options)

    def process(self) -> psutil.Process:
        """The process that trains."""
        return psutil.Process(read_holder(self.folder).process.process)

    def checkpoints(self) -> int:
        """The number of checkpoints."""
        return len(list(self.scratch.glob("checkpoint-*.pt")))

    def ending(self) -> dict:
        """What the last attempt says of its end."""
        path = self.scratch if self.scratch.exists() else self.folder
        return json.loads((path / "exit.json").read_text())

    def weights(self) -> bytes:
        """The trained weights."""
        return (self.folder / "model/model.safetensors").read_bytes()

    def is_finished(self) -> bool:
        """Whether the manifest is there, which is written last."""
        return (self.folder / MANIFEST).exists()

    def log(self) -> str:
        """The logs of all attempts."""
        return "".join(path.read_text() for path in sorted(self.folder.glob("log.*.txt")))

    def screen(self) -> str:
        """What the real Snakemake has said."""
        return (self.root / "screen.txt").read_text()
