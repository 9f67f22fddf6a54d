"""The terms of docmt, collected from its code: settings and their values, columns of tables, and words of messages."""

import ast
import dataclasses
import re
import typing
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from helpers.support import ROOT

from docmt.base.parse import KINDS
from docmt.catalogue.corpus import CorpusConfig
from docmt.catalogue.fixtures import FixtureConfig
from docmt.catalogue.forms import FORMS
from docmt.cli.commands import FOR_YOU, STORE
from docmt.grid.main_config import MainConfig
from docmt.grid.scale import ScaledView
from docmt.kinds import FIGURES as FIGURE_KINDS
from docmt.kinds import TABLES as TABLE_KINDS
from docmt.kinds.study import StudyConfig
from docmt.settings.metrics import METRICS
from docmt.settings.models import MODELS

PACKAGE = ROOT / "docmt"

MESSAGES: dict[str, tuple[slice, tuple[str, ...]]] = {
    "UserError": (slice(None), ("where", "found", "expected", "remedy", "what")),
    "BadParameter": (slice(None), ()),
    "BadValue": (slice(2, None), ("expected",)),
    "need": (slice(3, None), ("expected",)),
    "_need": (slice(None), ("expected",)),
    "need_between": (slice(4, None), ("otherwise",)),
    "require": (slice(1, None), ("what", "found", "expected")),
    "check_known": (slice(1), ()),
    "known": (slice(1), ()),
    "report": (slice(None), ("where", "found", "expected", "remedy")),
    "warn": (slice(None), ("where", "found")),
    "say": (slice(None), ()),
    "setting": (slice(1, 2), ("about",)),
    "needed": (slice(1), ("about",)),
    "section": (slice(1, 2), ("about",)),
    "some": (slice(2), ("expected", "found")),
    "within": (slice(1), ("expected",)),
    "by_language": (slice(1), ()),
    "Option": (slice(0), ("help",)),
    "Argument": (slice(0), ("help",)),
    "input_file": (slice(1), ()),
    "input_folder": (slice(1), ()),
    "output_file": (slice(1), ()),
    "output_folder": (slice(1), ()),
    "Metric": (slice(1), ("about",)),
}
"""Functions that take a text for the user: the positional arguments and the keywords that are such texts."""

TABLES = {"aligned", "print_table", "show_table"}
"""Functions of the command line that print a table whose first row is the tuple `columns`."""

