"""Fixtures of the tests of settings."""

import pytest
from helpers.every_kind import with_every_kind
from helpers.small_grid import small_project
from helpers.support import Project


@pytest.fixture
def small(tmp_path) -> Project:
    return small_project(tmp_path)


@pytest.fixture
def full(small) -> Project:
    return with_every_kind(small)
