"""Tables for spreadsheet programs: no cell is computed, any text comes back, and one module writes all tables."""

import ast
import csv
import doctest
import io
import math
from contextlib import suppress
from pathlib import Path

import pytest
from helpers.formulas import CELLS
from hypothesis import example, given
from hypothesis import strategies as st

import docmt
from docmt.base import spreadsheets
from docmt.base.spreadsheets import csv_lines, shield, tsv_line, unshield


@pytest.mark.parametrize("name", CELLS)
def test_what_a_program_would_compute_is_shielded_and_nothing_else(name):
    text, is_shielded = CELLS[name]
    cell = f"'{text}" if is_shielded else text
    assert shield(text) == cell and unshield(cell) == text
    assert next(csv.reader(io.StringIO(csv_lines([[text, "b"]]), newline=""))) == [cell, "b"]


BLANKS = st.text(st.sampled_from("\"' \t\r\n\u00a0\u3000\u200b\ufeff"), max_size=3)
FORMULAS = st.tuples(BLANKS, st.sampled_from("=+-@＝＋－＠"), st.text(max_size=3)).map("".join)
TEXTS = st.text(max_size=8) | FORMULAS | st.floats(allow_nan=False).map(str)


@given(st.lists(st.lists(TEXTS, min_size=2, max_size=2), max_size=3), st.booleans())
@example([["'-5", "'=1"]], False)
def test_any_table_comes_back_from_csv(rows, is_quoted):
    cells = [*csv.reader(io.StringIO(csv_lines(rows, is_quoted), newline=""))]
    assert [[unshield(cell) for cell in row] for row in cells] == rows
    assert all(is_text(cell) for row in cells for cell in row)


@given(st.lists(TEXTS, min_size=1, max_size=3))
def test_any_row_without_tabs_and_line_ends_comes_back_from_tsv(row):
    cells = tsv_line(row).split("\t")
    plain = [text.replace("\t", " ").replace("\r", " ").replace("\n", " ") for text in row]
    assert [unshield(cell) for cell in cells] == plain
    assert all(is_text(cell.lstrip('"')) for cell in cells)


def is_text(cell: str) -> bool:
    """Whether a spreadsheet program shows a cell as it is, or as a number."""
    with suppress(ValueError):
        if math.isfinite(float(cell.strip())):
            return True
    return not cell.lstrip(" \u00a0\u3000\u200b\ufeff\x0b\x0c").startswith((*"=+-@＝＋－＠\t\r\n",))


@given(FORMULAS.filter(lambda text: not text.startswith("'")))
def test_a_text_comes_back_from_a_program_that_takes_the_shield_away(text):
    assert unshield(text) == text


def test_numbers_and_nothing_are_written_as_they_are():
    assert csv_lines([[1, -2.5, None, True, "x"]]) == "1,-2.5,,True,x\n"


def test_examples_of_the_docstrings():
    assert doctest.testmod(spreadsheets) == (0, 2)


WRITERS = {"csv.writer", "csv.DictWriter", "write_csv", "to_csv"}


def writes_a_table(node: ast.AST) -> bool:
    """Whether code writes CSV by a library, or puts tabs between cells."""
    if isinstance(node, ast.Attribute):
        return ast.unparse(node) in WRITERS or node.attr in ("write_csv", "DictWriter")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "join":
        return ast.unparse(node.func.value) == repr("\t")
    return isinstance(node, ast.JoinedStr) and any("\t" in part.value for part in node.values if is_constant(part))


def is_constant(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def test_one_module_writes_all_tables():
    root = Path(docmt.__file__).parent
    places = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if writes_a_table(node)
    }
    # The others are a key that is hashed, and counts in the form that a library reads.
    assert places == {"base/spreadsheets.py", "views/build.py", "text/sentencepiece_learning.py"}
