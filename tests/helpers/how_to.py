"""Pages of docs/, taken from their Markdown and carried out on a copy of the project.

The word after a fence says what a block is: `console` has commands (`$ ...`) and what they print; `diff` changes the
file that `title=` names, any other block with a title is that file. The site shows titles and other readers of Markdown
do not, so that the text before a block must name its file too.
"""

import doctest
import os
import re
import shutil
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from helpers.forks import forks, programs_of_session
from helpers.support import ROOT, Project, copy_project

FENCE = re.compile(
    r'^(?P<indent> *)```(?P<form>\w+)(?: title="?(?P<title>[^"\s]+)"?)?\n(?P<body>.*?)^(?P=indent)```$',
    re.MULTILINE | re.DOTALL,
)
OUTPUT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A fenced block; `before` is the text of the page up to it."""

    form: str
    title: str | None
    body: str
    before: str


def blocks_of(page: str) -> list[Block]:
    """Raises AssertionError where a fence is of another form: what no test reads would not stay true."""
    blocks = [Block(m["form"], m["title"], body_of(m), page[: m.start()]) for m in FENCE.finditer(page)]
    assert len(re.findall("^ *```", page, re.MULTILINE)) == 2 * len(blocks), "a fence without form"
    return blocks


def body_of(fence: re.Match) -> str:
    """Return what a block has, without the indentation of a list that it stands in."""
    return re.sub(f"^{fence['indent']}", "", fence["body"], flags=re.MULTILINE)


def carry_out(page: str, project: Project) -> None:
    """Do what the page says, block by block. Raises AssertionError where a file, a command or its output differs."""
    for block in blocks_of(page):
        obey(block, project)


def carry_out_with_forks(page: str, project: Project) -> None:
    """Do the same, with the programs of `helpers/forks.py` until the page changes the package again."""
    blocks = blocks_of(page)
    first = next(number for number, block in enumerate(blocks) if block.form == "console")
    changes = [number for number, block in enumerate(blocks) if (block.title or "").startswith("docmt/")]
    later = next((number for number in changes if number > first), len(blocks))
    for block in blocks[:first]:
        obey(block, project)
    is_whole = (project.root / "docmt").exists()
    with forks(project.root) if is_whole else nullcontext(programs_of_session()) as programs:
        for block in blocks[first:later]:
            obey(block, project, programs)
    for block in blocks[later:]:
        obey(block, project)


def obey(block: Block, project: Project, programs: Path | None = None) -> None:
    if block.form == "console":
        for command, expected in commands_of(block.body):
            check(command, expected, project, programs)
        return
    assert block.title and f"`{block.title}`" in block.before, f"the text before does not name {block.title}"
    path = project.root / block.title
    if block.form == "diff":
        path.write_text(changed(path.read_text(encoding="utf-8"), block), encoding="utf-8")
    else:
        assert not path.exists(), f"{block.title} is there already"
        path.parent.mkdir(exist_ok=True)
        path.write_text(block.body, encoding="utf-8")


def changed(content: str, block: Block) -> str:
    """Lines that begin by `-` or a blank must stand there once; in their place come those that begin by `+` or a blank.

    `@@` parts places of the file.
    """
    for place in re.split(r"^@@\n", block.body, flags=re.MULTILINE):
        lines = place.splitlines(keepends=True)
        assert {line[0] for line in lines} <= set(" +-"), f"no diff of {block.title}: {place}"
        old, new = ("".join(line[1:] for line in lines if line[0] in signs) for signs in (" -", " +"))
        assert content.count(old) == 1, f"{block.title} has {content.count(old)} times\n{old}"
        content = content.replace(old, new)
    return content


def commands_of(body: str) -> list[tuple[str, str]]:
    """Each command, which a backslash continues on the next line, with what stands below it."""
    assert body.startswith("$ "), f"no command: {body}"
    parts = re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]
    return [re.fullmatch(r"((?:[^\n]*\\\n)*[^\n]*)\n(.*)", part, re.DOTALL).groups() for part in parts]


def check(command: str, expected: str, project: Project, programs: Path | None = None) -> None:
    """Run it as a user does; `...` in the output that the page has stands for any output."""
    agree(command, expected, printed(command, project, programs))


def agree(command: str, expected: str, output: str) -> None:
    """Raise AssertionError where a command printed something else than the page says.

    A line `...` stands for any lines, or for none.
    """
    pattern = re.sub(r"^\.\.\.\n", "...", expected, flags=re.MULTILINE)
    same = doctest.OutputChecker().check_output(pattern, output, OUTPUT)
    assert same, f"$ {command}\nprinted\n{output[-8000:]}\nand the page says\n{expected}"


def printed(command: str, project: Project, programs: Path | None = None) -> str:
    """Return what a command prints that runs as a user runs it, with the copy's own package."""
    folders = (programs, Path(sys.executable).parent, os.environ["PATH"])
    environment = {
        "PATH": os.pathsep.join(str(folder) for folder in folders if folder is not None),
        "PYTHONPATH": str(project.root),
        "OMP_NUM_THREADS": "1",
        "COLUMNS": "200",
    }
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=project.root,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, f"$ {command}\ngave {done.returncode}\n{done.stdout[-8000:]}"
    return done.stdout


def whole_project(root: Path) -> Project:
    """A copy with the package and its tests, which a how-to may change."""
    project = copy_project(root)
    for name in ("docmt", "snakemake_executor_plugin_docmt_slurm", "snakemake_logger_plugin_docmt", "tests"):
        shutil.copytree(ROOT / name, root / name)
    shutil.copy(ROOT / "pyproject.toml", root)
    return project
