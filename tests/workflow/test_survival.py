"""A killed training goes on to the same weights; a forced one begins again; a waiting job keeps its settings."""

import json
import re
import signal

import psutil
import pytest
from interrupted import UPDATES, LongTraining, until


def train_and_end(training: LongTraining, number: signal.Signals) -> str:
    """Run the workflow until the training has written checkpoints; signal the training; what the workflow then says."""
    driver, process = training.started()
    process.send_signal(number)
    assert driver.wait(timeout=120) == 1, "the workflow reports the job"
    return training.screen()


@pytest.mark.nightly
def test_a_killed_training_ends_in_the_same_bits_as_one_never_stopped(demo, undisturbed, programs):
    training = LongTraining(demo)
    train_and_end(training, signal.SIGKILL)
    assert not training.is_finished() and training.checkpoints() > 1
    training.train(programs=programs)
    assert "resuming from the checkpoint" in training.log()
    assert not training.scratch.exists()
    assert json.loads((training.folder / "record.json").read_text())["updates"] == UPDATES
    assert training.weights() == undisturbed


@pytest.mark.nightly
def test_a_stopped_training_is_explained_and_goes_on_after_others_of_other_settings(demo, undisturbed, programs):
    training = LongTraining(demo)
    said = train_and_end(training, signal.SIGTERM)
    assert re.search(rf"stopped: {training.place}/log\.1\.txt: .*asked to stop", said), said
    other = LongTraining(demo, updates=8)
    other.train(programs=programs)
    assert other.place != training.place and other.is_finished() and training.checkpoints() > 1
    LongTraining(demo).train(programs=programs)
    assert "resuming from the checkpoint" in training.log()
    assert training.weights() == undisturbed


@pytest.mark.slow
def test_a_training_that_outlived_its_workflow_is_waited_for(demo, undisturbed):
    """The workflow is killed and unlocked; its job, which cannot hear of it, is still there when the next one begins.

    `--unlock` leaves the lease of the job. Once the job hears, it stops in good order, and the next one goes on.
    """
    training = LongTraining(demo)
    driver, process = training.started()
    process.suspend()
    driver.kill()
    driver.wait()
    leases = {path: path.read_bytes() for path in training.folder.rglob("process.json")}
    demo.snakemake("--unlock", training.target, check=True)
    assert len(leases) == 1 and all(path.read_bytes() == lease for path, lease in leases.items())
    again = training.started_again()
    until(lambda: "another process does this job" in training.log(), training.screen)
    assert f"process {process.pid} on " in training.log() and process.is_running()
    process.resume()
    psutil.wait_procs([process], timeout=60)
    assert again.wait(120) == 0, training.screen()
    assert "asked to stop" in training.log() and training.weights() == undisturbed


def test_on_a_cluster_a_training_ends_before_its_time_and_goes_on_in_the_next_job(demo, programs, monkeypatch):
    """Of the two minutes that it asks for, both are kept for the end: each job makes one update."""
    training = LongTraining(demo)
    monkeypatch.setenv("DOCMT_ON_CLUSTER", "1")
    for update in (1, 2):
        done = training.train("--set-resources", "train:runtime=2", programs=programs, check=False)
        assert done.returncode == 1
        assert (training.ending()["reason"], training.ending()["update"]) == ("deadline", update)


def test_a_job_reads_its_settings_from_its_folder_only(demo):
    """What stands in config.yaml when a job starts does not reach it: the command is not told of it."""
    training = LongTraining(demo)
    done = training.train("-n", "-p", "--forcerun", "train")
    command = next(line for line in (done.stdout + done.stderr).splitlines() if "docmt job " in line)
    assert re.findall(r"\S*/\S*", command) == [f'{training.target})"'], command
