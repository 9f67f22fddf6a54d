"""A small training that nobody disturbs, and one that a test may stop, spoil or train."""

from pathlib import Path

import pytest
from helpers.toy_task import Folder, make_folder


@pytest.fixture(scope="session")
def reference(tmp_path_factory) -> Folder:
    """A training that came to its end; checkpoints after updates 3, 6 and 9 of 12."""
    folder = make_folder(tmp_path_factory.mktemp("reference") / "run")
    assert folder.train()
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """The same training before it begins."""
    return make_folder(tmp_path / "run")
