"""Trainings that are in the store cost nothing, as far as a run pulls."""

from pathlib import Path

from helpers.support import Project

from docmt.api.studies import list_targets
from docmt.grid.grid import load_grid
from docmt.plan.stored_trainings import stored_trainings


def test_trainings_in_the_store_are_not_left_to_make(second: Project, full_store: Path):
    second.edit("workflow/studies/demo.yaml", "systems/sentence/train", {"lr": 0.0017})
    config = {"store": str(full_store)}
    here = stored_trainings(load_grid(second.root, config), second.root)
    assert "sentence" not in {folder for _, folder, _ in here}, "another training"
    (row,) = list_targets(second.root, study="demo", kind="study", config=config)
    assert row.stored_trainings == len(here)
    assert row.missing_trainings == row.trainings - row.stored_trainings


def test_all_of_a_finished_study_is_in_the_store(second: Project, full_store: Path):
    (row,) = list_targets(second.root, study="demo", kind="study", config={"store": str(full_store)})
    assert (row.trainings, row.missing_trainings, row.stored_trainings, row.device_hours) == (7, 0, 7, 0)


def test_nothing_is_pulled_without_a_mode_for_it(second: Project, full_store: Path):
    grid = load_grid(second.root, {"store": str(full_store), "store_mode": "push"})
    assert stored_trainings(grid, second.root) == set()
