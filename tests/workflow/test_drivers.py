"""Two drivers at once, in one folder or in two clones with the same results: each job is done once, nothing is lost."""

import os
import shutil
import signal
from pathlib import Path

import psutil
import pytest
from helpers.plans import plan_of
from helpers.support import Project, docmt
from interrupted import LongTraining, jobs_of, start, until

from docmt.base.manifest import MANIFEST, RECORD
from docmt.plan.plan import Job

SCORES = Job.of("scores", corpus="toy_zh-en", system="sentence", seed=1)
ONCE = {"train": 1, "translate": 1, "scores": 1}
WAITS, FINISHED = "another process does this job", "is finished already"


@pytest.fixture
def other(demo: Project, tmp_path: Path) -> Project:
    """A clone of the demo that has the same folder of results."""
    without = shutil.ignore_patterns("results", ".snakemake")
    shutil.copytree(demo.root, tmp_path / "other", ignore=without)
    (tmp_path / "other/results").symlink_to(demo.root / "results")
    return Project(tmp_path / "other")


def attempts(folder: Path) -> list[str]:
    """The logs of the attempts of a job that did not find it finished."""
    logs = [path.read_text() for path in sorted(folder.glob("log.*.txt"))]
    return [log for log in logs if FINISHED not in log]


@pytest.mark.slow
def test_two_clones_with_one_folder_of_results_do_each_job_once(demo, other):
    training = LongTraining(demo)
    LongTraining(other)
    plan = plan_of(demo.root)
    target = str(plan.recipe(SCORES).folder / MANIFEST)
    first = start(demo.root, target, "--cores", "1")
    until(training.checkpoints, training.screen)
    process = training.process()
    process.suspend()
    second = start(other.root, target, "--cores", "1")
    until(lambda: WAITS in training.log(), training.screen)
    process.resume()
    assert (first.wait(300), second.wait(300)) == (0, 0), training.screen() + (other.root / "screen.txt").read_text()
    folders = {job.step: demo.root / plan.recipe(job).folder for job in plan.closure([SCORES])}
    assert {step: len(attempts(folders[step])) for step in ("train", "translate", "scores")} == ONCE


@pytest.mark.nightly
def test_a_waiting_job_that_is_killed_takes_nothing_of_the_one_that_has_finished(demo, other):
    """Snakemake removes the output of a failed job, unless the profile forbids it."""
    training = LongTraining(demo)
    LongTraining(other)
    first, process = training.started()
    process.suspend()
    second = start(other.root, training.target, "--cores", "1")
    until(lambda: WAITS in training.log(), training.screen)
    process.resume()
    (waiting,) = jobs_of(second)
    waiting.suspend()
    assert first.wait(300) == 0, training.screen()
    before = [(training.folder / name).read_bytes() for name in (MANIFEST, RECORD)]
    waiting.kill()
    assert second.wait(300) == 1
    assert [(training.folder / name).read_bytes() for name in (MANIFEST, RECORD)] == before


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_forced_job_that_does_not_end_leaves_the_artifact_and_may_be_forced_again(demo, programs, number):
    """Snakemake keeps the manifest of a job that runs again in .snakemake/backups, and puts it back where it fails."""
    training = LongTraining(demo)
    training.train(programs=programs)
    names = (MANIFEST, RECORD, "model/model.safetensors")
    before = {name: (training.folder / name).read_bytes() for name in names}
    driver, process = training.started("--forcerun", "train")
    backup = training.root / ".snakemake/backups" / training.target
    assert backup.read_bytes() == before[MANIFEST]
    os.killpg(driver.pid, number)
    driver.wait(120)
    psutil.wait_procs([process], timeout=60)
    assert {name: (training.folder / name).read_bytes() for name in names} == before
    training.project.snakemake("--unlock", training.target)
    training.train("--forcerun", "train", programs=programs)
    again = {name: (training.folder / name).read_bytes() for name in names}
    assert again.pop(RECORD) != before.pop(RECORD) and again == before
    assert not backup.exists()


def test_a_job_that_is_finished_though_its_driver_does_not_know_is_left_alone(demo):
    """As after a kill between the end of the job and Snakemake's note of it, or where Slurm has forgotten the job."""
    folder = demo.root / plan_of(demo.root).recipe(SCORES).folder
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    docmt("job", folder.relative_to(demo.root), cwd=demo.root, check=True)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert FINISHED in (folder / "log.2.txt").read_text()
