"""Fixtures of the tests of settings."""

import pytest
from small_grid import small_project
from support import Project


@pytest.fixture
def small(tmp_path) -> Project:
    return small_project(tmp_path)
