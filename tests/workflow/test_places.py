"""Where results live: apart from the clone, into which nothing is written; by --directory, or in a study folder."""

import re
import shutil
from pathlib import Path

import pytest
from helpers.planted import at
from helpers.support import ROOT, Project, docmt, planned

PAGE, PLACE = "results/8_report/smoke/demo/quality.html", "8_report/smoke/demo/quality"


def contents(folder: Path) -> dict[Path, int]:
    """The files and folders below a folder, with their times, but for what Python compiles."""
    paths = (path for path in folder.rglob("*") if "__pycache__" not in path.parts)
    return {path: path.lstat().st_mtime_ns for path in paths}


@pytest.fixture
def clone(demo) -> Project:
    """A clone without results, with the manual as it is, at scale smoke."""
    manual = (ROOT / "config.yaml").read_text().replace("\nscale: paper\n", "\nscale: smoke\n")
    demo.write("config.yaml", re.sub(r"\nstudies: .*\n", "\nstudies: [demo]\n", manual))
    shutil.rmtree(demo.root / ".snakemake")
    return demo


@pytest.fixture
def scratch(clone, tmp_path) -> Path:
    """A folder elsewhere with the results of the clone's demo."""
    (tmp_path / "scratch").mkdir()
    (clone.root / "results").rename(tmp_path / "scratch/results")
    return tmp_path / "scratch"


def test_a_run_in_another_directory_writes_there_alone(clone, scratch, finished_demo, programs):
    shutil.rmtree(scratch / at(Project(scratch), PLACE))
    before = contents(clone.root)
    done = clone.snakemake("--directory", str(scratch), "--cores", "1", PAGE, check=True, programs=programs)
    assert "docmt: 2 of 2 jobs" in done.stderr, "the page and its link"
    table = Path(PAGE).with_suffix(".csv")
    assert (scratch / table).read_text() == (finished_demo.root / table).read_text()
    assert contents(clone.root) == before
    assert {path.name for path in scratch.iterdir()} == {".snakemake", "results"}
    listed = docmt("list-targets", "--root", scratch, "--study", "demo", cwd=clone.root, check=True)
    assert "demo" in listed.stdout, "a folder with results alone has the settings of the clone"


def test_a_study_folder_has_what_a_user_edits_and_the_clone_may_be_read_only(clone, scratch, tmp_path, programs):
    before, mine = contents(clone.root), Project(tmp_path / "mine")
    docmt("init", mine.root, cwd=clone.root, check=True)
    (mine.root / "results").symlink_to(scratch / "results")
    assert mine.read("config.yaml")["studies"] == ["studies/example.yaml"]
    page = "results/8_report/smoke/example/quality.html"
    # Its two systems are those of the demo, so that nothing is trained.
    assert planned(mine, page) == {"compare quality", "page quality", "show"}
    mine.snakemake("--cores", "1", page, check=True, programs=programs)
    assert (scratch / page).exists()
    systems = docmt("list-systems", "--study", "example", cwd=mine.root, check=True).stdout
    assert "example  sentence" in systems and "example  concat_3" in systems
    assert page in docmt("list-targets", "--state", "made", cwd=mine.root, check=True).stdout
    assert "everything is there" in docmt("why", page, cwd=mine.root, check=True).stdout
    assert "8_report" in docmt("list-results", cwd=mine.root, check=True).stdout
    assert "1 job would run" not in docmt("why", page, "--root", mine.root, cwd=tmp_path, check=True).stdout
    assert contents(clone.root) == before


def test_the_default_target_of_a_study_folder_is_that_of_the_clone(clone, tmp_path):
    docmt("init", tmp_path / "mine", cwd=clone.root, check=True)
    assert "front" in planned(Project(tmp_path / "mine"))
