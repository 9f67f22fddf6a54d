"""All checks of a device, one after another."""

from collections.abc import Iterator

import torch

from docmt.devicecheck.findings import DeviceFinding
from docmt.devicecheck.kernels import check_kernels
from docmt.devicecheck.sizes import Size
from docmt.devicecheck.updates import check_decoding, check_gradients
from docmt.nn.compiled import Backend


def run_checks(device: torch.device, size: Size) -> Iterator[DeviceFinding]:
    """Yield what each check finds."""
    yield from check_kernels(device)
    yield from check_gradients(device, size, backend_for(device))
    yield from check_decoding(device, size)


def backend_for(device: torch.device) -> Backend:
    """Return the compiler for a device; on a CPU the part of it that needs no compiler of C++."""
    return "inductor" if device.type == "cuda" else "aot_eager"
