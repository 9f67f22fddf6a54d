"""`docmt list-results --verify`: any changed bit of a finished artifact is found, and the command named removes it."""

import json
import os
import random
import shutil
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
from docmt.provenance.artifacts import damaged_files

KEYS = {"settings": {"more": 1}, "version": 99, "inputs": {"more": "results/x/0123456789"}, "libraries": {"more": "1"}}


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


def folders_of(root: Path) -> list[Path]:
    return sorted(path.parent.relative_to(root) for path in (root / "results").rglob(MANIFEST))


def damaged(root: Path) -> dict[str, str]:
    return {file.path: file.problem for folder in folders_of(root) for file in damaged_files(root, folder)}


def flip(path: Path, rng: random.Random) -> None:
    """Change one bit."""
    data = path.read_bytes()
    path.write_bytes(Change("flip", (rng.randrange(len(data)), rng.randrange(8))).of(data))


@pytest.mark.parametrize("seed", range(3))
def test_one_bit_in_every_file_is_found(root, seed):
    rng = random.Random(seed)
    files = sorted(path.relative_to(root).as_posix() for path in (root / "results").rglob("*") if path.is_file())
    # Where a manifest or a record is damaged, nobody knows the digests of the files that it lists.
    outputs = [path for path in files if not path.endswith((MANIFEST, RECORD, JOB))]
    assert damaged(root) == {}
    for changed in (outputs, *([path for path in files if path.endswith(end)] for end in (RECORD, MANIFEST))):
        before = {path: (root / path).read_bytes() for path in changed}
        for path in changed:
            flip(root / path, rng)
        assert sorted(where.partition(", ")[0] for where in damaged(root)) == changed
        for path, data in before.items():
            (root / path).write_bytes(data)


@pytest.mark.parametrize("key", KEYS)
def test_a_recipe_asks_for_what_its_folder_is_named_after(root, key):
    path = folders_of(root)[-1] / JOB
    value = json.loads((root / path).read_bytes())
    value[key] = KEYS[key] if key == "version" else {**value[key], **KEYS[key]}
    write_json(root / path, value)
    assert damaged(root) == {str(path): "the file was changed by hand"}


def test_missing_files_and_pipes_are_named(root):
    path = folders_of(root)[-1] / "exit.json"
    (root / path).unlink()
    assert [*damaged(root)] == [str(path)]
    os.mkfifo(root / path)
    assert damaged(root) == {str(path): "not a plain file"}


def test_results_of_an_older_version_are_one_message(root):
    (root / "results/frozen_grid.json").touch()
    with pytest.raises(UserError, match="results of an older docmt"):
        invoke("list-results", "--verify", "--root", root)


def test_the_command_names_what_is_wrong_and_how_it_is_removed_and_ends_with_1(root):
    folder, count = folders_of(root)[-1], len(folders_of(root))
    assert invoke("list-results", "--verify", "--root", root).stdout == f"{count} artifacts: every byte is right\n"
    (root / folder / "exit.json").write_bytes(b"{}")
    result = invoke("list-results", "--verify", "--root", root, root / folder)
    what, mend, last = result.stdout.splitlines()
    assert result.exit_code == 1 and mend == f"  rm -r {root / folder}" and last == "1 artifact: 1 damaged file"
    assert what.startswith(f"{folder}/exit.json: sha256 ")
    result = invoke("list-results", "--verify", "--root", root, "--json")
    printed = json.loads(result.stdout)
    assert result.exit_code == 1 and [file["path"] for file in printed["damaged"]] == [f"{folder}/exit.json"]
    assert invoke("list-results", "--verify", "--root", root, root / "results/2_tokens").exit_code == 0


@pytest.mark.parametrize("place", ["results/none", "config.yaml", "results/../other"])
def test_places_elsewhere_are_refused(root, place):
    with pytest.raises(UserError, match="no finished results are here"):
        invoke("list-results", "--verify", "--root", root, root / place)
