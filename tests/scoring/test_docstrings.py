"""What docstrings of the package show is what its functions return."""

import doctest
import importlib
import pkgutil

import pytest

from docmt import scoring

NAMES = [module.name for module in pkgutil.walk_packages(scoring.__path__, "docmt.scoring.")]


@pytest.mark.parametrize("name", [name for name in NAMES if ".programs." not in name])
def test_the_examples_in_docstrings_are_true(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
