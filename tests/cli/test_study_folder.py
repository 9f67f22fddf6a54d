"""The folder that `docmt init` makes."""

from pathlib import Path

import pytest
from helpers.support import ROOT, copy_project

from docmt.base.errors import UserError
from docmt.base.schemas import CONFIG, FOLDER, STUDY, schema_line
from docmt.cli.init import make_study_folder
from docmt.grid.grid import load_grid


def test_it_has_the_manual_with_an_example_and_links_to_the_clone(tmp_path):
    folder = tmp_path / "mine"
    make_study_folder(folder, ROOT)
    manual, config = (ROOT / "config.yaml").read_text(), (folder / "config.yaml").read_text()
    assert [line for line in config.splitlines() if line not in manual.splitlines()] == [
        "studies: [studies/example.yaml]"
    ]
    assert {path.name for path in folder.iterdir() if path.is_symlink()} == {"workflow", "envs"}
    assert (folder / "workflow").resolve() == ROOT / "workflow"
    for file, schema in (("config.yaml", CONFIG), ("studies/example.yaml", STUDY)):
        line = (folder / file).read_text(encoding="utf-8").splitlines()[0]
        assert line == schema_line(folder, (folder / file).parent, schema)
        assert ((folder / file).parent / line.split("=")[1]).resolve() == ROOT / FOLDER / schema
    assert (folder / "profiles/default/config.yaml").is_file() and (folder / "slurm").is_dir()
    grid = load_grid(folder)
    assert grid.active == ("example",) and {"demo", "example"} <= set(grid.studies)
    demo = {entry.system.name: entry for entry in grid.of_study("demo")}
    for entry in grid.of_study("example"):
        assert entry.trained == demo[entry.system.name].trained, "models of the demo are models of the example"


def test_files_of_a_read_only_clone_can_be_edited(tmp_path):
    clone = copy_project(tmp_path / "clone").root
    for path in (clone, *clone.rglob("*")):
        path.chmod(path.stat().st_mode & 0o555)
    folder = tmp_path / "mine"
    make_study_folder(folder, clone)
    files = [path for path in folder.rglob("*") if not path.is_symlink()]
    assert files and all(path.stat().st_mode & 0o200 for path in files)


@pytest.mark.parametrize("place", ["mine", "results"])
def test_a_folder_inside_the_clone_is_refused(place):
    with pytest.raises(UserError, match="a study folder is outside the clone"):
        make_study_folder(ROOT / place, ROOT)


def test_an_empty_present_folder_is_filled(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_study_folder(Path(), ROOT)
    assert {"config.yaml", "Snakefile", "README.md", "workflow"} <= {path.name for path in tmp_path.iterdir()}
    assert not (tmp_path / ".new").exists()
    with pytest.raises(UserError, match="the output is there already"):
        make_study_folder(Path(), ROOT)


def test_a_folder_with_files_is_left_as_it_is(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="the output is there already"):
        make_study_folder(tmp_path, ROOT)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
