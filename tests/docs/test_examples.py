"""Every command and every example of settings in README.md and docs/ is run on the finished demo, or parsed."""

import csv
import os
import re
from pathlib import Path

import pytest
from helpers.how_to import blocks_of
from helpers.left_out import CARRIED_OUT, LEFT_OUT, PYTHON_LEFT_OUT
from helpers.page_examples import (
    SHELL,
    blocks_of_page,
    check_command,
    check_settings,
    commands,
    names_written,
    on_the_demo,
    pages,
    run_on_demo,
)
from helpers.support import ROOT, Project

import docmt
from docmt.cli.commands import FOR_YOU

PAGES = on_the_demo()
RUN_BY_US = [path for path in PAGES if any(block.form in (*SHELL, "python") for block in blocks_of_page(path))]
WITH_SETTINGS = [path for path in PAGES if any(block.form == "yaml" for block in blocks_of_page(path))]


def name_of(path: str) -> str:
    return path.removeprefix("docs/").removesuffix(".md")


@pytest.fixture
def empty_queue(tmp_path, monkeypatch) -> None:
    """A `squeue` that lists no jobs, since the machine of the tests may have one."""
    program = tmp_path / "bin/squeue"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.some(6)
@pytest.mark.usefixtures("empty_queue")
@pytest.mark.timeout(600)
@pytest.mark.parametrize("path", RUN_BY_US, ids=name_of)
def test_the_examples_of_a_page_run_after_the_demo(path, demo: Project, programs: Path):
    (demo.root / "talk.txt").write_text("他来了。\n", encoding="utf-8")
    (demo.root / "source.txt").write_text("他来了。\n", encoding="utf-8")
    variables = ""
    for block in blocks_of_page(path):
        variables = run_on_demo(block, variables, demo, programs, fill_sheets)


def fill_sheets(folder: Path) -> None:
    """Do what annotators do between `docmt draw-sheet` and `docmt read-sheets`."""
    with (folder / "sheet.csv").open(encoding="utf-8-sig", newline="") as stream:
        header, *rows = csv.reader(stream)
    for name, verdicts in (("anna", ("1", "2")), ("ben", ("equal", "2"))):
        with (folder / f"sheet.{name}.csv").open("w", encoding="utf-8", newline="") as stream:
            filled = [[*row[:-1], row[-1] or verdicts[number % 2]] for number, row in enumerate(rows)]
            csv.writer(stream).writerows([header, *filled])


@pytest.mark.parametrize("path", [path for path, text in pages().items() if "```" in text], ids=name_of)
def test_commands_of_a_page_have_options_and_targets_that_are_there(path):
    blocks = blocks_of(pages()[path])
    for command in commands(blocks):
        check_command(command.line, names_written(blocks))


@pytest.mark.some(5)
@pytest.mark.parametrize("path", WITH_SETTINGS, ids=name_of)
def test_settings_of_a_page_are_parsed(path, project):
    check_settings(blocks_of_page(path), project)


def test_every_page_is_run_here_or_carried_out_by_another_test():
    assert {path for path, text in pages().items() if "```" in text} == {*PAGES, *CARRIED_OUT}
    for path, test in CARRIED_OUT.items():
        text = (ROOT / test).read_text(encoding="utf-8")
        assert Path(path).stem in text or Path(path).parent.name in text, f"{test} does not name {path}"


def test_every_reason_is_of_an_example_and_names_a_test_that_is_there():
    blocks = [block for path in pages() for block in blocks_of(pages()[path])]
    lines = [command.line for command in commands(blocks)]
    assert not [piece for piece in LEFT_OUT if not any(piece in line for line in lines)]
    scripts = [block.body for block in blocks if block.form == "python"]
    assert not [piece for piece in PYTHON_LEFT_OUT if not any(piece in script for script in scripts)]
    tests = re.findall(r"tests/[\w/.]+", " ".join([*LEFT_OUT.values(), *PYTHON_LEFT_OUT.values()]))
    assert not [test for test in tests if not (ROOT / test).exists()]


def test_most_commands_of_the_program_run():
    run = {
        name
        for path in PAGES
        for command in commands(blocks_of_page(path))
        if command.reason is None
        for name in re.findall(r"docmt ([a-z-]+)", command.line)
    }
    commands_for_people = {name for section in FOR_YOU.values() for name in section}
    assert len(run & commands_for_people) >= 25


def test_the_table_of_functions_has_each_function_of_the_package():
    functions = re.findall(r"^\| `(\w+)` \|", pages()["docs/how-to/use-from-python.md"], re.MULTILINE)
    assert sorted(functions) == sorted(name for name in docmt.__all__ if name.islower())
