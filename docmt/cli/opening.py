"""A trained model, opened for a command."""

from pathlib import Path
from typing import TYPE_CHECKING

from docmt.base.artifacts import read_object

if TYPE_CHECKING:
    from docmt.api.model import TrainedModel
    from docmt.nn.device import DeviceName


def open_model(folder: Path, device: "DeviceName", threads: int | None) -> "TrainedModel":
    """See `TrainedModel.open`. A folder that is no model's is refused before torch, which takes a second to import."""
    read_object(folder / "model.json")
    from docmt.api.model import TrainedModel

    return TrainedModel.open(folder, device, threads)
