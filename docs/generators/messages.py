"""The list of docmt's messages: what each says to a user, with its place in the code, so that one can read them all."""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
FOLDERS = ("docmt", "snakemake_logger_plugin_docmt", "snakemake_executor_plugin_docmt_slurm")
ERRORS = {"Failure", "UserError", "EntryRefused", "StoreUnusable"}
SPEAKERS = {"need", "note", "print", "report", "say", "told", "warn"}
"""Names of the functions that warn, print a line or check a setting."""
PARTS = ("where", "what", "found", "expected", "reason", "remedy")
Names = dict[str, list[ast.expr]]  # What a function assigns to its variables: a remedy is often put into one first.


class Message(NamedTuple):
    """A message: the file and line of its call, and its parts; what the code fills in stands in braces."""

    place: str
    parts: tuple[str, ...]


def messages() -> Iterator[Message]:
    """Yield every message of docmt, file by file."""
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for call, names in _calls(tree, _assigned(tree.body)):
            parts = tuple(_parts(call, names))
            if any(character.isalpha() for part in parts for character in re.sub("{.*?}", "", part)):
                yield Message(f"{path.relative_to(ROOT)}:{call.lineno}", parts)


def _calls(node: ast.AST, names: Names) -> Iterator[tuple[ast.Call, Names]]:
    if isinstance(node, ast.FunctionDef):
        names = names | _assigned(ast.walk(node))
    if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", None)) in ERRORS | SPEAKERS:
        yield node, names
    for child in ast.iter_child_nodes(node):
        yield from _calls(child, names)


def _assigned(nodes: Iterable[ast.AST]) -> Names:
    names: Names = {}
    for node in (node for node in nodes if isinstance(node, ast.Assign)):
        sides = (getattr(side, "elts", [side]) for side in (node.targets[0], node.value))
        for name, value in zip(*sides, strict=False):
            names.setdefault(getattr(name, "id", ""), []).append(value)
    return names


def _parts(call: ast.Call, names: Names) -> Iterator[str]:
    yield from (_text(value, names) for value in call.args)
    for keyword in call.keywords:
        if keyword.arg in PARTS:
            yield f"{keyword.arg}: {_text(keyword.value, names)}"


def _text(value: ast.expr, names: Names) -> str:
    match value:
        case ast.Constant():
            return str(value.value)
        case ast.JoinedStr():
            return "".join(_text(part, names) for part in value.values)
        case ast.BinOp(op=ast.Add()):
            return _text(value.left, names) + _text(value.right, names)
        case ast.IfExp():
            return f"{_text(value.body, names)} | {_text(value.orelse, names)}"
        case ast.Name() if value.id in names:
            return " | ".join(_text(each, {}) for each in names[value.id])
    return f"{{{ast.unparse(value.value if isinstance(value, ast.FormattedValue) else value)}}}"


def text() -> str:
    """Return the list as text: the place of each message, and below it its parts."""
    return "\n".join(f"{place}\n    " + "\n    ".join(parts) for place, parts in messages())