CODE = re.compile(r"`[^`]*`|\S*[_/\\@|<>{}=*\x00]\S*|(?<!\w)--?[a-z][\w-]*|\S*\w\.\w\S*|\.\w+|\b[A-Z][A-Z0-9_]*_\w*")
"""Parts of a message that are no words: names between backticks, options, paths, formulas and names of settings."""
WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")
ENDINGS = (
    ("ies", "y"),
    ("oes", "o"),
    ("heses", "hesis"),
    ("ases", "as"),
    ("sses", "ss"),
    ("xes", "x"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("s", ""),
)
"""Endings of plurals and of verbs, and their replacement."""


@cache
def tree(file: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def files() -> tuple[Path, ...]:
    """Return the files of the package."""
    return tuple(sorted(PACKAGE.rglob("*.py")))


def singular(word: str) -> str:
    """Return a word in lower case, without the ending of a plural or of a verb's third person, and without 's."""
    word = re.sub("(?<=[A-Z])s$", "", word).lower().removesuffix("'s").removesuffix("s'").removesuffix("'")
    if len(word) > 3 and not word.endswith(("ss", "us", "is", "as")):
        for ending, replacement in ENDINGS:
            if word.endswith(ending):
                return word.removesuffix(ending) + replacement
    return word


def forms(word: str) -> set[str]:
    """Return a word and what remains of it without the ending of a verb: `padded`, `padd`, `pad` and `padde`."""
    stems = {word}
    for ending in ("ing", "ed", "d"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 2:
            stems |= {stem, f"{stem}e", stem[:-1] if stem[-1] == stem[-2] else stem}
    return stems


def words_of(text: str) -> set[str]:
    """Return the words of a text; code in it is left out."""
    return {singular(word) for word in WORD.findall(CODE.sub(" ", text)) if len(word) > 1}


def settings_classes() -> set[type]:
    """Return the dataclasses that files of settings, studies, corpora and scales are parsed into."""
    classes: set[type] = set()
    kinds = {cls for _, variants in KINDS.values() for cls in variants.values()}
    waiting = [MainConfig, StudyConfig, CorpusConfig, FixtureConfig, ScaledView, *kinds]
    while waiting:
        cls = waiting.pop()
        if cls not in classes:
            classes.add(cls)
            hints = typing.get_type_hints(cls)
            parts = [part for field in dataclasses.fields(cls) for part in parts_of(hints[field.name])]
            waiting += [part for part in parts if dataclasses.is_dataclass(part)]
    return classes


def parts_of(hint: object) -> Iterator[object]:
    """Yield the types and the literal values inside a type."""
    options = typing.get_args(hint)
    if not options:
        yield hint
    for option in options:
        yield from parts_of(option)


def settings_terms() -> dict[str, str]:
    """Return the fields of settings and the values of their literals, each with the class that has it."""
    terms: dict[str, str] = {}
    for cls in sorted(settings_classes(), key=lambda cls: cls.__qualname__):
        hints = typing.get_type_hints(cls)
        for field in dataclasses.fields(cls):
            place = f"{cls.__module__}.{cls.__qualname__}"
            terms.setdefault(field.name, place)
            values = [part for part in parts_of(hints[field.name]) if isinstance(part, str)]
            for value in values:
                terms.setdefault(value, f"{place}.{field.name}")
    return terms


def names_of_items() -> dict[str, str]:
    """Return the kinds, metrics, presets and names that studies may state, each with the table that has it."""
    tables = {
        "a metric": METRICS,
        "an architecture": MODELS,
        "a form of corpus files": FORMS,
        "a kind of table": TABLE_KINDS,
        "a kind of figure": FIGURE_KINDS,
    }
    return {name: table for table, names in tables.items() for name in names}


def command_columns() -> dict[str, str]:
    """Return the headings of tables that commands print, each with its file."""
    headings: dict[str, str] = {}
    for file in sorted((PACKAGE / "cli").rglob("*.py")):
        variables = assignments(tree(file))
        for node in ast.walk(tree(file)):
            if isinstance(node, ast.Call) and called(node) in TABLES and node.args:
                for text in column_texts(node.args[0], variables):
                    headings.setdefault(text, str(file.relative_to(ROOT)))
    return {heading: file for heading, file in headings.items() if heading}


def column_texts(value: ast.expr, variables: dict[str, list[ast.expr]], depth: int = 0) -> Iterator[str]:
    """Yield the texts of a tuple, of the first row of a list of rows, and of tuples that are joined."""
    if isinstance(value, ast.Tuple):
        yield from (e.value for e in value.elts if isinstance(e, ast.Constant) and isinstance(e.value, str))
    elif isinstance(value, ast.List) and value.elts:
        yield from column_texts(value.elts[0], variables, depth)
    elif isinstance(value, ast.BinOp):
        yield from column_texts(value.left, variables, depth)
        yield from column_texts(value.right, variables, depth)
    elif isinstance(value, ast.Name) and depth < 4:
        for given in variables.get(value.id, []):
            yield from column_texts(given, variables, depth + 1)


HEADING = re.compile(r"<th[^>]*>(.*?)</th>", re.DOTALL)
PART = re.compile(r"\{[{%#].*?[%#}]\}|<[^>]*>", re.DOTALL)


def report_columns() -> dict[str, str]:
    """Return the headings of tables of reports, each with its template; what a study states is no heading of ours."""
    headings: dict[str, str] = {}
    for file in sorted((PACKAGE / "reporting" / "templates").rglob("*.html")):
        for heading in HEADING.findall(file.read_text(encoding="utf-8")):
            text = " ".join(PART.sub(" ", heading).split())
            if re.search("[A-Za-z]{2}", text):
                headings.setdefault(text, str(file.relative_to(ROOT)))
    return headings


def called(node: ast.Call) -> str:
    """Return the last part of the name of the function that is called."""
    return getattr(node.func, "attr", None) or getattr(node.func, "id", "")


@cache
def constants() -> dict[str, list[ast.expr]]:
    """Return the constants of all modules by name."""
    values: dict[str, list[ast.expr]] = {}
    for file in files():
        for node in tree(file).body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id.isupper():
                values.setdefault(node.targets[0].id, []).append(node.value)
    return values


class Message(typing.NamedTuple):
    """A text for the user, with its place."""

    place: str
    text: str


def messages() -> Iterator[Message]:
    """Yield the texts of messages, of help and of settings; a value that a text quotes is a space."""
    for file in files():
        scopes = [node for node in ast.walk(tree(file)) if isinstance(node, ast.FunctionDef)]
        for scope in (tree(file), *scopes):
            names = assignments(scope) if isinstance(scope, ast.FunctionDef) else {}
            for node in ast.walk(scope):
                if isinstance(node, ast.Call) and called(node) in MESSAGES:
                    positional, keywords = MESSAGES[called(node)]
                    values = [*node.args[positional], *(k.value for k in node.keywords if k.arg in keywords)]
                    for text in (text for value in values for text in texts_of(value, names)):
                        yield Message(f"{file.relative_to(ROOT)}:{node.lineno}", text)
        if (PACKAGE / "cli") in file.parents:
            for scope in scopes:
                if is_command(scope):
                    yield Message(f"{file.relative_to(ROOT)}:{scope.lineno}", first_line(scope))


@cache
def command_names() -> frozenset[str]:
    """Return the names of the functions of all commands."""
    sections = [*FOR_YOU.values(), *STORE.values()]
    return frozenset(name.replace("-", "_") for section in sections for name in section)


def is_command(function: ast.FunctionDef) -> bool:
    """Return whether a function has the name of a command."""
    return function.name in command_names()


def first_line(function: ast.FunctionDef) -> str:
    """Return the first line of a docstring."""
    return (ast.get_docstring(function) or "").partition("\n")[0]


def assignments(scope: ast.AST) -> dict[str, list[ast.expr]]:
    """Return the values that a function, or all of a module, gives to its variables, by the variable's name."""
    values: dict[str, list[ast.expr]] = {}
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign):
            target = node.targets[0]
            if isinstance(target, ast.Name):
                values.setdefault(target.id, []).append(node.value)
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                for name, value in zip(target.elts, node.value.elts, strict=False):
                    values.setdefault(getattr(name, "id", ""), []).append(value)
    return values


def texts_of(value: ast.expr, names: dict[str, list[ast.expr]], depth: int = 0) -> Iterator[str]:
    """Yield the texts that an expression may be; `names` has the values of variables."""
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield value.value
    elif isinstance(value, ast.JoinedStr):
        yield "".join(part.value if isinstance(part, ast.Constant) else "\0" for part in value.values)
        for part in value.values:
            if isinstance(part, ast.FormattedValue):
                yield from texts_of(part.value, names, depth)
    elif isinstance(value, ast.IfExp):
        yield from texts_of(value.body, names, depth)
        yield from texts_of(value.orelse, names, depth)
    elif isinstance(value, ast.BinOp):
        yield from texts_of(value.left, names, depth)
        yield from texts_of(value.right, names, depth)
    elif isinstance(value, ast.BoolOp):
        for part in value.values:
            yield from texts_of(part, names, depth)
    elif isinstance(value, ast.Name) and depth < 3:
        for given in names.get(value.id, []) + constants().get(value.id, []):
            yield from texts_of(given, names, depth + 1)


def words_of_messages() -> dict[str, Message]:
    """Return the words of all messages, each with the first message that has it."""
    words: dict[str, Message] = {}
    for message in messages():
        for word in words_of(message.text):
            words.setdefault(word, message)
    return words
