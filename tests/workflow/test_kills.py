"""Kills at random moments: each next run goes on, and in the end no bit differs and no finished job ran twice.

A kill is SIGKILL of a job, of snakemake alone (its jobs then end themselves), or of its whole group at once.
DOCMT_KILL_SEED chooses other moments. In each run of the suite test_command.py kills a workflow as a whole, and
training/test_resume.py a training.
"""

import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from helpers.support import Project, small_demo
from interrupted import jobs_of, start, until

from docmt.base.manifest import MANIFEST, RECORD, read_manifest
from docmt.base.recipe import JOB

SEED = int(os.environ.get("DOCMT_KILL_SEED", "1"))
STUDY = "workflow/studies/demo.yaml"
LATEST_S = 6.0
"""The latest moment of a kill, after the first job of a run has begun."""
Kill = Callable[[subprocess.Popen, random.Random], None]


def a_job(driver: subprocess.Popen, chance: random.Random) -> None:
    with suppress(psutil.Error, IndexError):
        chance.choice(list(jobs_of(driver))).kill()


def the_driver(driver: subprocess.Popen, chance: random.Random) -> None:
    driver.kill()


def everything(driver: subprocess.Popen, chance: random.Random) -> None:
    os.killpg(driver.pid, signal.SIGKILL)


def small_pipeline(root: Path) -> Project:
    """A study of one system and one table, at smoke scale."""
    project = small_demo(root)
    study = project.read(STUDY)
    study["systems"] = {"sentence": study["systems"]["sentence"]}
    study["tables"] = {"quality": study["tables"]["quality"]}
    study["tables"]["quality"]["rows"] = [{"label": "Sentence Transformer", "system": "sentence"}]
    project.write(STUDY, {key: value for key, value in study.items() if key not in ("figures", "findings")})
    return project


def finished(project: Project) -> dict[Path, tuple[bytes, bytes, int]]:
    """The manifest of each finished job with its content, its record, and the time at which that was written.

    (Snakemake sets the time of the manifest of a job that it starts again.)
    """
    manifests = [path for path in (project.root / "results").rglob(MANIFEST) if path.with_name(JOB).exists()]
    records = {path: path.with_name(RECORD) for path in manifests}
    return {path: (path.read_bytes(), to.read_bytes(), to.stat().st_mtime_ns) for path, to in records.items()}


def outputs(project: Project) -> dict[str, bytes]:
    """The manifests, and all files that they list; but pages, which show times."""
    manifests = [path for path in finished(project) if "/results/8_" not in str(path)]
    files = [manifest.parent / name for manifest in manifests for name in read_manifest(manifest).files]
    return {path.relative_to(project.root).as_posix(): path.read_bytes() for path in (*manifests, *files)}


def killed(project: Project, kill: Kill, chance: random.Random, target: str) -> bool:
    """Kill a run at a random moment; return whether it was still running."""
    driver = start(project.root, target, "--cores", "2")
    processes: dict[int, psutil.Process] = {}

    def has_begun() -> bool:
        return driver.poll() is not None or any(jobs_of(driver))

    until(has_begun, (project.root / "screen.txt").read_text)
    moment = time.monotonic() + chance.uniform(0, LATEST_S)
    while driver.poll() is None and time.monotonic() < moment:
        processes |= {process.pid: process for process in jobs_of(driver)}
        time.sleep(0.02)
    is_running = driver.poll() is None
    if is_running:
        processes |= {process.pid: process for process in jobs_of(driver)}
        kill(driver, chance)
    driver.wait(120)
    assert not psutil.wait_procs(processes.values(), timeout=60)[1], "a job has outlived its workflow"
    return is_running


@pytest.fixture(scope="module")
def whole(tmp_path_factory, programs) -> Project:
    """The study, made by a run that nobody kills."""
    project = small_pipeline(tmp_path_factory.mktemp("whole") / "project")
    project.snakemake("--cores", "2", "demo", check=True, programs=programs)
    return project


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    "kills", [pytest.param(3, marks=pytest.mark.slow), pytest.param(40, marks=pytest.mark.nightly)]
)
def test_a_killed_workflow_ends_in_the_same_bits_and_repeats_nothing(whole, tmp_path, programs, kills):
    chance, hits = random.Random(f"{SEED} {kills}"), 0
    project = small_pipeline(tmp_path / "project")
    for number in range(kills):
        before = finished(project)
        hits += killed(project, (a_job, the_driver, everything)[number % 3], chance, "demo")
        assert finished(project).items() >= before.items(), f"kill {number}: a finished job ran again"
        project.snakemake("--unlock", "demo")
        if len(finished(project)) > 0.8 * len(finished(whole)) or number == kills - 1:
            check_end(project, whole, programs)
            for folder in ("results", ".snakemake"):
                shutil.rmtree(project.root / folder)
    assert hits >= 0.6 * kills, f"only {hits} of {kills} kills hit a running workflow"


def check_end(project: Project, whole: Project, programs: Path) -> None:
    """Let the workflow end, and compare it with the one that nobody has killed."""
    before = finished(project)
    project.snakemake("--cores", "2", "demo", check=True, programs=programs)
    assert finished(project).items() >= before.items(), "a finished job ran again"
    assert outputs(project) == outputs(whole)
    assert not list((project.root / "results").rglob("process.json")), "a lease is left"
    done = project.snakemake("-n", "demo", check=True)
    assert "Nothing to be done" in done.stdout + done.stderr
