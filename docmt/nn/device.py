"""Where tensors are computed."""

from typing import Literal

import torch

from docmt.core.errors import UserError

DeviceName = Literal["auto", "cpu", "cuda"]


def choose_device(name: DeviceName) -> torch.device:
    """`auto` is the GPU where there is one. Raises UserError where a GPU is asked for and there is none."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise UserError("no CUDA device", where="--device", found="cpu only", remedy="--device cpu, or auto")
    return torch.device(name)
