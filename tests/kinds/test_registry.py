"""Kinds are found by their files: what each gives to the plan and to the page."""

from importlib import import_module

import pytest
from helpers.support import ROOT

from docmt.grid.grid import load_grid
from docmt.grid.items import JOBS_OF_ITEMS, STEPS_OF_SYSTEMS
from docmt.kinds import FIGURES, TABLES
from docmt.kinds.passages import PassageConfig

KINDS = [*TABLES.values(), *FIGURES.values(), PassageConfig]


def test_every_kind_is_found_by_the_name_of_its_file():
    assert {*TABLES} == {"systems", "gaps", "counts", "human"}
    assert {*FIGURES} == {"points", "positions", "curves", "attention", "latent", "cases"}
    assert all(cls.__module__ == f"docmt.kinds.{kind}" for kind, cls in {**TABLES, **FIGURES}.items())


@pytest.mark.parametrize("kind", KINDS, ids=lambda cls: cls.kind)
def test_a_kind_has_a_file_of_the_same_name_that_shows_it(kind):
    shows = import_module(kind.__module__.replace("docmt.kinds", "docmt.reporting.kinds"))
    assert callable(shows.content)


def test_what_is_common_names_no_kind():
    """A new kind changes none of these files."""
    common = [
        *(path for folder in ("plan", "cli") for path in (ROOT / "docmt" / folder).rglob("*.py")),
        *(ROOT / f"docmt/reporting/{name}.py" for name in ("page", "results", "kinds/__init__")),
        *(ROOT / f"docmt/kinds/{name}.py" for name in ("item", "__init__")),
    ]
    names = [cls.__name__ for cls in KINDS if cls is not PassageConfig]
    mentions = [(path.name, name) for path in common for name in names if name in path.read_text(encoding="utf-8")]
    assert not mentions


def test_what_kinds_read_is_what_the_plan_knows_the_jobs_of(full):
    items = load_grid(full.root).studies["one"].items.values()
    assert {type(item) for item in items} == {*KINDS}
    assert {what for item in items for what in item.reads()} <= {*STEPS_OF_SYSTEMS, *JOBS_OF_ITEMS}
