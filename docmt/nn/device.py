"""Where tensors are computed, and how the processor's memory is held."""

import ctypes

import torch

from docmt.base.errors import UserError
from docmt.base.names import DeviceName

M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4
"""Parameters of glibc's mallopt."""


def choose_device(name: DeviceName) -> torch.device:
    """`auto` is the GPU where there is one. Raises UserError where a GPU is asked for and there is none.

    Where it is the CPU, this process keeps the memory that it frees.
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise UserError("no CUDA device", where="--device", found="cpu only", remedy="--device cpu, or auto")
    if name == "cpu":
        keep_freed_memory()
    return torch.device(name)


def keep_freed_memory() -> bool:
    """Let glibc keep freed blocks for the next step instead of giving them back to the system; False without glibc.

    Otherwise each step's large tensors (logits, above all) are pages that the system clears anew: at a vocabulary of
    4,000 a tenth to a fifth of the time of training and of sentence decoding. The peak of memory stays as it was.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and bool(mallopt(M_MMAP_MAX, 0) and mallopt(M_TRIM_THRESHOLD, 2**31 - 1))
