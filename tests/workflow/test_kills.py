"""Kills at random moments inside the jobs of every stage: the next run ends with the same bytes.

`pytest -m slow tests/workflow/test_kills.py` kills each stage 40 times, half of the time snakemake alone (its job then
ends itself) and half of the time its whole group at once. DOCMT_KILLS and DOCMT_KILL_SEED choose another number and
other moments.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress

import psutil
import pytest
from helpers.plans import closure, plan_of, planner_of
from helpers.support import Project

from docmt.base.digests import sha256_file
from docmt.base.manifest import read_manifest
from docmt.plan.aside import is_shared
from docmt.plan.jobs import Job

KILLS = int(os.environ.get("DOCMT_KILLS", "40"))
SEED = int(os.environ.get("DOCMT_KILL_SEED", "1"))
WAIT_S = 120
STAGES = {
    "1_corpus": ("corpus",),
    "2_tokens": ("tokens",),
    "3_views": ("views",),
    "4_chains": ("chain_words", "chain_segments"),
    "5_training": ("train",),
    "6_translations": ("translate", "contrastive", "inspect"),
    "7_scores": ("aligner", "scores", "compare"),
    "8_report": ("item", "report"),
}


def run_of(project: Project, job: Job) -> subprocess.Popen:
    """Snakemake in a process group of its own, which makes the outputs of one job."""
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--nolock", job.manifest]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with (project.root / "screen.txt").open("w") as stream:
        return subprocess.Popen(
            command, cwd=project.root, env=environment, stdout=stream, stderr=stream, start_new_session=True
        )


def job_process(driver: subprocess.Popen) -> psutil.Process | None:
    """The process of the command, once it has started; None where the run ended before it was seen."""
    deadline = time.monotonic() + WAIT_S
    while driver.poll() is None:
        assert time.monotonic() < deadline, "no job has started"
        with suppress(psutil.Error):
            for process in psutil.Process(driver.pid).children(recursive=True):
                if "job" in process.cmdline()[:4]:
                    return process
        time.sleep(0.01)
    return None


def remove_outputs(project: Project, job: Job) -> None:
    """As before the job first ran; the folder may have outputs of other jobs."""
    folder = project.root / job.folder
    if not is_shared(job):
        shutil.rmtree(folder)
        return
    manifest_path = project.root / job.manifest
    manifest = read_manifest(manifest_path)
    for name in (*manifest.files, *manifest.records):
        (folder / name).unlink()
    manifest_path.unlink()


def killed_once(project: Project, job: Job, after_s: float, number: int) -> bool:
    """Kill the run of a job so long after its command began; whether it was still running."""
    driver = run_of(project, job)
    process = job_process(driver)
    if process is None:
        return False
    time.sleep(after_s)
    alive = driver.poll() is None
    with suppress(ProcessLookupError):
        if number % 2:
            os.killpg(driver.pid, signal.SIGKILL)
        else:
            driver.kill()
    driver.wait(WAIT_S)
    assert not psutil.wait_procs([process], timeout=WAIT_S)[1], "the job has outlived its workflow"
    return alive


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("stage", STAGES)
def test_killed_jobs_end_in_the_same_bytes(demo: Project, stage: str):
    chance = random.Random(f"{SEED} {stage}")
    jobs = [job for job in closure(planner_of(demo.root), "demo") if job.rule in STAGES[stage]]
    whole = {job: (demo.root / job.manifest).read_bytes() for job in jobs}
    durations: dict[str, float] = {}
    hits = 0
    for number in range(KILLS):
        job = chance.choice(jobs)
        remove_outputs(demo, job)
        hits += killed_once(demo, job, chance.uniform(0, 0.7 * durations.get(job.rule, 1.0)), number)
        began = time.monotonic()
        driver = run_of(demo, job)
        process = job_process(driver)
        job_began = time.monotonic()
        assert driver.wait(WAIT_S) == 0, (demo.root / "screen.txt").read_text()[-3000:]
        if process is not None:
            durations[job.rule] = min(time.monotonic() - max(job_began, began), 5.0)
        assert (demo.root / job.manifest).read_bytes() == whole[job], f"kill {number} of {job}"
        for name, file in read_manifest(demo.root / job.manifest).files.items():
            assert sha256_file(demo.root / job.folder / name) == file.sha256, f"kill {number} of {job}: {name}"
        left = list((demo.root / "results").rglob(".*.part"))
        assert not plan_of(demo.root).reasons, f"kill {number} of {job}"
        for path in left:  # what a killed process leaves beside its place, and nobody reads
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert hits >= KILLS * 0.6, f"only {hits} of {KILLS} kills hit a running job"
