"""What an export is made of: a trained model with the settings of its text, its documents and its search."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docmt.models.transformer import Transformer
from docmt.settings.data import CutConfig, TextConfig
from docmt.settings.decode import DecodeConfig


@dataclass(frozen=True)
class ExportedModel:
    """A trained model, as an export reads it.

    `folder` has model.safetensors, model.json and `text/`. `pieces` are the vocabularies of the source and the target,
    and `languages` their codes. `cut` says how test documents are cut, `text` how their sentences become pieces, and
    `decode` how they are searched. `is_cut` says that another tool cuts the text into pieces.
    """

    network: Transformer
    folder: Path
    card: dict[str, Any]
    pieces: tuple[tuple[str, ...], tuple[str, ...]]
    languages: tuple[str, str]
    text: TextConfig
    is_cut: bool
    cut: CutConfig
    decode: DecodeConfig
