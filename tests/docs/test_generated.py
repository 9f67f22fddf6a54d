"""Generated pages are those that their generators write, and the program that writes them says which are not.

The digests of steps have tests of their own (`tests/workflow/test_code_digests.py`).
"""

import ast
import re

import generate
import pytest
from generators import messages, reference
from generators.commands import STATUSES
from helpers.support import ROOT

from docmt.cli.commands import FOR_YOU, STORE

COMMANDS = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs/reference/commands").glob("*.md"))
NAMES = [
    f"{group}{name}"
    for group, sections in (("", FOR_YOU), ("store ", STORE))
    for commands in sections.values()
    for name in commands
]


@pytest.mark.parametrize("path", sorted({*generate.GENERATORS} - {generate.DIGESTS}))
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


def test_messages_are_listed_with_their_places_and_remedies(capsys):
    assert generate.main(["--messages"]) == 0
    listed = capsys.readouterr().out
    assert re.search(r"^docmt/plan/links\.py:\d+\n    unknown target\n    found: {target}\n", listed, re.MULTILINE)
    assert "\n    remedy: make room and run the command again; files that existed before are unchanged\n" in listed


def test_titles_of_pages_reports_studies_and_commands_are_listed(capsys):
    assert generate.main(["--titles"]) == 0
    listed = capsys.readouterr().out
    assert "\ndocs/how-to/translate.md\n    Translate with a trained model\n    Several translations\n" in listed
    assert "\ndocmt/reporting/templates/documents.html\n    Test documents\n" in listed
    assert "\nworkflow/studies/bible.yaml\n    Three model families on real text\n" in listed
    assert "\ndocmt --help, Prepare a run\n    init: Make a folder for studies of your own" in listed


def test_messages_that_the_page_on_trouble_quotes_are_those_of_docmt():
    page = (ROOT / "docs/troubleshooting.md").read_text(encoding="utf-8")
    quoted = [block.splitlines()[0] for block in re.findall(r"^```text\n(.+?)^```$", page, re.MULTILINE | re.DOTALL)]
    texts = {text for message in messages.messages() for part in message.parts for text in part.split(" | ")}
    known = re.compile(rf"(?:.*: )?(?:{'|'.join(pattern for text in texts if (pattern := pattern_of(text)))})")
    assert len(quoted) >= 10 and [line for line in quoted if not known.fullmatch(line)] == []
    assert not known.fullmatch("docmt: update 120: out of memories"), "other messages are found"


def pattern_of(text: str) -> str | None:
    """Return the pattern of a message; None where it is almost all filled in."""
    words = re.split(r"\{(?:[^{}]|\{[^{}]*\})*\}", text)
    return ".*".join(map(re.escape, words)) if sum(map(str.isalpha, "".join(words))) >= 7 else None


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


@pytest.mark.parametrize("part", reference.PARTS)
def test_every_section_of_the_reference_is_on_one_page(part):
    sections = reference.sections_of(part)
    assert all(sections.values()), "every page has sections"
    written = "".join(generate.GENERATORS[f"docs/reference/{part}/{name}.md"]() for name in sections)
    heading = re.compile(r"^##+ .*", re.MULTILINE)
    assert sorted(heading.findall(written)) == sorted(heading.findall(reference.WHOLE[part]()))
