"""Names of tensors whose axes changed end in the letters of the legend."""

import ast
import re
from pathlib import Path

import docmt
from docmt.nn import shapes

FILES = [file for part in ("nn", "models") for file in Path(docmt.__file__).parent.joinpath(part).rglob("*.py")]
LEGEND = set(re.findall(r"^\| (\w) \|", shapes.__doc__, re.MULTILINE))


def suffixes() -> set[str]:
    names = {node.id for file in FILES for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Name)}
    return {name.rsplit("_", 1)[1] for name in names if re.fullmatch(r"[a-z]\w*_[A-Z]+", name)}


def test_axes_are_letters_of_the_legend():
    assert len(LEGEND) > 5
    assert suffixes()
    assert {letter for suffix in suffixes() for letter in suffix} <= LEGEND
