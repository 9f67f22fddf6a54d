"""The how-tos on the store and on a paper's table are carried out; that on the report is in `test_tutorial.py`."""

import re
from pathlib import Path

import pytest
import report_pictures
from helpers.how_to import blocks_of, carry_out_with_forks, check, commands_of
from helpers.support import ROOT, Project, keep_studies, need, quick_smoke

PAGES = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "docs/how-to").glob("*.md")}


def test_the_page_on_the_report_shows_the_pictures_of_its_script():
    pictures = re.findall(r"\]\(\.\./images/([\w-]+)\.png\)", PAGES["read-the-report"])
    assert pictures == list(report_pictures.SCREENS)
    assert all((ROOT / f"docs/images/{name}.png").is_file() for name in pictures)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_artifacts_are_shared_as_the_page_says(demo: Project):
    need("ssh-keygen")
    carry_out_with_forks(PAGES["share-artifacts"], demo)
    assert [*(demo.root.parent / "second/results/5_training").rglob("manifest.json")]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_table_is_chosen_and_planned_as_the_page_says(project: Project, programs: Path):
    keep_studies(project, "long-short", "lexical-chains", "lexical-chains-open", "g-transformer")
    for command, expected in commands_on_a_table():
        if "--cores" not in command:
            check(command, expected, project, programs)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_table_runs_at_scale_smoke_as_the_page_says(project: Project, programs: Path):
    (command, expected), *others = [pair for pair in commands_on_a_table() if "--cores" in pair[0]]
    assert not others
    check(command, expected, quick_smoke(project), programs)
    assert (project.root / "results/8_report/smoke/long-short/as_last.html").is_file()


def commands_on_a_table() -> list[tuple[str, str]]:
    """The commands of the page on one table with their outputs; its other blocks need a GPU for days."""
    blocks = blocks_of(PAGES["one-table-on-one-gpu"])
    assert {block.form for block in blocks} == {"console", "bash"}
    return [pair for block in blocks if block.form == "console" for pair in commands_of(block.body)]
