"""A run on this machine starts no more trainings at once than it has GPUs, and two runs share none."""

import re
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from helpers.planted_gpus import plant_gpus
from helpers.support import Project, environment
from interrupted import MODEL

SNAKEMAKE = (sys.executable, "-m", "snakemake", "--cores", "4")
SYSTEMS = ("sentence", "long_short")


@pytest.fixture
def two(tmp_path, monkeypatch) -> None:
    """A machine with two GPUs."""
    plant_gpus(tmp_path / "machine", 2, monkeypatch)


def dry_run(project: Project, *options: str) -> str:
    """What a dry run says of a training that asks for three GPUs."""
    options = ("-n", MODEL, "--forcerun", "train", "--set-resources", "train:gpu=3", *options)
    done = subprocess.run(
        [*SNAKEMAKE, *options], cwd=project.root, env=environment(), capture_output=True, text=True, check=True
    )
    return done.stdout + done.stderr


CASES = {
    (): 2,
    ("--resources", "gpu=1"): 1,
    ("--config", "device=cpu"): 3,
    ("--jobs", "4", "--executor", "slurm"): 3,
}


@pytest.mark.parametrize(
    "options", [pytest.param(options, marks=pytest.mark.slow if options else ()) for options in CASES]
)
def test_a_training_gets_at_most_the_gpus_of_the_machine(demo, two, options):
    said = dry_run(demo, *options)
    assert re.search(r"resources: .*\bgpu=(\d)", said)[1] == str(CASES[options]), said
    line = "docmt: trainings ask for 3 GPUs (profiles/default/profile.yaml), and take the 2 of this machine"
    assert (line in said) == (not options)


def gpu_of(process: psutil.Process) -> str | None:
    """The GPUs of a training that has taken them; they are in no environment that others can see, but in its log."""
    with suppress(psutil.Error, OSError, IndexError):
        if "train" in process.cmdline():
            log = Path(f"/proc/{process.pid}/fd/2").readlink().read_text()
            return re.findall(r"docmt: computes on GPU (\S+)", log)[-1]
    return None


@pytest.mark.slow
def test_two_runs_at_once_never_compute_on_the_same_gpu(demo, two, tmp_path):
    """Each has two trainings, so that four want two GPUs."""
    shutil.copytree(demo.root, tmp_path / "other", symlinks=True)
    models = [MODEL.replace("sentence", system) for system in SYSTEMS]
    drivers = []
    for root in (demo.root, tmp_path / "other"):
        with (root / "screen.txt").open("w") as screen:
            command = [*SNAKEMAKE, *models, "--forcerun", "train"]
            drivers.append(subprocess.Popen(command, cwd=root, env=environment(), stdout=screen, stderr=screen))
    together: set[tuple[str, ...]] = set()
    while at_work := [driver for driver in drivers if driver.poll() is None]:
        jobs = [job for driver in at_work for job in psutil.Process(driver.pid).children()]
        together.add(tuple(sorted(filter(None, map(gpu_of, jobs)))))
        time.sleep(0.02)
    assert [driver.returncode for driver in drivers] == [0, 0], (demo.root / "screen.txt").read_text()
    assert together <= {(), ("0",), ("1",), ("0", "1")} and ("0", "1") in together
