"""Kinds are found by their files: what each gives to the plan and to the page."""

import subprocess
import sys

from helpers.support import ROOT

from docmt.grid.grid import load_grid
from docmt.grid.items import JOBS_OF_ITEMS, STEPS_OF_SYSTEMS
from docmt.reporting.item import FIGURES, PASSAGES, TABLES

KINDS = [*TABLES.values(), *FIGURES.values(), *PASSAGES.values()]


def test_every_kind_is_found_by_the_name_of_its_file():
    assert {*TABLES} == {"systems", "gaps", "counts", "human"}
    assert {*FIGURES} == {"points", "positions", "curves", "attention", "latent", "cases"}
    assert {*PASSAGES} == {"passage"}
    assert all(cls.__module__ == f"docmt.kinds.{kind}" for kind, cls in {**TABLES, **FIGURES, **PASSAGES}.items())


def test_what_draws_pages_is_loaded_only_where_a_page_is_made():
    """The plan reads studies, and so their kinds, each time that anybody asks for anything."""
    heavy = ("torch", "numpy", "pyarrow", "matplotlib", "scipy", "jinja2")
    lines = (
        "import sys",
        "from docmt.reporting.item import TABLES",
        "len(TABLES)",
        f"print(sys.modules.keys() & {heavy})",
    )
    printed = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    assert printed.stdout == "set()\n"


def test_what_is_common_names_no_kind():
    """A new kind changes none of these files."""
    common = [
        *(path for folder in ("plan", "cli") for path in (ROOT / "docmt" / folder).rglob("*.py")),
        *(ROOT / "docmt/reporting").rglob("*.py"),
        ROOT / "docmt/kinds/__init__.py",
    ]
    names = [cls.__name__ for cls in KINDS]
    mentions = [(path.name, name) for path in common for name in names if name in path.read_text(encoding="utf-8")]
    assert not mentions


def test_what_kinds_read_is_what_the_plan_knows_the_jobs_of(full):
    items = load_grid(full.root).studies["one"].items.values()
    assert {type(item) for item in items} == {*KINDS}
    assert {what for item in items for what in item.reads()} <= {*STEPS_OF_SYSTEMS, *JOBS_OF_ITEMS}
