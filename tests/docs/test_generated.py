"""Generated pages are those that their generators write, and the program that writes them says which are not."""

import ast
import re

import generate
import pytest
from generators.commands import STATUSES, anchor
from generators.markdown import plain
from helpers.support import ROOT

from docmt.cli.commands import FOR_YOU, STORE
from docmt.steps import NAMES as STEPS

COMMANDS = (ROOT / "docs/reference/commands.md").read_text(encoding="utf-8")
NAMES = [
    f"{group}{name}"
    for group, sections in (("", FOR_YOU), ("store ", STORE))
    for commands in sections.values()
    for name in commands
]


@pytest.mark.parametrize("path", generate.GENERATORS)
def test_a_generated_page_is_up_to_date(path):
    text = generate.GENERATORS[path]()
    assert (ROOT / path).read_text(encoding="utf-8") == text, "run python docs/generate.py"
    assert "python docs/generate.py" in (text.splitlines()[0] if path.endswith(".md") else text)


def test_pages_that_are_out_of_date_are_named_and_written(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    monkeypatch.setattr(generate, "GENERATORS", {"docs/a.md": lambda: "a", "b.json": lambda: "b"})
    (tmp_path / "b.json").write_text("b", encoding="utf-8")
    assert generate.main(["--check"]) == 1
    assert capsys.readouterr().out == "docs/a.md is out of date: run python docs/generate.py\n"
    assert not (tmp_path / "docs").exists()
    assert generate.main([]) == 0 and capsys.readouterr().out == "wrote docs/a.md\n"
    assert generate.main(["--check"]) == 0 and (tmp_path / "docs/a.md").read_text(encoding="utf-8") == "a"
    assert generate.main(["--chek"]) == 2


@pytest.mark.parametrize("name", STEPS)
def test_the_page_of_commands_has_a_row_for_each_step(name):
    assert len(re.findall(rf"^\| `{name}` \| .* \| `results.*job\.json` \|$", COMMANDS, re.MULTILINE)) == 1


@pytest.mark.parametrize("name", NAMES)
def test_the_page_of_commands_has_each_command_once(name):
    assert len(re.findall(rf"^#+ docmt {name}$", COMMANDS, re.MULTILINE)) == 1


def test_links_to_commands_lead_to_their_headings():
    headings = {anchor(name) for name in (*NAMES, "job STEP")}
    linked = set(re.findall(r"\(#(docmt-[\w-]+)\)", COMMANDS)) - {"docmt-store", "docmt-job"}
    assert linked and linked <= headings


def test_rows_of_tables_have_the_cells_of_their_header():
    tables = re.findall(r"(?:^\|.*\n)+", COMMANDS, re.MULTILINE)
    cells = [[len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()] for table in tables]
    assert len(tables) > len(NAMES) and all(len(set(counts)) == 1 for counts in cells)


def test_every_command_that_ends_with_a_status_of_its_own_is_listed():
    listed = {name.split()[-1] for _, _, commands in STATUSES for name in commands}
    ending = {
        "job" if folder == "steps" else function.name.replace("_", "-")
        for folder, end in (("cli", "typer.Exit("), ("steps", "SystemExit("))
        for path in (ROOT / "docmt" / folder).rglob("*.py")
        for function in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(function, ast.FunctionDef) and end in ast.unparse(function)
    }
    assert ending & {name.split()[-1] for name in NAMES} == listed


def test_words_of_code_keep_their_form():
    assert plain("a_b <x> | `c|d` _e") == r"a_b \<x\> \| `c|d` \_e"
