"""Which tables of positions stage 3 gets to know: those of all models of a view, unless one has no limit."""

from helpers.recipes import settings
from helpers.small_grid import STUDY
from helpers.support import Project

from docmt.base.paths import VIEW
from docmt.grid.grid import Grid, load_grid
from docmt.settings.models import PositionTable
from docmt.steps.views import position_tables

LEARNED = {"position_table": "learned", "max_positions": 100}


def grid(project: Project, **models: dict) -> Grid:
    """The small study with fields of its systems' models replaced, and a view that two systems share."""
    for system, fields in models.items():
        project.edit(STUDY, f"systems/{system}/model", {"kind": "transformer", **fields})
    return load_grid(project.root, {"device": "cpu"})


def tables(planned: Grid, system: str) -> list[PositionTable]:
    entry = planned.named("one", "toy", system)
    return position_tables(planned, "toy", entry.system.text, entry.system.view.name)


def test_a_view_has_the_tables_of_its_models(small):
    assert tables(grid(small), "sentence") == []
    planned = grid(small, sentence=LEARNED)
    assert tables(planned, "sentence") == [PositionTable("wrapped", "running", 100)]


def test_a_model_without_a_limit_lifts_it(small):
    small.edit(STUDY, "systems/free", {"extends": "sentence", "model": {"position_table": "sinusoidal"}})
    assert tables(grid(small, sentence=LEARNED), "sentence") == []


def test_a_further_model_makes_no_view_stale(small):
    def views(planned: Grid) -> dict:
        view = planned.named("one", "toy", "sentence").system
        return settings(planned, VIEW.at(corpus="toy", text=view.text, view=view.view.name).removeprefix("results/"))

    assert views(grid(small)) == views(grid(small, sentence=LEARNED))
