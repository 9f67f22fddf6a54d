"""The weights of a pretrained checkpoint, read as data: no file is ever run."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from docmt.base.errors import UserError
from docmt.base.foreign import MEND, reading
from docmt.models.store import read_tensors
from docmt.settings.pretrained import weight_files

PLAIN = "tensors by name and nothing else"


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
    remedy = "take the checkpoint's model.safetensors instead, or fetch it again"
    with reading(path, "refused: a pickle of weights that is damaged, or would run code", PLAIN, remedy):
        weights = load_plain(path)
    check_weights(weights, str(path))
    return weights


def load_plain(path: Path, allowed: Sequence[type] = ()) -> Any:
    """What a pickle holds: tensors, plain values, objects of the `allowed` classes. Raises anything for others.

    Warnings are left out: a damaged pickle that has odd numbers in it is refused, or is as good as any.
    """
    with warnings.catch_warnings(), torch.serialization.safe_globals(list(allowed)):
        warnings.simplefilter("ignore")
        return torch.load(path, map_location="cpu", weights_only=True)


def check_weights(weights: Any, where: str) -> None:
    """Raises UserError for what a damaged pickle may give: no names, no tensors, or tensors that have no values."""
    named = isinstance(weights, dict) and all(isinstance(name, str) for name in weights)
    if not named or not all(isinstance(tensor, torch.Tensor) for tensor in weights.values()):
        raise UserError("not weights by name", where=where, found=type(weights).__name__, expected=PLAIN, remedy=MEND)
    strange = [name for name, tensor in weights.items() if not is_plain(tensor)]
    if strange:
        found = f"{strange[0]} is none"
        raise UserError("not weights by name", where=where, found=found, expected=PLAIN, remedy=MEND)


def is_plain(tensor: torch.Tensor) -> bool:
    """Whether all values of it are there."""
    return tensor.device.type == "cpu" and tensor.layout is torch.strided and not tensor.is_quantized
