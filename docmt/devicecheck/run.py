"""All checks of a device, one after another."""

from collections.abc import Iterator

import torch

from docmt.devicecheck.findings import DeviceFinding
from docmt.devicecheck.kernels import check_kernels
from docmt.devicecheck.sizes import Size
from docmt.devicecheck.updates import check_decoding, check_gradients


def run_checks(device: torch.device, size: Size) -> Iterator[DeviceFinding]:
    """Yield what each check finds."""
    yield from check_kernels(device)
    # On a CPU the part of the compiler that needs no compiler of C++.
    yield from check_gradients(device, size, "inductor" if device.type == "cuda" else "aot_eager")
    yield from check_decoding(device, size)
