"""What prose says of the code is there: modules, files, functions and settings named in docstrings, comments and pages.

A name stands between backticks and has one of these forms (paths of Python files from the root, and modules, also
without); all else between backticks is not looked at.

    docmt.base.names, docmt.models.store.load_model     a module, and what it has
    nn/attention.py, tests/docs, 8_report.smk, stock.py a file or folder: from the root, from docmt/, tests/ or
                                                        workflow/rules/, from the folder of who says so; of a page, any
    nn/attention.py: attend, Stream.with_keys           a file, and what it has
    Grid.left_out                                       a class of ours, and what it has
    sample_share, MultiHead                             with an underline or a capital within: a word of the code
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from helpers.support import ROOT

PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")]
FOLDERS_OF_CODE = ("docmt", "tests", "benchmarks", "docs")
CODE = [path for folder in FOLDERS_OF_CODE for path in (ROOT / folder).rglob("*.py")]
SETTINGS = [
    *(ROOT / "config.yaml", ROOT / "pyproject.toml"),
    *(path for folder in ("workflow", "profiles", "slurm", "envs", "tests") for path in (ROOT / folder).rglob("*.*ml")),
    *(ROOT / "workflow").rglob("*.smk"),
]
OTHER_WORDS = [*SETTINGS, ROOT / "Snakefile", *(ROOT / "docmt").rglob("*.html"), *(ROOT / "docmt").rglob("*.txt")]
FOLDERS = {path.parent for path in CODE}

NAME = r"[A-Za-z_]\w*(?:\.\w+)*"
MODULE = re.compile(r"docmt(?:\.\w+)+")
FILE = re.compile(rf"(?P<path>[\w./-]+\.(?:py|smk))(?:: (?P<names>{NAME}(?:, {NAME})*)(?: \.\.\.)?)?")
FOLDER = re.compile(r"(?:docmt|tests|benchmarks)(?:/\w+)+/?")
MEMBER = re.compile(r"[A-Z]\w*[a-z]\w*\.[a-z_]\w*")
WORD = re.compile(r"[A-Za-z]\w*(?:_[a-zA-Z]|[a-z][A-Z])\w*")


BETWEEN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
PLAIN = re.compile(r"(?<![\w/.-])(?:(?:docmt|tests)(?:/\w+)+\.py|docmt(?:\.[a-z]\w*)+(?:\.[A-Z]\w*)?)(?![\w/*{<])")
TITLE = re.compile(r'^```\w+ title="(\S+)"', re.MULTILINE)
OF_OTHERS = {"DistributedDataParallel"}
"""Words of libraries, which we say that we do not use."""
NAMING = "id", "attr", "arg", "name", "asname"
"""Fields of nodes of the syntax that are names."""
WITHOUT_MEMBERS = {"NamedTuple", "Protocol", "nn.Module"}
"""Classes that give others nothing that prose speaks of."""


class Said(NamedTuple):
    """A name between backticks, by whom, and on which line."""

    file: Path
    line: int
    name: str


def said(file: Path, first_line: int, text: str) -> Iterator[Said]:
    """Between backticks, of which one may close on the line after; and without them what can be nothing else."""
    for match in BETWEEN.finditer(text):
        yield Said(file, first_line + text.count("\n", 0, match.start()), " ".join(match[1].split()))
    rest = BETWEEN.sub(lambda name: "\n" * name[0].count("\n"), text)
    for match in PLAIN.finditer(rest):
        yield Said(file, first_line + rest.count("\n", 0, match.start()), match[0])


def of_page(file: Path) -> Iterator[Said]:
    """Blocks between fences are examples."""
    text = file.read_text(encoding="utf-8")
    plain = re.sub(r"^ *```.*?^ *```$", lambda block: "\n" * block[0].count("\n"), text, flags=re.MULTILINE | re.DOTALL)
    yield from said(file, 1, plain)


def of_code(file: Path) -> Iterator[Said]:
    """Docstrings, also those under a field or a constant, and comments."""
    text = file.read_text(encoding="utf-8")
    for node in nodes_of(file):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield from said(file, node.lineno, node.value.value)
    if not re.search("#.*`", text):
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield from said(file, token.start[0], token.string)


def of_settings(file: Path) -> Iterator[Said]:
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        yield from said(file, number, line.partition("#")[2])


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def nodes_of(file: Path) -> list[ast.AST]:
    return [*ast.walk(tree(file))]


@cache
def names_of(file: Path) -> dict[str, set[str] | None]:
    """What stands at the top of a module, and what a class there has; None where another class gives it more."""
    names: dict[str, set[str] | None] = {}
    for node in at_the_top(tree(file)):
        for name in bound(node):
            names[name] = None
        if isinstance(node, ast.ClassDef):
            members = {name for part in ast.walk(node) for name in bound(part)}
            names[node.name] = members if {ast.unparse(base) for base in node.bases} <= WITHOUT_MEMBERS else None
    return names


def at_the_top(module: ast.Module) -> Iterator[ast.stmt]:
    """Yield the statements of a module, and those below its `if TYPE_CHECKING`: names that are imported when used."""
    for node in module.body:
        yield node
        if isinstance(node, ast.If):
            yield from node.body


def bound(node: ast.AST) -> list[str]:
    """The names that a statement gives a meaning; of `self.x = ...` it is x."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name for alias in node.names]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    parts = [part for target in targets for part in getattr(target, "elts", [target])]
    return [getattr(part, "id", None) or getattr(part, "attr", "") for part in parts]


