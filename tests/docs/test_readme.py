"""README.md: its study makes its table, its hours are those of `docmt list-targets`, and its commands run."""

import re

import pytest
from helpers.how_to import blocks_of
from helpers.page_examples import run_on_demo, without_numbers
from helpers.support import ROOT, Project

import docmt

PAGE = (ROOT / "README.md").read_text(encoding="utf-8")
STUDY = next(block for block in blocks_of(PAGE) if block.title)
ROWS = re.compile(r"^\| .+ \|$", re.MULTILINE)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_study_of_twelve_lines_makes_the_table(demo: Project, programs):
    assert STUDY.body.count("\n") == 12
    variables = ""
    for block in blocks_of(PAGE):
        variables = run_on_demo(block, variables, demo, programs)
    written = (demo.root / "results/8_report/smoke/context/quality.md").read_text(encoding="utf-8")
    assert [cells(row) for row in ROWS.findall(section("## A study"))] == [cells(row) for row in ROWS.findall(written)]


def section(heading: str) -> str:
    return PAGE.split(heading, 1)[1].split("\n## ", 1)[0]


def cells(row: str) -> list[str]:
    """The cells of a row: another training has other numbers, and another number in bold."""
    return [without_numbers(cell).strip() for cell in row.split("|")]


def test_the_hours_of_the_papers_are_those_of_list_targets(project):
    stated = dict(re.findall(r"\| `([\w-]+)` \| ([\d,.]+) \|", section("## The papers")))
    targets = docmt.list_targets(project.root, kind="study", config={"device": "cuda"})
    hours = {target.target: target.device_hours for target in targets if target.target in stated}
    assert {"long-short", "lexical-chains", "g-transformer"} <= set(stated) == set(hours)
    assert {name: float(hour.replace(",", "")) for name, hour in stated.items()} == pytest.approx(hours, rel=0.05)
