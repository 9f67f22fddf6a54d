"""The Python examples of README.md, of docs/ and of its notebook."""

import ast
import doctest
import inspect
import sys

import nbformat
from helpers.how_to import blocks_of
from helpers.page_examples import pages, python_of
from helpers.support import ROOT

import docmt
from docmt.api.open_model import Model

NOTEBOOK = ROOT / "docs/python.ipynb"
PUBLIC = [*(getattr(docmt, name) for name in docmt.__all__), Model.translate, Model.score_contrastive]
"""What has its docstring, with its example, on the page of the Python API."""


def examples() -> dict[str, str]:
    """Return each example that runs after the demo, by the name of a file: a script (.py), or a session (.txt)."""
    examples_by_name = {"notebook.py": "\n".join(cell.source for cell in notebook().cells if cell.cell_type == "code")}
    for path, page in pages().items():
        name = path.removesuffix(".md").replace("/", "-")
        bodies = [script for block in blocks_of(page) if (script := python_of(block))]
        if any(">>> " in body for body in bodies):
            examples_by_name[f"{name}.txt"] = "\n\n".join(bodies)
        else:
            examples_by_name |= {f"{name}-{number}.py": body for number, body in enumerate(bodies)}
    return examples_by_name | {f"{function.__qualname__}.txt": inspect.getdoc(function) for function in PUBLIC}


def files_to_write() -> dict[str, str]:
    """Return the Python files that pages have the reader write, by the names of page and file."""
    blocks = [(path, block) for path, page in pages().items() for block in blocks_of(page)]
    return {f"{path}: {block.title}": block.body for path, block in blocks if block.form == "python" and block.title}


def notebook() -> nbformat.NotebookNode:
    return nbformat.read(NOTEBOOK, as_version=4)


def imported(example: str) -> set[str]:
    """Return the packages that a script or a session imports, but for docmt and those of Python itself."""
    parser = doctest.DocTestParser()
    code = "".join(line.source for line in parser.get_examples(example)) if ">>> " in example else example
    nodes = [*ast.walk(ast.parse(code))]
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
    return {name.partition(".")[0] for name in names} - {"docmt"} - sys.stdlib_module_names
