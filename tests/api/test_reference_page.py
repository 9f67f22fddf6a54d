"""The pages of the Python API have every public function with the classes that it returns, and their program runs."""

import dataclasses
import inspect
import re
import typing
from collections.abc import Callable

import polars
import pytest
from helpers.support import ROOT

import docmt
from docmt.api.open_model import Model

PAGES = {page.name: page.read_text(encoding="utf-8") for page in (ROOT / "docs/reference/api").glob("*.md")}
ON_PAGES = re.findall(r"^::: (\S+)$", "\n".join(PAGES.values()), re.MULTILINE)


def classes_of(annotation: object) -> set[type]:
    """The dataclasses of docmt in a type, and those in their fields that are dataclasses without methods of a model."""
    parts = {part for argument in typing.get_args(annotation) for part in classes_of(argument)}
    if not dataclasses.is_dataclass(annotation) or not annotation.__module__.startswith("docmt."):
        return parts
    hints = {} if annotation is Model else typing.get_type_hints(annotation)
    return parts | {annotation} | {part for hint in hints.values() for part in classes_of(hint)}


def returned_by(function: Callable) -> object:
    """What a function returns; docmt imports polars where it is used."""
    return typing.get_type_hints(function, localns={"pl": polars})["return"]


@pytest.mark.parametrize("name", docmt.__all__)
def test_a_function_is_shown_with_what_it_returns(name):
    assert ON_PAGES.count(f"docmt.{name}") == 1
    returned = classes_of(returned_by(getattr(docmt, name)))
    assert {f"{kind.__module__}.{kind.__name__}" for kind in returned} <= set(ON_PAGES)


def test_methods_return_what_is_shown():
    returned = classes_of(returned_by(Model.translate))
    assert returned and {f"{kind.__module__}.{kind.__name__}" for kind in returned} <= set(ON_PAGES)
    assert returned_by(Model.score_contrastive) is polars.DataFrame


def test_the_program_of_the_page_runs(example_folder, monkeypatch, capsys):
    monkeypatch.chdir(example_folder)
    (program,) = re.findall(r"^```python\n(.*?)^```$", PAGES["index.md"], re.MULTILINE | re.DOTALL)
    exec(compile(program, "index.md", "exec"), {})
    (stated,) = re.findall(r"^```text\n(.*?)^```$", PAGES["index.md"], re.MULTILINE | re.DOTALL)
    assert without_numbers(capsys.readouterr().out) == without_numbers(stated)


def without_numbers(printed: str) -> list[str]:
    """Lines without translations and scores, which another training changes; signatures stay."""
    return [re.sub(r"(?<= -> ).*|(?<=^.-.{4} )[\d.]+(?= )", "...", line) for line in printed.splitlines()]


def test_what_the_page_shows_exists():
    for name in ON_PAGES:
        module, _, last = name.rpartition(".")
        assert hasattr(__import__(module, fromlist=[last]), last), name
        assert inspect.getmodule(getattr(docmt, last, None)) is None or module == "docmt" or last not in docmt.__all__
