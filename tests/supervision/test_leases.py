"""The lease of a job's folder: of two processes, on one machine or on two, one does the job and the other waits."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers.support import environment, need

SCRIPT = """
import sys
from pathlib import Path
from docmt.supervision import lease
lease.STALE_S, lease.LOOK_S, lease.BEAT_S = float(sys.argv[2]), 0.05, 0.1
from docmt.supervision.lease import leased
done = Path(sys.argv[1], "manifest.json")
with leased(done.parent, done.exists, lambda line: print(line, flush=True)) as has_lease:
    if not has_lease or done.exists():
        print("finished already", flush=True)
    else:
        print("works", flush=True)
        sys.stdin.readline()
        done.touch()
"""
OTHER_HOST = ("unshare", "--uts", "sh", "-c", 'hostname other-host && exec "$@"', "sh")


@pytest.fixture(params=["one host", "two hosts"])
def before(request) -> tuple[str, ...]:
    """What the command line of the second process begins with."""
    if request.param == "one host":
        return ()
    need("unshare")
    if subprocess.run([*OTHER_HOST, "true"], capture_output=True).returncode:
        pytest.skip("needs leave to unshare the name of the machine")
    return OTHER_HOST


class Worker(subprocess.Popen):
    """A process that wants to do the job of a folder; it works until it gets a line."""

    def __init__(self, folder: Path, before: tuple[str, ...] = (), stale_s: float = 60.0) -> None:
        command = [*before, sys.executable, "-c", SCRIPT, str(folder), str(stale_s)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        super().__init__(command, env=environment(), **pipes)

    def says(self) -> str:
        """Its next line."""
        return self.stdout.readline().strip()

    def finishes(self) -> str:
        """Do the job, where it has it; what it says from now on."""
        said, _ = self.communicate("\n", timeout=60)
        assert self.returncode == 0
        return said


@pytest.fixture
def first(tmp_path: Path):
    """The process that has the job."""
    with Worker(tmp_path) as worker:
        assert worker.says() == "works"
        yield worker
        worker.kill()


def test_the_second_waits_until_the_first_has_finished(tmp_path, before, first):
    with Worker(tmp_path, before) as second:
        while "another process does this job: process" not in (said := second.says()):
            assert "last sign of life" in said, said
        first.finishes()
        assert second.finishes() == "finished already\n"
    assert not (tmp_path / "process.json").exists()


def test_one_that_gives_signs_of_life_is_waited_for_however_long_it_takes(tmp_path, before, first):
    with Worker(tmp_path, before, stale_s=0.5) as second:
        time.sleep(2)
        first.finishes()
        said = second.finishes()
        assert "works" not in said and said.endswith("finished already\n"), said


def test_one_that_was_killed_is_followed_at_once_or_after_a_silence(tmp_path, before, first):
    """A machine knows of its own processes, and of others by their signs of life alone."""
    first.kill()
    first.wait()
    with Worker(tmp_path, before, stale_s=1.0) as second:
        said = second.finishes()
    assert "works" in said and (tmp_path / "manifest.json").exists()
    assert ("gave no sign of life" in said) == bool(before)
