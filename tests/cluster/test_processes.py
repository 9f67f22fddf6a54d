"""The processes of this machine that run the workflow."""

import subprocess
import sys

import pytest

from docmt.cluster.processes import LOCKS, LocalWork, driver_state, local_work


@pytest.fixture
def sleeping(tmp_path):
    """Start a process in a folder with these words behind its program."""
    started = []

    def start(*words: str, folder=tmp_path) -> int:
        code = "import os, time; os.close(1); time.sleep(60)"
        process = subprocess.Popen([sys.executable, "-c", code, *words], cwd=folder, stdout=subprocess.PIPE)
        process.stdout.read()
        started.append(process)
        return process.pid

    yield start
    for process in started:
        process.kill()
        process.wait()


def test_a_job_of_this_machine_is_known_by_its_recipe(sleeping, tmp_path):
    sleeping("job", "corpus", "results/1_corpus/toy/job.json", "--threads", "1")
    sleeping("job", "corpus")
    (tmp_path / "other").mkdir()
    sleeping("job", "corpus", "elsewhere/job.json", folder=tmp_path / "other")
    assert local_work(tmp_path) == LocalWork(recipes=frozenset({"results/1_corpus/toy/job.json"}))


def test_a_driver_is_the_snakemake_that_runs_no_job(tmp_path):
    program = tmp_path / "snakemake"
    program.write_text("import os, time\nos.close(1)\ntime.sleep(60)\n")
    drivers = []
    for words in (["all"], ["--mode", "remote"]):
        process = subprocess.Popen([sys.executable, program, *words], cwd=tmp_path, stdout=subprocess.PIPE)
        process.stdout.read()
        drivers.append(process)
    work = local_work(tmp_path)
    assert work.drivers == (drivers[0].pid,) and driver_state(tmp_path, work) == "here"
    for process in drivers:
        process.kill()
        process.wait()


def test_locks_without_a_driver_here_are_of_one_elsewhere_or_of_a_killed_one(tmp_path):
    assert driver_state(tmp_path, LocalWork()) == "none"
    (tmp_path / LOCKS).mkdir(parents=True)
    assert driver_state(tmp_path, LocalWork()) == "none"
    (tmp_path / LOCKS / "0.input.lock").touch()
    assert driver_state(tmp_path, LocalWork()) == "elsewhere or killed"
