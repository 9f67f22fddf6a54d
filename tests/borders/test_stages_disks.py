"""A disk that is full or read-only in each stage: one message, nothing half-written; with room, the same bytes."""

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from helpers.damage import the_message
from helpers.planted import at
from helpers.refusals import LOG
from helpers.support import Project, docmt, need

from docmt.base.manifest import MANIFEST, RECORD
from docmt.base.recipe import JOB

DATA, RUN = "toy_zh-en@smoke/truecase_separate4k", "toy_zh-en/sentence/seed1"
JOBS = {
    1: ("corpus", "1_corpus/toy_zh-en@smoke", "*"),
    2: ("tokens", f"2_tokens/{DATA}", "*"),
    3: ("views", f"3_views/{DATA}/window1", "*"),
    4: ("chain_words", f"4_chain_words/{DATA}", "*"),
    5: ("train", f"5_training/{RUN}", "model/model.safetensors"),
    6: ("translate", f"6_translations/{RUN}", "test*.txt"),
    7: ("scores", f"7_scores/{RUN}", "*"),
    8: ("page", "8_report/smoke/demo/quality", "quality.csv"),
}
"""By stage: a step, a place of its jobs, and which of a job's files have the same bytes each time."""
SIZE = 64 << 20


def run(project: Project, step: str, folder: Path) -> subprocess.CompletedProcess:
    return docmt("job", folder.relative_to(project.root), cwd=project.root)


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """A disk of its own at the place of the folder, which keeps its recipe."""
    recipe = (folder / JOB).read_bytes()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)]
    need("mount")
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("needs the right to mount a disk")
    try:
        (folder / JOB).write_bytes(recipe)
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def fill(ballast: Path) -> None:
    """Leave no byte of the disk."""
    with ballast.open("wb", buffering=0) as stream, suppress(OSError):
        while True:
            stream.write(bytes(1 << 12))


def contents(folder: Path, pattern: str = "*") -> dict[str, bytes]:
    """Files by their names, without logs and the records of runs, which have times."""
    files = {path.relative_to(folder): path for path in sorted(folder.rglob("*")) if path.is_file()}
    names = [name for name in files if name.match(pattern) and name.name not in ("ballast", RECORD)]
    return {str(name): files[name].read_bytes() for name in names if not LOG.search(str(name))}


def check_message(done: subprocess.CompletedProcess, what: str) -> None:
    """The one message of a job says what is wrong."""
    assert done.returncode == 2, done.stderr
    assert re.search(what, the_message(done.stderr)) and "Traceback" not in done.stderr, done.stderr


def check_whole(left: dict[str, bytes], expected: dict[str, bytes]) -> None:
    """What has the name of a result is that result; nothing else stays."""
    ours = {name: content for name, content in left.items() if not name.startswith("tensorboard/")}
    assert {name: content for name, content in ours.items() if expected.get(name) != content} == {}


@pytest.mark.parametrize("stage", [pytest.param(n, marks=[] if n == 3 else pytest.mark.slow) for n in JOBS])
def test_a_disk_without_room_and_one_that_is_read_only(demo, stage):
    step, place, same = JOBS[stage]
    folder = demo.root / at(demo, place)
    whole, expected = contents(folder), contents(folder, same)
    with small_disk(folder):
        fill(folder / "ballast")
        check_message(run(demo, step, folder), "the disk is full")
        check_whole(contents(folder), whole)
        (folder / "ballast").unlink()
        done = run(demo, step, folder)
        assert done.returncode == 0, done.stderr
        assert contents(folder, same) == expected, "other bytes once there is room"
        (folder / MANIFEST).unlink()
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
        before = contents(folder)
        check_message(run(demo, step, folder), "read-only|not writable")
        assert contents(folder) == before
