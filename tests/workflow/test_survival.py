"""A killed training goes on to the same weights; a forced one begins again; a waiting job keeps its settings."""

import json
import signal

import psutil
import pytest
from helpers.support import Project
from interrupted import MODEL, RUN, STATE, UPDATES, long_training, started, weights


def train_and_end(project: Project, number: signal.Signals) -> str:
    """Run the workflow until the training has written checkpoints; signal the training; what the workflow then says."""
    driver, training = started(project)
    training.send_signal(number)
    assert driver.wait(timeout=120) == 1, "the workflow reports the job"
    return (project.root / "screen.txt").read_text()


def test_a_killed_training_ends_in_the_same_bits_as_one_never_stopped(demo, undisturbed, programs):
    project = long_training(demo)
    train_and_end(project, signal.SIGKILL)
    assert not (project.root / MODEL).exists()
    left = sorted(path.name for path in (project.root / STATE).glob("checkpoint-*.pt"))
    project.snakemake("--cores", "1", MODEL, check=True, programs=programs)
    log = (project.root / f"logs/5_training/{RUN}.log").read_text()
    assert "resum" in log.lower() or "goes on" in log.lower(), log
    assert left and not list((project.root / STATE).glob("checkpoint-*.pt"))
    record = json.loads((project.root / f"results/5_training/{RUN}/record.json").read_text())
    assert record["updates"] == UPDATES
    assert weights(project) == undisturbed


def test_a_stopped_training_is_explained_and_kept_beside_one_of_other_settings(demo, programs):
    project = long_training(demo)
    said = train_and_end(project, signal.SIGTERM)
    assert f"docmt: {STATE}: stopped after update " in said and "(status 75): asked to stop" in said
    project.edit("workflow/scales/smoke.yaml", "train.max_updates", 8)
    project.snakemake("--cores", "1", MODEL, check=True, programs=programs)
    log = (project.root / f"logs/5_training/{RUN}.log").read_text()
    assert "the state of another run (settings.train.max_updates changed) is set aside as" in log
    checkpoints = list((project.root / STATE).parent.glob("seed1.*/checkpoint-*.pt"))
    assert len(checkpoints) == 2
    assert not (project.root / STATE).exists()


@pytest.mark.slow
def test_a_training_that_outlived_its_workflow_keeps_the_state(demo):
    """The workflow is killed and unlocked; its job, which cannot hear of it, is still there when the next one begins.

    That one leaves it alone; once it hears, it stops in good order.
    """
    project = long_training(demo)
    project.edit("workflow/scales/smoke.yaml", "train.max_updates", 100_000)
    driver, training = started(project)
    training.suspend()
    driver.kill()
    driver.wait()
    project.snakemake("--unlock", MODEL, check=True)
    assert project.snakemake("--cores", "1", MODEL).returncode == 1
    log = (project.root / f"logs/5_training/{RUN}.log").read_text()
    assert f"{STATE}: another training works on this state folder" in log
    assert f"found process {training.pid} on " in log
    assert training.is_running() and not (project.root / STATE / "exit.json").exists()
    training.resume()
    psutil.wait_procs([training], timeout=60)
    assert json.loads((project.root / STATE / "exit.json").read_text())["reason"] == "stopped"


def test_on_a_cluster_a_training_ends_before_its_time_and_goes_on_in_the_next_job(demo, programs, monkeypatch):
    """Of the two minutes that it asks for, both are kept for the end: each job makes one update."""
    project = long_training(demo)
    monkeypatch.setenv("DOCMT_ON_CLUSTER", "1")
    for update in (1, 2):
        done = project.snakemake("--cores", "1", MODEL, "--set-resources", "train:runtime=2", programs=programs)
        assert done.returncode == 1
        assert f"docmt: {STATE}: deadline after update {update} (status 75)" in done.stderr


def test_a_forced_training_begins_again(demo, programs):
    before = (demo.root / MODEL / "model.safetensors").stat().st_mtime_ns
    demo.snakemake("--cores", "1", MODEL, "--forcerun", "train", check=True, programs=programs)
    metrics = (demo.root / f"results/5_training/{RUN}/metrics.jsonl").read_text().splitlines()
    assert (demo.root / MODEL / "model.safetensors").stat().st_mtime_ns > before
    assert min(json.loads(line)["update"] for line in metrics) <= 3, "its curve starts at the beginning"


def test_a_job_reads_its_settings_from_its_folder_only(demo):
    """What stands in config.yaml when a job starts does not reach it: the command is not told of it."""
    done = demo.snakemake("-n", "-p", MODEL, "--forcerun", "train", check=True)
    command = next(line for line in (done.stdout + done.stderr).splitlines() if "docmt job train " in line)
    paths = [word for word in command.split() if "/" in word]
    assert paths == [f"results/5_training/{RUN}/job.json", f"logs/5_training/{RUN}.log"], command
