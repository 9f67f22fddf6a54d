"""Names say what things are, docstrings open with a verb or a noun phrase, and no old name of a command is left."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from helpers.support import ROOT

from docmt.cli.commands import FOR_YOU, STORE


@cache
def parsed(folder: str) -> dict[Path, ast.Module]:
    """The syntax tree of each Python file below a folder of the repository."""
    paths = sorted((ROOT / folder).rglob("*.py"))
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}


EMPTY_WORDS = {"found", "one", "own", "shown", "kept", "made", "taken", "standing", "account"}
"""Words that stand for no thing of the field; as parts of names too."""
MESSAGE_PART = "found"
"""The keyword of a message of the package that says what was found is called so."""

FRAGMENTS = frozenset(
    [
        "That",
        "What",
        "Of",
        "How",
        "By",
        "As",
        "Whether",
        "Those",
        "Where",
        "Which",
        "Who",
        "Whose",
        "When",
        "While",
        "If",
        "Its",
        "Their",
        "Same",
        "Each",
        "All",
        "Every",
        "One",
        "So",
        "Into",
        "In",
        "On",
        "With",
        "Without",
        "For",
        "From",
        "To",
        "At",
        "Through",
        "Under",
        "Within",
        "Beside",
        "Is",
        "Are",
        "Does",
        "Do",
        "Has",
        "Have",
        "Why",
        "Also",
        "Else",
        "Only",
        "See",
        "Not",
        "No",
        "Nothing",
        "Until",
        "Over",
        "After",
        "Before",
        "Up",
        "Both",
        "Some",
        "Any",
        "Such",
    ]
)
MOST_FRAGMENTS = 0.02
"""The largest share of docstrings that may open with one of FRAGMENTS."""


def defined_names(tree: ast.AST, message_part: str | None = None) -> Iterator[tuple[int, str]]:
    """The line and the name of each function, argument, variable, field and alias.

    Arguments and attributes called `message_part` are left out.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg) and node.arg != message_part:
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr != message_part:
            yield node.lineno, node.attr
        elif isinstance(node, ast.alias | ast.ExceptHandler) and (name := getattr(node, "asname", None) or node.name):
            yield node.lineno, name


def words_of(name: str) -> set[str]:
    """The words of a name, in either style.

    >>> sorted(words_of("MADE_FILES")), sorted(words_of("ShownTable"))
    (['files', 'made'], ['shown', 'table'])
    """
    return set(re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower().strip("_").split("_"))


@pytest.mark.parametrize(("folder", "message_part"), [("docmt", MESSAGE_PART), ("tests", None)])
def test_no_name_is_an_empty_word(folder, message_part):
    """The name of a test is a sentence, which may have any word."""
    empty = [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for path, tree in parsed(folder).items()
        for line, name in defined_names(tree, message_part)
        if words_of(name) & EMPTY_WORDS and "." not in name and not name.startswith("test_")
    ]
    assert empty == []


def test_such_a_name_would_be_found():
    tree = ast.parse("def kept(own):\n    for one in own:\n        self.shown = found = one\n    import a as made\n")
    assert {name for _, name in defined_names(tree)} == {"kept", "own", "one", "shown", "found", "made"}


def docstrings() -> Iterator[tuple[Path, str]]:
    for path, tree in parsed("docmt").items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (text := ast.get_docstring(node)):
                yield path, text


def test_docstrings_open_with_a_verb_or_a_noun_phrase():
    texts = list(docstrings())
    opening = Counter(match[0] for _, text in texts if (match := re.match(r"\w+", text)) and match[0] in FRAGMENTS)
    assert len(texts) > 2000
    assert opening.total() < MOST_FRAGMENTS * len(texts), opening


def test_a_class_name_has_one_meaning():
    files = defaultdict(set)
    for path, tree in parsed("docmt").items():
        for node in ast.walk(tree):
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
