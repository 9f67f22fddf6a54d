"""A disk that is full or read-only in each stage: one message, nothing half-written; with room, the same bytes."""

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from helpers.support import Project, need

from docmt.base.manifest import RECORD, SETTINGS
from docmt.base.recipe import JOB

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
    8: ("item", "results/8_report/smoke/demo/quality.csv", "quality.csv"),
}
"""By stage: a rule, a file of its job, and which of the job's files have the same bytes each time."""
SIZE = 64 << 20


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
    """A disk of its own at the place of the folder, which keeps its recipe."""
    paths = [*folder.rglob(f"*{SETTINGS}"), *folder.rglob(f"*{JOB}")]
    recipe = {path.relative_to(folder): path.read_bytes() for path in paths}
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)]
    need("mount")
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("needs the right to mount a disk")
    try:
        for name, content in recipe.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def fill(ballast: Path) -> None:
    """Leave no byte of the disk."""
    with ballast.open("wb", buffering=0) as stream, suppress(OSError):
        while True:
            stream.write(bytes(1 << 12))


def contents(folder: Path, pattern: str = "*") -> dict[str, bytes]:
    """Files by their names, without the records of runs, which have times."""
    files = {path.relative_to(folder): path for path in sorted(folder.rglob("*")) if path.is_file()}
    others = ("ballast", ".snakemake_timestamp")
    names = [name for name in files if name.match(pattern) and not name.name.endswith((*others, RECORD))]
    return {str(name): files[name].read_bytes() for name in names}


def check_message(done: subprocess.CompletedProcess, what: str) -> None:
    """Ours, or typer's, which looks at folders before anything is begun."""
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("docmt: ") + done.stderr.count("Error: ") == 1, done.stderr
    assert re.search(what, done.stderr) and "Traceback" not in done.stderr, done.stderr


def check_whole(left: dict[str, bytes], expected: dict[str, bytes]) -> None:
    """What has the name of a result is that result; nothing else stays."""
    ours = {name: content for name, content in left.items() if not name.startswith("tensorboard/")}
    assert {name: content for name, content in ours.items() if expected.get(name) != content} == {}


@pytest.mark.parametrize("stage", [pytest.param(n, marks=[] if n == 3 else pytest.mark.slow) for n in JOBS])
def test_a_disk_without_room_and_one_that_is_read_only(demo, stage):
    rule, target, same = JOBS[stage]
    folder = (demo.root / target).parent
    if stage == 0:
        demo.snakemake("--cores", "1", target, check=True)
    command, whole, expected = command_of(demo, rule, target), contents(folder), contents(folder, same)
    with small_disk(folder):
        fill(folder / "ballast")
        check_message(run(demo, command), "the disk is full")
        check_whole(contents(folder), whole)
        (folder / "ballast").unlink()
        done = run(demo, command)
        assert done.returncode == 0, done.stderr
        assert contents(folder, same) == expected, "other bytes once there is room"
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
        before = contents(folder)
        check_message(run(demo, command), "read-only|not writable")
        assert contents(folder) == before
