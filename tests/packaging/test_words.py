"""A class name has one meaning, and no old name of a command is left."""

import ast
import re
from collections import defaultdict
from pathlib import Path

from helpers.support import ROOT

from docmt.cli.commands import FOR_YOU, STORE


def test_a_class_name_has_one_meaning():
    files = defaultdict(set)
    for path in (ROOT / "docmt").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                files[node.name].add(str(path.relative_to(ROOT)))
    assert {name: sorted(paths) for name, paths in files.items() if len(paths) > 1} == {}


COMMANDS = {name for section in FOR_YOU.values() for name in section}
STORE_COMMANDS = {name for section in STORE.values() for name in section}
FOLDERS = ("docs", "benchmarks", "workflow", "profiles", "slurm", "docmt")
PROSE = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "config.yaml", "Snakefile")] + [
    path
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".md", ".yaml", ".smk", ".py", ".html")
]
CALL = re.compile(r"(?:^|`|exec |\} |&& |\| )docmt (?!runs )([a-z][a-z_-]+)(?=[ `\n]|$)", re.MULTILINE)
"""A call of a command, as code, messages and rules have it; a sentence may open with "docmt runs"."""
CODE_OF_PAGE = re.compile(r"^ *```.*?^ *```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)


def text_with_calls(path: Path) -> str:
    """Return the text of a file; of a page its code alone, since its sentences open with docmt too."""
    text = path.read_text(encoding="utf-8")
    return "\n".join(CODE_OF_PAGE.findall(text)) if path.suffix == ".md" else text


def test_commands_that_are_called_exist():
    calls = [
        (path.relative_to(ROOT).as_posix(), match[1])
        for path in PROSE
        for match in CALL.finditer(text_with_calls(path))
    ]
    known = COMMANDS | {"store"} | {f"store {name}" for name in STORE_COMMANDS}
    assert [call for call in calls if call[1] not in known] == []
