"""Systems whose corpus is missing are run where others have made what they need, and left out where not."""

import dataclasses
import json
import shutil
from pathlib import Path

import pytest
from helpers.support import Project

from docmt.grid.grid import Grid, load_grid
from docmt.plan.available import available_entries
from docmt.plan.driver import targets_of
from docmt.plan.obtain import jobs_to_run
from docmt.plan.planning import Planner
from docmt.plan.stored import stored_for

ITEM = "results/8_report/smoke/demo/quality.html"
WITH_TEXT = {"corpus", "tokens", "views", "chain_words", "chain_segments", "translate", "contrastive", "inspect"}


@pytest.fixture
def models_alone(full_store: Path, tmp_path: Path) -> Path:
    """A store of models and scores, without text."""
    place = shutil.copytree(full_store, tmp_path / "store")
    for path in [path for path in (place / "entries").rglob("*") if path.is_file()]:
        if json.loads(path.read_bytes())["rule"] in {*WITH_TEXT, "item", "report", "demo_report", "aligner"}:
            path.unlink()
    return place


def lacking(project: Project, store: Path) -> Grid:
    """The grid of a run that has no file of the corpus."""
    grid = load_grid(project.root, {"store": str(store)})
    return dataclasses.replace(grid, not_run={"toy_zh-en": "its files are missing"})


def test_all_is_available_where_the_store_has_all(second: Project, full_store: Path):
    grid = lacking(second, full_store)
    names = available_entries(grid, second.root, ["demo"])
    assert {f"{entry.corpus}/{entry.folder}" for entry in grid.entries} == {*names}
    whole = dataclasses.replace(grid, available=names)
    assert {whole.left_out(entry) for entry in grid.entries} == {None}


def test_nothing_is_available_without_a_store(second: Project, tmp_path: Path):
    (tmp_path / "store").mkdir()
    assert available_entries(lacking(second, tmp_path / "store"), second.root, ["demo"]) == ()


def test_a_table_of_scores_needs_models_and_scores_alone(second: Project, models_alone: Path):
    grid = lacking(second, models_alone)
    assert "toy_zh-en/sentence" in available_entries(grid, second.root, [ITEM])


def test_a_named_table_runs_no_job_of_the_corpus_and_is_not_refused(second: Project, models_alone: Path):
    grid = load_grid(second.root, {"store": str(models_alone)})
    planner = Planner(grid, second.root, stored_for(grid))
    assert {job.rule for job in jobs_to_run(planner, targets_of(planner, [ITEM]))} == {"item"}


def test_a_page_that_shows_text_leaves_the_systems_out(second: Project, models_alone: Path):
    assert available_entries(lacking(second, models_alone), second.root, ["demo"]) == ()


def test_models_that_are_here_need_no_store(demo: Project):
    for stage in ("1_corpus", "2_tokens", "3_views"):
        shutil.rmtree(demo.root / "results" / stage)
    grid = lacking(demo, demo.root / "nowhere")
    grid = dataclasses.replace(grid, store=None)
    assert "toy_zh-en/sentence" in available_entries(grid, demo.root, [ITEM])
