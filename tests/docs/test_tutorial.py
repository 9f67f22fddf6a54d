"""docs/tutorial.md is carried out from its first command to its last: with few updates, and as a user types it."""

import csv
import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.how_to import Block, agree, blocks_of, check, commands_of, obey, printed
from helpers.support import ROOT, Project, copy_project

PAGE = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
SETUP, *BLOCKS = [block for block in blocks_of(PAGE) if block.form != "txt"]
CORPUS = PAGE[: PAGE.index("\n## 4. ")]
"""The page up to its first run: later outputs have numbers that a training decides."""
REPORT = blocks_of((ROOT / "docs/how-to/read-the-report.md").read_text(encoding="utf-8"))

QUICK = {
    "max_updates: 200": "max_updates: 4",
    "validate_every_updates: 50": "validate_every_updates: 2",
    "seeds: [1, 2, 3]": "seeds: [1, 2]",
}
"""What is changed where the page only has to run."""
NOT_LEARNT = ("sed -n 5,8p",)
"""Commands that print translations, which four updates do not teach."""

NUMBER = re.compile(r"[+−-]?\d[\d.,]*")


def without_numbers(text: str) -> str:
    """Return a text with a zero for each number, and without bold type and the marks of p-values."""
    return NUMBER.sub("0", re.sub(r"\*\*|[†‡]", "", text))


def with_marks(text: str) -> str:
    """Return a text with a zero for each number: another processor may give other last digits."""
    return NUMBER.sub("0", text)


def quick(block: Block) -> Block:
    """Return a block with the changes of `QUICK`."""
    assert all(old in PAGE for old in QUICK)
    body = block.body
    for old, new in QUICK.items():
        body = body.replace(old, new)
    return replace(block, body=body)


def follow(project: Project, blocks: list[Block], compared: Callable[[str], str], programs: Path | None = None) -> None:
    """Write the files of the page and run its commands; outputs of results are equal after `compared`."""
    for block in blocks:
        if block.form == "python" and not block.title:
            printed(f"python - <<'END'\n{block.body}END", project, programs)
        elif block.form != "console":
            obey(block, project)
        else:
            for command, expected in commands_of(block.body):
                output = printed(command, project, programs)
                if CORPUS.startswith(block.before):
                    agree(command, expected, output)
                elif compared is with_marks or not command.startswith(NOT_LEARNT):
                    agree(command, compared(expected), compared(output))


def cells(folder: Path) -> dict[tuple[str, str], dict[str, str]]:
    """The records of the table, by system and metric."""
    with (folder / "results/8_report/paper/people/quality.csv").open(encoding="utf-8", newline="") as stream:
        return {(row["system"], row["metric"]): row for row in csv.DictReader(stream)}


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_page_leads_to_its_table(tmp_path, programs):
    """The folders, files, commands and lines of the page, with trainings of four updates; then its report is read."""
    clone = copy_project(tmp_path / "docmt")
    check(next(line for line in SETUP.body.splitlines() if "docmt init" in line), "...", clone, programs)
    folder = Project(tmp_path / "my-studies")
    follow(folder, [quick(block) for block in BLOCKS], without_numbers, programs)
    table = cells(folder.root)
    assert {row["status"] for row in table.values()} == {"measured"}
    assert table["g_transformer.group", "s-BLEU"]["baseline"] == "g_transformer"
    assert table["always_she", "d-BLEU"]["p"], "a file of one's own is tested against the baseline"
    follow(folder, REPORT, without_numbers, programs)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_page_as_a_user_types_it(tmp_path, monkeypatch):
    """In an empty folder, with a clone and an environment of its own: the page's numbers and marks come out."""
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.file://{ROOT}.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "https://github.com/docmt/docmt")
    monkeypatch.delenv("PYTHONPATH", raising=False)
    subprocess.run(["bash", "-e", "-c", SETUP.body], cwd=tmp_path, check=True, env={**os.environ, "PWD": str(tmp_path)})
    folder = Project(tmp_path / "my-studies")
    follow(folder, BLOCKS, with_marks, tmp_path / "docmt/.venv/bin")
    stated, measured = (numbers_of(text) for text in (BLOCKS[-1].body, printed(TABLE, folder)))
    assert measured == pytest.approx(stated, abs=2)


TABLE = 'grep "|" results/8_report/paper/people/quality.md'


def numbers_of(text: str) -> list[float]:
    """Return the scores, differences and deviations of a table in Markdown."""
    return [float(number.replace("−", "-")) for number in re.findall(r"[+−]?\d+\.\d\d", text)]
