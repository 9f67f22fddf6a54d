"""The choice of the device that computes, copies to it, and a setting of the CPU's memory allocation."""

import ctypes
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from docmt.base.errors import UserError
from docmt.base.names import DeviceName

M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4
"""The numbers of two parameters of glibc's function mallopt."""


def choose_device(name: DeviceName) -> torch.device:
    """Return the device with this name; `auto` is the GPU where there is one, else the CPU.

    Where the device is the CPU, this process will keep the memory that it frees. Raises UserError where a GPU is
    requested and there is none.
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise UserError("no CUDA device", where="--device", found="cpu only", remedy="--device cpu, or auto")
    if name == "cpu":
        keep_freed_memory()
    return torch.device(name)


def upload(values: Tensor | np.ndarray | Sequence, device: torch.device) -> Tensor:
    """Return values of the host as a tensor on the device; the host does not wait until the device has them."""
    return torch.from_numpy(np.asarray(values)).to(device, non_blocking=True)


def download(x: Tensor) -> np.ndarray:
    """Return values of the device on the host, which waits until the device has computed them."""
    return x.cpu().numpy()


def none_known(flags: Tensor) -> bool:
    """Return whether the host knows that no flag is true.

    It never knows this of flags on a GPU: to read them, it would have to wait until the GPU has computed them.
    """
    return flags.device.type == "cpu" and not bool(flags.any())


def keep_freed_memory() -> bool:
    """Let glibc keep freed blocks instead of returning them to the system; return whether it accepts this.

    Otherwise the large tensors of each step, above all the logits, get new pages, which the system has to clear. With a
    vocabulary of 4,000 pieces this takes a tenth to a fifth of the time of training and of sentence decoding. The peak
    of memory is the same. The result is False where the C library is not glibc.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    # With M_MMAP_MAX 0 large blocks come from the heap too. With the largest M_TRIM_THRESHOLD the heap never shrinks.
    return mallopt is not None and bool(mallopt(M_MMAP_MAX, 0) and mallopt(M_TRIM_THRESHOLD, 2**31 - 1))
