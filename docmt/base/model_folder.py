"""The place of a model in a folder, for whoever opens one without importing torch."""

from pathlib import Path

CARD = "model.json"


def model_folder(folder: Path) -> Path:
    """Return the folder of a model: `folder` itself, or `folder/model`, which is what a training leaves."""
    inner = folder / "model"
    return inner if (inner / CARD).is_file() and not (folder / CARD).is_file() else folder
