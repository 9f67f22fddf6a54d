"""The choice of the device that computes, and a setting of the CPU's memory allocation."""

import ctypes

import torch

from docmt.base.errors import UserError
from docmt.base.names import DeviceName

M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4
"""Numbers of parameters of glibc's mallopt."""


def choose_device(name: DeviceName) -> torch.device:
    """Return the device; `auto` is the GPU where there is one.

    Where the device is the CPU, this process keeps the memory that it frees. Raises UserError where a GPU is requested
    and there is none.
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise UserError("no CUDA device", where="--device", found="cpu only", remedy="--device cpu, or auto")
    if name == "cpu":
        keep_freed_memory()
    return torch.device(name)


def keep_freed_memory() -> bool:
    """Let glibc keep freed blocks instead of returning them to the system; return False where there is no glibc.

    Otherwise the large tensors of each step, above all the logits, are new pages, which the system has to clear: with a
    vocabulary of 4,000 pieces this takes a tenth to a fifth of the time of training and of sentence decoding. The peak
    of memory is the same.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    # M_MMAP_MAX 0: large blocks come from the heap too. M_TRIM_THRESHOLD, at its maximum: the heap is never shrunk.
    return mallopt is not None and bool(mallopt(M_MMAP_MAX, 0) and mallopt(M_TRIM_THRESHOLD, 2**31 - 1))
