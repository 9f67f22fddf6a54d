"""The place of a model in a folder, in a module of its own that does not import torch."""

from pathlib import Path

CARD = "model.json"


def model_folder(folder: Path) -> Path:
    """Return the folder of a model: `folder` itself, or `folder/model` where `folder` is the output of a training."""
    inner = folder / "model"
    return inner if (inner / CARD).is_file() and not (folder / CARD).is_file() else folder
