"""Inputs of readers, for the tests of stage 1."""

from pathlib import Path

import pytest

from docmt.corpus.inputs import ReaderInputs


@pytest.fixture
def inputs(tmp_path: Path) -> ReaderInputs:
    """Reader inputs whose downloads folder is `tmp_path`."""
    return ReaderInputs(tmp_path, tmp_path / "scratch", "zh", "en")
