"""Two users with a project each and one store: the second trains nothing, and changes nothing of the first."""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.stored import files_of
from helpers.support import Project, need, run

FIRST, SECOND = 12345, 12346
PAGE = "results/8_report/smoke/demo/attention.html"
TO_READ = ("--inh-caps", "+dac_read_search", "--ambient-caps", "+dac_read_search")
"""Lets a user read the Python of the tests, wherever it is; nothing can be written with it."""

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become other users")


@pytest.fixture
def place(finished_demo: Project) -> Iterator[Path]:
    """A folder that all users reach, with a project of each and an empty store that everybody may write to."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o711)
        shutil.copytree(finished_demo.root, folder / str(FIRST), symlinks=True)
        without = shutil.ignore_patterns("results", "logs", ".snakemake")
        shutil.copytree(finished_demo.root, folder / str(SECOND), ignore=without)
        (folder / "store").mkdir()
        for uid in (FIRST, SECOND):
            Project(folder / str(uid)).edit("config.yaml", "store", str(folder / "store"))
            for path in (folder / str(uid), *(folder / str(uid)).rglob("*")):
                os.chown(path, uid, uid, follow_symlinks=False)
        os.chown(folder / "store", FIRST, FIRST)
        (folder / "store").chmod(0o1777)
        yield folder


def run_as(place: Path, uid: int, *command: str) -> str:
    """Run a command as a user, in the user's project; return what it says."""
    home = place / str(uid)
    words = ["setpriv", "--reuid", str(uid), "--regid", str(uid), "--clear-groups", *TO_READ]
    words += [
        "env",
        f"HOME={home}",
        f"XDG_CACHE_HOME={home}/.cache",
        f"TMPDIR={home}",
        f"USER=user{uid}",
        f"PATH={path_of_tests()}",
    ]
    done = run([*words, *command], home, check=True)
    return done.stdout + done.stderr


def path_of_tests() -> str:
    return os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))


@pytest.mark.slow
def test_the_second_user_trains_nothing_and_changes_nothing(place):
    need("setpriv")
    run_as(place, FIRST, "docmt", "store", "push", PAGE)
    before, store = files_of(place / "store"), place / "store"
    told = run_as(place, SECOND, "snakemake", "--cores", "2", PAGE)
    assert " ".join(re.search(r"^docmt: +((?:made|fetched).*)$", told, re.MULTILINE)[1].split()) == "made fetched", told
    rows = re.findall(r"^docmt: (5_training|6_\w+|7_\w+) +(\d*) +(\d+)$", told, re.MULTILINE)
    assert rows, told
    assert (place / str(SECOND) / PAGE).is_file()
    assert {name: data for name, data in files_of(store).items() if name in before} == before
    assert {(store / name).stat().st_uid for name in before} == {FIRST}
    with pytest.raises(AssertionError, match="not permitted"):
        run_as(place, SECOND, "rm", "-f", *(str(store / name) for name in before))
    assert files_of(store).items() >= before.items()
