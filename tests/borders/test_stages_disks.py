"""A disk that is full or read-only in each stage: one message, nothing half-written; with room, the same bytes."""

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support import Project

CORPUS, TEXT, VIEW = "toy_zh-en@smoke", "truecase_separate4k", "window1"
RUN = "smoke/toy_zh-en/sentence/seed1"
JOBS = {
    0: ("checkpoint", "results/0_models/mbart25@smoke/config.json", "*"),
    1: ("corpus", f"results/1_corpus/{CORPUS}/card.json", "*"),
    2: ("tokens", f"results/2_tokens/{CORPUS}/{TEXT}/card.json", "*"),
    3: ("views", f"results/3_views/{CORPUS}/{TEXT}/{VIEW}/card.json", "*"),
    4: ("chain_words", f"results/4_chains/{CORPUS}/{TEXT}/words/card.json", "*"),
    5: ("train", f"results/5_training/{RUN}/record.json", "model/model.safetensors"),
    6: ("translate", f"results/6_translations/{RUN}/decoding.json", "test*.txt"),
    7: ("scores", f"results/7_scores/{RUN}/scores.json", "*"),
    8: ("item", "results/8_report/demo/quality.csv", "quality.csv"),
}
"""By stage: a rule, a file of its job, and which of the job's files have the same bytes each time."""
SIZE = 64 << 20
ROOM = 8 << 10
"""What a disk that is as good as full has left: enough for a beginning."""


def command_of(project: Project, rule: str, target: str) -> str:
    """What the rule's job runs, with the workflow's environment."""
    done = project.snakemake("-n", "-p", target, "--forcerun", rule, check=True)
    (command,) = dict.fromkeys(re.findall(r"exec (docmt .*)", done.stdout + done.stderr))
    return re.sub(r" > \S+ 2>&1$", "", command)


def run(project: Project, command: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "DOCMT_DEVICE": "cpu"}
    arguments = ["bash", "-euo", "pipefail", "-c", f"exec {command}"]
    return subprocess.run(arguments, cwd=project.root, env=environment, capture_output=True, text=True, timeout=300)


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """A disk of its own at the place of the folder, which keeps its settings."""
    settings = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("settings.json")}
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)], capture_output=True
    ).returncode:
        pytest.skip("needs the right to mount a disk")
    try:
        for name, content in settings.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def contents(folder: Path, pattern: str = "*") -> dict[str, bytes]:
    """Files by their names, those that a job writes for people and TensorBoard left out."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.match(pattern))
    return {str(path.relative_to(folder)): path.read_bytes() for path in files if "downloads" not in path.parts}


def check_message(done: subprocess.CompletedProcess, what: str) -> None:
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("docmt: ") == 1 and what in done.stderr, done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("stage", [pytest.param(n, marks=[] if n == 3 else pytest.mark.slow) for n in JOBS])
def test_a_disk_without_room_and_one_that_is_read_only(demo, stage):
    rule, target, same = JOBS[stage]
    folder = (demo.root / target).parent
    if stage == 0:
        demo.snakemake("--cores", "1", target, check=True)
    command, expected = command_of(demo, rule, target), contents(folder, same)
    with small_disk(folder):
        ballast = folder / "ballast"
        ballast.write_bytes(bytes(SIZE - sum(map(len, contents(folder).values())) - 16 * 4096 - ROOM))
        before = contents(folder)
        check_message(run(demo, command), "the disk is full")
        assert contents(folder) == before, "something half-written stays"
        ballast.unlink()
        done = run(demo, command)
        assert done.returncode == 0, done.stderr
        assert contents(folder, same) == expected, "other bytes once there is room"
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
        before = contents(folder)
        check_message(run(demo, command), "read-only")
        assert contents(folder) == before
