"""The notebook of docs/ runs from its first cell to its last, by the Python API alone."""

import re

import nbformat
import pytest
from helpers.first_command import hiding
from helpers.support import ROOT
from nbclient import NotebookClient

NOTEBOOK = ROOT / "docs" / "python.ipynb"


@pytest.mark.slow
def test_the_notebook_runs(example_folder, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(hiding("ipykernel")))
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(example_folder)}}).execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in cells)
    outputs = [output for cell in cells for output in cell.outputs]
    assert any("image/png" in output.get("data", {}) for output in outputs), "a curve"
    assert not [output for output in outputs if output.output_type == "error"]


def test_it_uses_the_public_names_alone():
    code = "\n".join(cell.source for cell in nbformat.read(NOTEBOOK, as_version=4).cells if cell.cell_type == "code")
    imports = set(re.findall(r"^(?:import|from) (\S+)", code, re.MULTILINE))
    assert imports == {"docmt", "matplotlib.pyplot"}
    assert {"open_model", "read_corpus", "score", "compare", "align", "read_curve"} <= set(
        re.findall(r"docmt\.(\w+)", code)
    )
