"""A small training that a test may stop, spoil or train, and its model."""

from pathlib import Path

import pytest
from helpers.sizes import TWO_LAYERS
from helpers.toy_task import VOCABULARY, Folder, make_folder

from docmt.models import build
from docmt.models.transformer import Transformer
from docmt.settings.models import GTransformerConfig


@pytest.fixture
def model() -> Transformer:
    """A G-Transformer, which has parameters that a sentence model has, and others."""
    return build(GTransformerConfig(**TWO_LAYERS, combined_layers=1), len(VOCABULARY), len(VOCABULARY))


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """A small training before it begins."""
    return make_folder(tmp_path / "run")
