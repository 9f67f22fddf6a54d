"""What an export is made of: a trained model with the settings of its text, its documents and its search."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docmt.models.transformer import Transformer
from docmt.settings.data import CutConfig, TextConfig
from docmt.settings.decode import DecodeConfig


@dataclass(frozen=True)
class ExportedModel:
    """A trained model, as an export reads it."""

    network: Transformer
    folder: Path  # with model.safetensors, model.json and `text/`
    card: dict[str, Any]
    pieces: tuple[tuple[str, ...], tuple[str, ...]]  # the vocabularies of source and target
    languages: tuple[str, str]  # the codes of source and target
    text: TextConfig  # how sentences become pieces
    is_cut: bool  # whether another tool cuts the text into pieces
    cut: CutConfig  # how test documents are cut
    decode: DecodeConfig  # how translations are searched
