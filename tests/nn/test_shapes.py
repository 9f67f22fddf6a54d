"""Names of tensors whose axes changed end in the letters of the legend."""

import ast
import re
from pathlib import Path

import pytest
import torch
from jaxtyping import TypeCheckError

import docmt
from docmt.nn import shapes
from docmt.nn.layers import FeedForward

FILES = [file for part in ("nn", "models") for file in Path(docmt.__file__).parent.joinpath(part).rglob("*.py")]
LEGEND = set(re.findall(r"^\| (\w) \|", shapes.__doc__, re.MULTILINE))


def suffixes() -> set[str]:
    names = {node.id for file in FILES for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Name)}
    return {name.rsplit("_", 1)[1] for name in names if re.fullmatch(r"[a-z]\w*_[A-Z]+", name)}


def test_axes_are_letters_of_the_legend():
    assert len(LEGEND) > 5
    assert suffixes()
    assert {letter for suffix in suffixes() for letter in suffix} <= LEGEND


def test_what_has_another_shape_than_the_signature_is_refused():
    """In the tests that tests/conftest.py lists: states are tokens by width, without a batch."""
    with pytest.raises(TypeCheckError, match="typechecking parameter 'x'"):
        FeedForward(4, 8, dropout=0.0)(torch.zeros(2, 3, 4))
