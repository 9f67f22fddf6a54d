"""A training of the workflow that a test may interrupt."""

import json
import os
import subprocess
import sys
import time

import psutil
from helpers.support import Project

RUN = "smoke/toy_zh-en/sentence/seed1"
MODEL = f"results/5_training/{RUN}/model"
STATE = f"results/state/5_training/{RUN}"
WAIT_S = 120
UPDATES = 60


def long_training(project: Project) -> Project:
    """The finished demo, its sentence model to be trained again with more updates and frequent checkpoints."""
    rules = {"max_updates": UPDATES, "save_every_updates": 5, "validate_every_updates": 20}
    smoke = project.read("workflow/scales/smoke.yaml")
    smoke["train"].update(rules)
    project.write("workflow/scales/smoke.yaml", smoke)
    return project


def weights(project: Project) -> bytes:
    return (project.root / MODEL / "model.safetensors").read_bytes()


def started(project: Project, *options: str) -> tuple[subprocess.Popen, psutil.Process]:
    """The workflow, in a process group of its own, and its training, which has written checkpoints."""
    command = [sys.executable, "-m", "snakemake", "--cores", "1", MODEL, *options]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with (project.root / "screen.txt").open("w") as stream:
        driver = subprocess.Popen(
            command, cwd=project.root, env=environment, stdout=stream, stderr=stream, start_new_session=True
        )
    deadline = time.monotonic() + WAIT_S
    while len(list((project.root / STATE).glob("checkpoint-*.pt"))) < 2:
        assert driver.poll() is None and time.monotonic() < deadline, "no checkpoint appeared"
        time.sleep(0.02)
    return driver, psutil.Process(json.loads((project.root / STATE / "process.json").read_text())["process"])
