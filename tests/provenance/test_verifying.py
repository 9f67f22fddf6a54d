"""`docmt list-results --verify`: any changed bit of any file is found, and the command that is named removes it."""

import hashlib
import json
import os
import random
import shutil
import time
from contextlib import chdir
from pathlib import Path

import pytest
from helpers.byte_changes import Change
from helpers.command_line import invoke
from helpers.planted import plan_of, plant
from helpers.small_grid import small_project

from docmt.base.artifacts import write_json
from docmt.base.errors import UserError
from docmt.base.manifest import MANIFEST, RECORD
from docmt.base.recipe import JOB
from docmt.plan.plan import Job
from docmt.provenance import verifying
from docmt.provenance.verifying import verify

SEEDS = range(3)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the artifacts of a training and of what it is made from."""
    root = small_project(tmp_path_factory.mktemp("made") / "project").root
    with chdir(root):
        plan = plan_of(root)
        plant(root, plan, [Job.of("train", corpus="toy", system="fine", seed=1)])
    return root


@pytest.fixture
def root(finished: Path, tmp_path: Path) -> Path:
    return shutil.copytree(finished, tmp_path / "copy")


def folder_of(root: Path, stage: str = "5_training") -> Path:
    return sorted((root / "results" / stage).rglob(MANIFEST))[0].parent.relative_to(root)


def flip(path: Path, rng: random.Random) -> None:
    """Change one bit, as a disk does: size and time stay."""
    data, status = path.read_bytes(), path.stat()
    path.write_bytes(Change("flip", (rng.randrange(len(data)), rng.randrange(8))).of(data))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def problems(root: Path, *places: str) -> dict[str, str]:
    return {file.path: file.problem for file in verify(root, places).damaged}


@pytest.mark.parametrize("seed", SEEDS)
def test_one_bit_in_every_file_is_found(root, seed):
    rng = random.Random(seed)
    files = sorted(path.relative_to(root).as_posix() for path in (root / "results").rglob("*") if path.is_file())
    # Where a manifest or a record is damaged, nobody knows the digests of the files that it lists.
    outputs = [path for path in files if not path.endswith((MANIFEST, RECORD, JOB))]
    assert verify(root).files == len(files) and verify(root).damaged == ()
    for changed in (outputs, *([path for path in files if path.endswith(end)] for end in (RECORD, MANIFEST))):
        before = {path: (root / path).read_bytes() for path in changed}
        for path in changed:
            flip(root / path, rng)
        assert [file.path for file in verify(root).damaged] == changed
        for path, data in before.items():
            (root / path).write_bytes(data)


@pytest.mark.parametrize("key", ["settings", "version", "inputs", "libraries"])
def test_a_recipe_asks_for_what_its_folder_is_named_after(root, key):
    path = root / folder_of(root) / JOB
    value = json.loads(path.read_bytes())
    value[key] = 99 if key == "version" else {**value[key], "more": "results/x/0123456789"}
    write_json(path, value)
    assert problems(root) == {f"{folder_of(root)}/{JOB}": "changed by hand"}
    path.unlink()
    assert problems(root) == {f"{folder_of(root)}/{JOB}": "it is missing, or no plain file"}


def test_the_message_says_what_differs_and_how_it_is_removed(root):
    path = folder_of(root) / "exit.json"
    (root / path).write_bytes(b"{}")
    (file,) = verify(root).damaged
    assert file.problem.startswith("sha256 ") and file.problem.endswith(f"as {path.parent}/{MANIFEST} states")
    assert file.mend == f"rm -r {path.parent}"


def test_missing_files_and_pipes_are_named(root):
    path = folder_of(root) / "exit.json"
    (root / path).unlink()
    assert problems(root) == {str(path): "it is missing, or no plain file"}
    os.mkfifo(root / path)
    assert problems(root) == {str(path): "it is missing, or no plain file"}


def test_links_within_the_results_are_not_read_and_those_out_of_it_once(root, tmp_path):
    files = verify(root).files
    (root / "results/again").symlink_to(root / "results")
    (root / "results/page.html").symlink_to(root / folder_of(root) / "exit.json")
    (root / "results/5_training").rename(tmp_path / "disk")
    (root / "results/5_training").symlink_to(tmp_path / "disk")
    (tmp_path / "disk/loop").symlink_to(tmp_path / "disk")
    assert verify(root) == verifying.Verified(files, verify(root).bytes, (), ())


def test_what_a_job_writes_meanwhile_is_not_called_damaged(root, monkeypatch):
    def replaced(*_) -> dict[str, str]:
        (root / folder_of(root) / MANIFEST).touch()
        return {f"{folder_of(root)}/exit.json": "sha256"}

    monkeypatch.setattr(verifying, "_problems", replaced)
    assert problems(root) == {}


def test_results_of_an_older_version_are_one_message(root):
    (root / "results/frozen_grid.json").touch()
    with pytest.raises(UserError, match="results of an older docmt"):
        verify(root)


def test_downloads_are_compared_with_their_note(tmp_path):
    folder = tmp_path / "results/1_corpus/mine/downloads"
    folder.mkdir(parents=True)
    (folder / "a.txt").write_bytes(b"a")
    write_json(folder / ".a.txt.source.json", {"source": "https://host", "sha256": hashlib.sha256(b"a").hexdigest()})
    assert problems(tmp_path) == {} and verify(tmp_path).files == 1
    (folder / "a.txt").write_bytes(b"x")
    (file,) = verify(tmp_path).damaged
    path = "results/1_corpus/mine/downloads/a.txt"
    assert (file.path, file.mend) == (path, f"rm {path}")


def test_what_nothing_states_is_counted_and_named(root):
    (root / "results/notes.txt").write_text("mine")
    for name in ("log.1.txt", "process.json", "scratch/run.json"):
        (root / folder_of(root) / name).parent.mkdir(exist_ok=True)
        (root / folder_of(root) / name).write_text("of a run")
    result = invoke("list-results", "--verify", "--root", root)
    assert result.exit_code == 0 and result.stdout.splitlines()[1:] == [
        "not checked, since nothing states their digest: 1 (results/notes.txt)",
    ]


def test_the_command_ends_with_1_where_a_file_is_damaged_and_has_it_as_json(root):
    path = str(folder_of(root) / "exit.json")
    (root / path).write_bytes(b"{}")
    result = invoke("list-results", "--verify", "--root", root, "--json")
    printed = json.loads(result.stdout)
    assert result.exit_code == 1 and [file["path"] for file in printed["damaged"]] == [path]
    assert invoke("list-results", "--verify", "--root", root, "results/5_training").exit_code == 1
    assert invoke("list-results", "--verify", "--root", root, "results/2_tokens").exit_code == 0
    assert invoke("list-results", "--verify", "--root", root, path).stdout.splitlines()[2].startswith("read 1 files")


@pytest.mark.parametrize("place", ["results/none", "config.yaml", "/", "results/../other"])
def test_places_elsewhere_are_refused(root, place):
    with pytest.raises(UserError, match="no file or folder below results/"):
        invoke("list-results", "--verify", "--root", root, place)


def test_a_line_a_second_says_how_far_it_is(root, monkeypatch):
    monkeypatch.setattr(verifying, "PROGRESS_S", 0.01)
    monkeypatch.setattr(verifying, "sha256_file", lambda path: time.sleep(0.05) or "")
    assert "% of 0.0 MB, " in invoke("list-results", "--verify", "--root", root).stderr
