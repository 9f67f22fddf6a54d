"""The choice of the device that computes, and a setting of the CPU's memory allocation."""

import ctypes
import os
import re
from pathlib import Path

import torch

from docmt.base.errors import UserError
from docmt.base.gpus import VISIBLE
from docmt.base.names import DeviceName

M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4  # The numbers of two parameters of glibc's function mallopt


def choose_device(name: DeviceName) -> torch.device:
    """Return the device with this name; `auto` is the GPU where there is one, else the CPU.

    Raises UserError where a GPU is requested and torch can use none; the message says why (`reason_without_cuda`).
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        reason, remedy = reason_without_cuda()
        raise UserError(
            "torch can use no GPU here", where="--device", found=reason, remedy=f"{remedy}; or --device cpu, or auto"
        )
    if name == "cpu":
        # Where the device is the CPU, this process will keep the memory that it frees.
        keep_freed_memory()
    return torch.device(name)


DRIVER = Path("/proc/driver/nvidia/version")  # A file that exists where the driver of NVIDIA's cards runs


def reason_without_cuda() -> tuple[str, str]:
    """Return why torch can use no GPU, and a remedy, for a machine where `torch.cuda.is_available()` is false."""
    if torch.version.cuda is None and torch.version.hip is None:
        card = "on a machine with an NVIDIA driver" if DRIVER.exists() else "and no NVIDIA driver"
        return f"torch {torch.__version__}, built without CUDA, {card}", "install a torch for the CUDA of your driver"
    visible = os.environ.get(VISIBLE)
    if visible is not None and not re.match(r"\s*(\d|GPU-|MIG-)", visible):
        return f"{VISIBLE}={visible!r}, which hides all cards", f"unset {VISIBLE}, or state numbers of cards in it"
    if not DRIVER.exists():
        return "no NVIDIA driver, so no card", "run on a machine with a card"
    try:
        torch.cuda.init()
    except Exception as problem:
        text = " ".join(str(problem).split())
        return text, f"install a newer driver, or a torch for an older CUDA than {torch.version.cuda}"
    return f"an NVIDIA driver, but no card ({VISIBLE}={visible!r})", "ask for a card of this machine"


def keep_freed_memory() -> bool:
    """Let glibc keep freed blocks instead of returning them to the system; return whether it accepts this.

    The result is False where the C library is not glibc.
    """
    # Otherwise the large tensors of each step, above all the logits, get new pages, which the system has to clear. With
    # a vocabulary of 4,000 pieces this takes a tenth to a fifth of the time of training and of sentence decoding. The
    # peak of memory is the same.
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    # With M_MMAP_MAX 0 large blocks come from the heap too. With the largest M_TRIM_THRESHOLD the heap never shrinks.
    return mallopt is not None and bool(mallopt(M_MMAP_MAX, 0) and mallopt(M_TRIM_THRESHOLD, 2**31 - 1))
