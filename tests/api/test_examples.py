"""Every public function of the Python API has an example, and the examples run."""

import doctest
import inspect
import subprocess
import sys
from importlib import import_module

import pytest
from helpers.python_examples import PUBLIC

import docmt


def name_of(function) -> str:
    return function.__qualname__


@pytest.mark.parametrize("function", PUBLIC, ids=name_of)
def test_its_example_runs(function, example_folder, monkeypatch):
    monkeypatch.chdir(example_folder)
    tests = doctest.DocTestFinder(recurse=False).find(function, name_of(function), globs={})
    assert tests and tests[0].examples, "an example"
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert runner.run(tests[0]).failed == 0


@pytest.mark.parametrize("function", PUBLIC, ids=name_of)
def test_its_docstring_names_its_arguments_and_errors(function):
    text = inspect.getdoc(function)
    parameters = [name for name in inspect.signature(function).parameters if name != "self"]
    told = [name for name in parameters if f"`{name}`" in text or name in ("path", "root", "results", *TEXTS)]
    assert told == parameters
    assert "UserError" in text


TEXTS = ("source", "target", "hypotheses", "baseline", "reference", "documents", "further_references", "items", "case")
"""Arguments whose names say what they are, once it is said what a text is."""


def test_public_names_are_listed_and_nothing_else():
    assert docmt.__all__ == sorted(docmt.__all__)
    assert set(docmt.__all__) <= set(dir(docmt))
    with pytest.raises(AttributeError, match="no attribute 'nothing'; public names: align, "):
        docmt.nothing  # noqa: B018


def loaded(code: str) -> set[str]:
    """The heavy libraries that a fresh Python has imported after these statements."""
    heavy = ("torch", "numpy", "polars", "pyarrow", "typer", "rich", "transformers", "sacrebleu", "yaml")
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*(name for name in {heavy!r} if name in sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split("\n")[-2].split())


def test_importing_docmt_imports_no_library():
    assert loaded("import docmt") == set()


def test_scoring_needs_no_torch_and_no_command_line():
    code = "import docmt\nx = [['a cat .'] * 3]\n"
    calls = "docmt.score(x, x), docmt.compare(x, x, x), docmt.align(x, x), docmt.score_consistency(x, x)"
    assert not loaded(code + calls) & {"torch", "typer", "transformers"}


@pytest.mark.slow
def test_no_function_needs_the_command_line():
    modules = {function.__module__ for function in PUBLIC}
    assert not loaded("\n".join(f"import {module}" for module in sorted(modules))) & {"typer"}
    assert all(import_module(module).__name__.startswith("docmt.api.") for module in modules)
