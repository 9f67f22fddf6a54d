"""In which number type a training computes."""

from contextlib import AbstractContextManager, nullcontext
from typing import Literal

import torch

Precision = Literal["auto", "fp32", "bf16"]


def computing(device: torch.device, precision: Precision) -> AbstractContextManager:
    """The context of forward passes: autocast to bf16, or nothing; `auto` is bf16 on GPUs that have it."""
    if precision == "auto":
        has_bf16 = device.type == "cuda" and torch.cuda.is_bf16_supported()
        precision = "bf16" if has_bf16 else "fp32"
    return torch.autocast(device.type, torch.bfloat16) if precision == "bf16" else nullcontext()
