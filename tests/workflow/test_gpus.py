"""Trainings of this machine never share a GPU, whichever run they belong to; see also tests/steps/test_gpus.py."""

import re
import shutil
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from helpers.plans import plan_of
from helpers.planted_gpus import new_machine, plant_gpus
from interrupted import jobs_of, start

from docmt.base.manifest import MANIFEST
from docmt.plan.plan import Job

SYSTEMS = ("sentence", "long_short")


def gpu_of(process: psutil.Process) -> str | None:
    """The GPUs of a training that has taken them; they are in no environment that others can see, but in its log."""
    with suppress(psutil.Error, OSError, IndexError):
        log = Path(f"/proc/{process.pid}/fd/2").readlink().read_text()
        return re.findall(r"docmt: computes on GPU (\S+)", log)[-1]
    return None


@pytest.mark.slow
def test_two_runs_at_once_never_compute_on_the_same_gpu(demo, tmp_path, monkeypatch):
    """Each has two trainings, so that four want two GPUs."""
    plant_gpus(tmp_path / "machine", 2, monkeypatch, new_machine())
    shutil.copytree(demo.root, tmp_path / "other", symlinks=True)
    plan = plan_of(demo.root)
    jobs = [Job.of("train", corpus="toy_zh-en", system=system, seed=1) for system in SYSTEMS]
    models = [str(plan.recipe(job).folder / MANIFEST) for job in jobs]
    roots = (demo.root, tmp_path / "other")
    drivers = [start(root, *models, "--cores", "4", "--forcerun", "train") for root in roots]
    together: set[tuple[str, ...]] = set()
    while at_work := [driver for driver in drivers if driver.poll() is None]:
        with suppress(psutil.Error):
            at_once = [process for driver in at_work for process in jobs_of(driver)]
            together.add(tuple(sorted(filter(None, map(gpu_of, at_once)))))
        time.sleep(0.02)
    assert [driver.returncode for driver in drivers] == [0, 0], (demo.root / "screen.txt").read_text()
    assert together <= {(), ("0",), ("1",), ("0", "1")} and ("0", "1") in together