@cache
def classes() -> dict[str, list[set[str] | None]]:
    by_name: dict[str, list[set[str] | None]] = {}
    for file in CODE:
        for node in tree(file).body:
            if isinstance(node, ast.ClassDef):
                by_name.setdefault(node.name, []).append(names_of(file)[node.name])
    return by_name


@cache
def words() -> set[str]:
    """All that code says outside of prose: names, what is within its texts, and everything of settings and pages."""
    vocabulary = {*OF_OTHERS, *(file.stem for file in CODE)}
    for file in CODE:
        nodes = nodes_of(file)
        prose = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            vocabulary.update(name for field in NAMING if isinstance(name := getattr(node, field, None), str))
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
                vocabulary.update(re.findall(r"\w+", node.value))
    for file in OTHER_WORDS:
        vocabulary.update(re.findall(r"\w+", re.sub(r"(^|\s)#.*", "", file.read_text(encoding="utf-8"))))
    return vocabulary


def problem(mention: Said) -> str | None:
    """What is wrong with a name, or None."""
    if MODULE.fullmatch(mention.name):
        return of_module(mention.name)
    if match := FILE.fullmatch(mention.name):
        return of_file(mention, match["path"], (match["names"] or "").split(", ") if match["names"] else [])
    if FOLDER.fullmatch(mention.name):
        return None if (ROOT / mention.name).exists() else "no such folder"
    if MEMBER.fullmatch(mention.name):
        name, member = mention.name.split(".")
        if name not in classes():
            return None if name in words() else "no such class"
        return None if any(has is None or member in has for has in classes()[name]) else f"{name} has no {member}"
    is_word = WORD.fullmatch(mention.name) is not None
    return "no code has this word" if is_word and mention.name not in words() else None


def of_module(name: str) -> str | None:
    parts = name.split(".")
    path, rest = ROOT, list(parts)
    while rest and (path / rest[0]).is_dir():
        path = path / rest.pop(0)
    if rest and (path / f"{rest[0]}.py").is_file():
        path = path / f"{rest.pop(0)}.py"
    file = path if path.is_file() else path / "__init__.py"
    return within(file, rest) if file.is_file() else "no such module"


def within(file: Path, names: list[str]) -> str | None:
    """Of a name and what a class of that name has."""
    if not names:
        return None
    if file.suffix == ".smk":
        return None if names[0] in file.read_text(encoding="utf-8") else f"{file.name} has no {names[0]}"
    top_names = names_of(file)
    if names[0] not in top_names:
        return f"{file.relative_to(ROOT)} has no {names[0]}"
    members = top_names[names[0]]
    if len(names) > 1 and members is not None and names[1] not in members:
        return f"{names[0]} of {file.relative_to(ROOT)} has no {names[1]}"
    return None


def of_file(mention: Said, path: str, names: list[str]) -> str | None:
    from_page = mention.file.suffix == ".md"
    places = [
        ROOT,
        ROOT / "docmt",
        ROOT / "tests",
        ROOT / "workflow/rules",
        ROOT / "tests/workflow",
        mention.file.parent,
    ]
    files = {place / path for place in places if (place / path).is_file()}
    if not files and from_page and path in TITLE.findall(mention.file.read_text(encoding="utf-8")):
        return None
    if not files and from_page:
        files = {folder / path for folder in FOLDERS if (folder / path).is_file()}
    if not files:
        return "no such file"
    problems = [next(filter(None, (within(file, name.split(".")) for name in names)), None) for file in files]
    return None if None in problems else problems[0]


def test_what_prose_names_is_there():
    """One test, since it parses all code once."""
    wrong = []
    for read, files in ((of_page, PAGES), (of_code, CODE), (of_settings, SETTINGS)):
        mentions = [(mention, problem(mention)) for file in files for mention in read(file)]
        assert len(mentions) > 40, "prose is read"
        wrong += [
            f"{mention.file.relative_to(ROOT)}:{mention.line}: `{mention.name}`: {what}"
            for mention, what in mentions
            if what
        ]
    assert not wrong, "prose names what is not there:\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("docmt.base.nothing", "docmt/base/__init__.py has no nothing"),
        ("docmt.nothing.names", "docmt/__init__.py has no nothing"),
        ("docmt.models.store.Nothing", "docmt/models/store.py has no Nothing"),
        ("nn/nothing.py", "no such file"),
        ("nn/attention.py: attend, nothing", "docmt/nn/attention.py has no nothing"),
        ("nn/streams.py: Batch.nothing", "Batch of docmt/nn/streams.py has no nothing"),
        ("tests/nothing", "no such folder"),
        ("Batch.nothing", "Batch has no nothing"),
        ("Nothing" + "Such.x", "no such class"),
        ("nothing_" + "such", "no code has this word"),
    ],
)
def test_what_is_not_there_is_told(name, what):
    assert problem(Said(ROOT / "ARCHITECTURE.md", 1, name)) == what


def test_names_are_found_with_their_lines():
    text = "See `nn/attention.py:\nattend`, or docmt.base.names and\n`a b`."
    mentions = [(mention.line, mention.name) for mention in said(ROOT / "README.md", 5, text)]
    assert mentions == [(5, "nn/attention.py: attend"), (7, "a b"), (6, "docmt.base.names")]
