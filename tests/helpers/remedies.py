"""The remedies that messages print, as the code states them, and what their words say."""

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import metadata, requires
from itertools import product
from pathlib import Path
from typing import NamedTuple

import yaml
from helpers.support import ROOT
from packaging.requirements import Requirement
from typer.main import get_command

from docmt.base.errors import UserError, install
from docmt.cli.commands import build

PACKAGE = ROOT / "docmt"
PARTS = ("remedy", "way")
"""The names of what tells a person what to do: of arguments, of fields and of variables."""
GAP = "{}"
"""What stands in a remedy for a value."""


class Remedy(NamedTuple):
    """A remedy in the code: the module, and the text with `{}` for each value."""

    module: str
    text: str


class Module:
    """The constants and variables of a module, for the values of names in remedies."""

    def __init__(self, path: Path) -> None:
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        self.name = str(path.relative_to(PACKAGE))
        self.values: dict[str, list[ast.expr]] = {}
        self.imported: dict[str, str] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("docmt."):
                self.imported |= {alias.name: node.module for alias in node.names}
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    self._assign(target, node.value)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.values.setdefault(target.id, []).append(value)
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for part, item in zip(target.elts, value.elts, strict=True):
                self._assign(part, item)


@cache
def modules() -> dict[str, Module]:
    """The modules of the package by their dotted names."""
    paths = sorted(PACKAGE.rglob("*.py"))
    return {".".join(path.relative_to(ROOT).with_suffix("").parts): Module(path) for path in paths}


def texts_of(value: ast.expr | None, module: Module, seen: frozenset[str] = frozenset()) -> set[str]:
    """The texts that an expression may have, with `{}` for each value that the code does not state."""
    if isinstance(value, ast.Constant):
        return {str(value.value)} if isinstance(value.value, str) else {""} if value.value is None else {GAP}
    if isinstance(value, ast.JoinedStr):
        parts = [texts_of(part, module, seen) for part in value.values]
        return {"".join(chosen) for chosen in product(*parts)}
    if isinstance(value, ast.FormattedValue):
        return texts_of(value.value, module, seen)
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        both = product(texts_of(value.left, module, seen), texts_of(value.right, module, seen))
        return {"".join(chosen) for chosen in both}
    if isinstance(value, ast.IfExp | ast.BoolOp):
        options = [value.body, value.orelse] if isinstance(value, ast.IfExp) else value.values
        return {text for option in options for text in texts_of(option, module, seen)}
    if isinstance(value, ast.Call) and getattr(value.func, "id", "") == install.__name__:
        return {install(GAP).replace(f"'.[{GAP}]'", GAP)}
    if isinstance(value, ast.Name) and value.id not in seen:
        return _texts_of_name(value.id, module, seen | {value.id})
    return {GAP}


def _texts_of_name(name: str, module: Module, seen: frozenset[str]) -> set[str]:
    if name in module.values:
        return {text for value in module.values[name] for text in texts_of(value, module, seen)}
    origin = modules().get(module.imported.get(name, ""))
    return _texts_of_name(name, origin, seen) if origin else {GAP}


@cache
def places_of_part() -> dict[str, int]:
    """The place of the remedy among the arguments of functions and the fields of classes, by their name."""
    places = {}
    for module in modules().values():
        for node in ast.walk(module.tree):
            names = []
            if isinstance(node, ast.FunctionDef):
                names = [argument.arg for argument in node.args.args if argument.arg not in ("self", "cls")]
            elif isinstance(node, ast.ClassDef):
                fields = [part for part in node.body if isinstance(part, ast.AnnAssign)]
                names = [part.target.id for part in fields if isinstance(part.target, ast.Name)]
            for part in {*PARTS} & {*names}:
                places[node.name] = names.index(part)
    return places


def _stated(module: Module) -> Iterator[ast.expr]:
    """The expressions of a module that are remedies: arguments, and defaults of arguments."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call):
            yield from (keyword.value for keyword in node.keywords if keyword.arg in PARTS)
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            place = places_of_part().get(name, len(node.args))
            yield from node.args[place : place + 1]
        elif isinstance(node, ast.FunctionDef):
            named = zip(reversed(node.args.args), reversed(node.args.defaults), strict=False)
            yield from (default for argument, default in named if argument.arg in PARTS)


@cache
def remedies() -> list[Remedy]:
    """Every remedy in the code, each once."""
    texts = {
        Remedy(module.name, text)
        for module in modules().values()
        for value in _stated(module)
        for text in texts_of(value, module)
        if text.replace(GAP, "").strip()
    }
    return sorted(texts)


def options_of_docmt() -> set[str]:
    """The names of all options of `docmt`."""

    def of(command) -> Iterator[str]:
        yield from (name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts))
        for name in getattr(command, "list_commands", lambda context: ())(None):
            yield from of(command.get_command(None, name))

    return set(of(get_command(build())))


def refused(action: Callable[[], object]) -> UserError:
    """The error that ends a call."""
    try:
        action()
    except UserError as problem:
        return problem
    raise AssertionError("nothing was refused")


def pip_installs(remedy: str | None) -> set[str]:
    """The packages that the command of pip in a remedy installs; it has to name files and extras that there are."""
    command = re.search(r"in docmt's clone: (pip install -c (\S+) -e '\.(?:\[(.*?)\])?')", remedy or "")
    assert command is not None and (ROOT / command[2]).is_file(), remedy
    extras = set(command[3].split(",")) if command[3] else set()
    assert extras <= {*metadata("docmt").get_all("Provides-Extra")}, extras
    stated = map(Requirement, requires("docmt") or ())
    return {
        need.name
        for need in stated
        if not need.marker or any(need.marker.evaluate({"extra": e}) for e in ("", *extras))
    }


def config_of(remedy: str | None) -> dict:
    """The values of a command line in a remedy: `--config KEY=VALUE`."""
    words = (remedy or "").split("--config ")[1].split(";")[0].split()
    pairs = [word.partition("=") for word in words if "=" in word]
    return {key: yaml.safe_load(value) for key, _, value in pairs}
