"""A small training that nobody disturbs, and one that a test may stop, spoil or train."""

from pathlib import Path

import pytest
from helpers.sizes import TWO_LAYERS
from helpers.toy_task import VOCABULARY, Folder, make_folder

from docmt.models import build
from docmt.models.transformer import Transformer
from docmt.settings.models import GTransformerConfig


@pytest.fixture(scope="session")
def reference(tmp_path_factory) -> Folder:
    """A training that came to its end; checkpoints after updates 3, 6 and 9 of 12."""
    folder = make_folder(tmp_path_factory.mktemp("reference") / "run")
    assert folder.train()
    return folder


@pytest.fixture
def model() -> Transformer:
    """A G-Transformer, which has parameters that a sentence model has, and others."""
    return build(GTransformerConfig(**TWO_LAYERS, combined_layers=1), len(VOCABULARY), len(VOCABULARY))


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """The same training before it begins."""
    return make_folder(tmp_path / "run")
