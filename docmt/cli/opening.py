"""A trained model's folder, opened with its text pipeline."""

from pathlib import Path
from typing import TYPE_CHECKING

from docmt.base.errors import UserError

if TYPE_CHECKING:
    from docmt.models.transformer import Transformer
    from docmt.nn.device import DeviceName
    from docmt.text.pipeline import TextPipeline


def check_model(folder: Path) -> None:
    """Raises UserError where the folder is no model's: before torch, which takes a second or more to import."""
    from docmt.base.artifacts import read_object

    read_object(folder / "model.json")


def open_model(folder: Path, device: "DeviceName", threads: int | None) -> "tuple[Transformer, TextPipeline]":
    """Load `model.safetensors`, `model.json` and `text/`, for computing on `device` with so many threads.

    Raises UserError where a file is missing or damaged, or the vocabularies are not those of the model.
    """
    import torch

    from docmt.models.store import load_model
    from docmt.nn.device import choose_device
    from docmt.text.pipeline import TextPipeline

    if threads is not None:
        torch.set_num_threads(threads)
    model, pipeline = load_model(folder, choose_device(device)), TextPipeline.load(folder / "text")
    sizes = len(pipeline.source.vocabulary), len(pipeline.target.vocabulary)
    if sizes != (model.source_size, model.target_size):
        raise UserError(
            "the vocabularies are not those of the model",
            where=str(folder / "text"),
            found=f"{sizes[0]} source and {sizes[1]} target pieces",
            expected=f"{model.source_size} and {model.target_size}",
        )
    return model, pipeline
