"""The weights of a pretrained checkpoint, read as data: no file is ever run."""

import pickle
from pathlib import Path

import torch

from docmt.core.errors import UserError
from docmt.core.pretrained import weight_files
from docmt.models.store import read_tensors


def read_checkpoint(folder: Path | str) -> dict[str, torch.Tensor]:
    """All weights of `folder`, by the names that they have there: model.safetensors, its shards, or pytorch_model.bin.

    Raises: UserError where a file is missing or damaged, and for a pickle that holds anything but tensors.
    """
    weights: dict[str, torch.Tensor] = {}
    for path in weight_files(Path(folder)):
        if path.suffix == ".safetensors":
            weights |= read_tensors(path)
        elif path.suffix == ".bin":
            weights |= _read_pickle(path)
    return weights


def _read_pickle(path: Path) -> dict[str, torch.Tensor]:
    try:
        weights = torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, EOFError, RuntimeError) as problem:
        raise UserError(
            "refused: a pickle of weights that is damaged, or would run code",
            where=str(path),
            found=str(problem).splitlines()[0] if str(problem) else type(problem).__name__,
            expected="tensors by name and nothing else",
            remedy="take the checkpoint's model.safetensors instead",
        ) from None
    if not isinstance(weights, dict) or not all(isinstance(tensor, torch.Tensor) for tensor in weights.values()):
        raise UserError("not weights by name", where=str(path), found=type(weights).__name__)
    return weights
