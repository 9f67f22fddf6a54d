"""A killed training goes on to the same weights; a forced one begins again; a waiting job keeps its settings."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
from support import Project

RUN = "smoke/toy_zh-en/sentence/seed1"
MODEL = f"results/5_training/{RUN}/model"
STATE = f"results/state/5_training/{RUN}"


def long_training(project: Project) -> Project:
    """The finished demo, its sentence model to be trained again with more updates and frequent checkpoints."""
    rules = {"max_updates": 150, "save_every_updates": 5, "validate_every_updates": 50}
    smoke = project.read("workflow/scales/smoke.yaml")
    smoke["train"].update(rules)
    project.write("workflow/scales/smoke.yaml", smoke)
    return project


def weights(project: Project) -> bytes:
    return (project.root / MODEL / "model.safetensors").read_bytes()


def train_and_kill(project: Project) -> None:
    """Run the workflow until the training has written checkpoints; kill -9 the training; let the workflow fail."""
    command = [sys.executable, "-m", "snakemake", "--cores", "1", MODEL]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    driver = subprocess.Popen(command, cwd=project.root, env=environment, **quiet)
    deadline = time.monotonic() + 120
    while len(list((project.root / STATE).glob("checkpoint-*.pt"))) < 2:
        assert driver.poll() is None and time.monotonic() < deadline, "no checkpoint appeared"
        time.sleep(0.02)
    for process in psutil.Process(driver.pid).children(recursive=True):
        if "train" in process.cmdline() and "--state" in process.cmdline():
            process.send_signal(signal.SIGKILL)
    assert driver.wait(timeout=120) == 1, "the workflow reports the killed job"


def test_a_killed_training_ends_in_the_same_bits_as_one_never_stopped(demo):
    project = long_training(demo)
    train_and_kill(project)
    assert not (project.root / MODEL).exists()
    left = sorted(path.name for path in (project.root / STATE).glob("checkpoint-*.pt"))
    project.snakemake("--cores", "1", MODEL, check=True)
    resumed = weights(project)
    log = (project.root / f"logs/5_training/{RUN}.log").read_text()
    assert "resum" in log.lower() or "goes on" in log.lower(), log
    assert left and not list((project.root / STATE).glob("checkpoint-*.pt"))

    project.snakemake("--cores", "1", MODEL, "--forcerun", "train", check=True)
    record = json.loads((project.root / f"results/5_training/{RUN}/record.json").read_text())
    assert record["updates"] == 150
    assert weights(project) == resumed


def test_a_forced_training_begins_again(demo):
    before = (demo.root / MODEL / "model.safetensors").stat().st_mtime_ns
    demo.snakemake("--cores", "1", MODEL, "--forcerun", "train", check=True)
    metrics = (demo.root / f"results/5_training/{RUN}/metrics.jsonl").read_text().splitlines()
    assert (demo.root / MODEL / "model.safetensors").stat().st_mtime_ns > before
    assert min(json.loads(line)["update"] for line in metrics) <= 3, "its curve starts at the beginning"


def test_a_job_reads_its_settings_from_its_folder_only(demo):
    """What stands in config.yaml when a job starts does not reach it: the command is not told of it."""
    done = demo.snakemake("-n", "-p", MODEL, "--forcerun", "train", check=True)
    command = next(line for line in (done.stdout + done.stderr).splitlines() if "docmt train" in line)
    paths = [Path(word) for word in command.split() if "/" in word]
    assert f"--settings results/5_training/{RUN}/settings.json" in command
    assert all(path.parts[0] in ("results", "logs", "$(dirname") for path in paths), command
