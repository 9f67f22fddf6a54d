"""The speed and the memory of updates of each model, beside the rate of matrix products that the device reaches."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from docmt.base.machine import MIB
from docmt.devicecheck.findings import DeviceFinding
from docmt.devicecheck.run import backend_for, gradients
from docmt.devicecheck.sizes import Size, batch_of, model_of
from docmt.settings.models import MODELS
from docmt.settings.train import Precision
from docmt.training.computing import quantum
from docmt.training.progress import peak_memory

TYPES: dict[Precision, torch.dtype] = {"fp32": torch.float32, "bf16": torch.bfloat16}
REPEATS = {"cpu": 1, "cuda": 5}
"""The number of times that speeds are measured, by type of device; the fastest counts."""
MATRIX = {"cpu": 512, "cuda": 8192}
"""The rows and columns of the matrices whose product gives the matrix rate, by type of device."""
MEMORY_SHARE = 0.9
"""The share of a card's memory that batches may fill; the rest is for the optimiser's steps and for fragments."""


@dataclass(frozen=True)
class Speed:
    """The measurements of updates of a model in one number type."""

    kind: str
    precision: Precision
    tokens_per_s: float
    """Target tokens a second, forward and backward."""
    matrix_share: float
    """The share of the device's matrix rate that the update's matrix products reach, from 0 to 1."""
    memory_mib: float
    """Peak memory in MiB."""
    fitting_tokens: int | None
    """The target tokens of the largest batch that fits into memory; None on a CPU."""


def wait_for(device: torch.device) -> None:
    """Wait until the device has computed all that it was given."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def fastest(work: Callable[[], object], device: torch.device, repeats: int | None = None) -> float:
    """Return the seconds of the fastest of some repeats of `work`, after one that is not measured."""
    seconds = []
    for _ in range((repeats or REPEATS[device.type]) + 1):
        wait_for(device)
        began = time.perf_counter()
        work()
        wait_for(device)
        seconds.append(time.perf_counter() - began)
    return min(seconds[1:])


def matrix_rate(device: torch.device, precision: Precision) -> float:
    """Return the floating-point operations a second of a large matrix product."""
    width = MATRIX[device.type]
    a = torch.randn(width, width, device=device, dtype=TYPES[precision])
    return 2 * width**3 / fastest(lambda: a @ a, device)


def matrix_operations(kind: str, size: Size) -> int:
    """Return the floating-point operations of the matrix products of an update; they are counted without computing."""
    model = model_of(kind, size, torch.device("meta")).train()
    batch = batch_of(kind, size).to("meta")
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counted:
        states, terms = model(batch)
        (model.logits(states).sum() + sum(term.total for term in terms.values())).backward()
    return counted.get_total_flops()


def peak_of(work: Callable[[], object], device: torch.device) -> float:
    """Return the peak memory while `work` runs, in MiB; on a CPU that of the process so far."""
    if device.type == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats(device)
    work()
    return peak_memory(device)


def fitting_tokens(tokens: tuple[int, int], peaks: tuple[float, float], total_mib: float) -> int | None:
    """Return the target tokens of a batch that fills `MEMORY_SHARE` of the memory.

    Memory grows in a straight line through the two measured batches, of `tokens` tokens and `peaks` MiB. The result is
    None where the larger batch did not need more memory.
    """
    per_token = (peaks[1] - peaks[0]) / (tokens[1] - tokens[0])
    if per_token <= 0:
        return None
    return max(0, int(tokens[1] + (MEMORY_SHARE * total_mib - peaks[1]) / per_token))


def measure(kind: str, precision: Precision, device: torch.device, size: Size, rate: float) -> Speed:
    """Return the measurements of updates of a model; `rate` is the matrix rate in this number type."""
    model, batch = model_of(kind, size, device), batch_of(kind, size)
    part = batch_of(kind, size, size.segments // 2)
    peaks = tuple(peak_of(lambda some=some: gradients(model, some, precision), device) for some in (part, batch))
    seconds = fastest(lambda: gradients(model, batch, precision), device)
    tokens = len(part.target_out), len(batch.target_out)
    # Adam stores two numbers for each parameter, which these updates do not need.
    optimiser_mib = sum(2 * parameter.nbytes for parameter in model.parameters()) / MIB
    fitting = None
    if device.type == "cuda":
        total = torch.cuda.get_device_properties(device).total_memory / MIB
        fitting = fitting_tokens(tokens, peaks, total - optimiser_mib)
    share = matrix_operations(kind, size) / seconds / rate
    return Speed(kind, precision, tokens[1] / seconds, share, peaks[1] + optimiser_mib, fitting)


def speeds(device: torch.device, size: Size) -> Iterator[Speed | DeviceFinding]:
    """Yield the measurements of each model in each number type; a finding that is wrong where one fails."""
    for precision in TYPES:
        try:
            rate = matrix_rate(device, precision)
            yield DeviceFinding("matrix rate", precision, f"{rate / 1e12:.3g} TFLOP/s")
        except Exception as problem:
            yield DeviceFinding("matrix rate", precision, f"{type(problem).__name__}: {problem}", is_right=False)
            continue
        for kind in MODELS:
            try:
                yield measure(kind, precision, device, size, rate)
            except Exception as problem:
                text = (str(problem).splitlines() or [""])[0]
                yield DeviceFinding(
                    "speed", f"{kind}, {precision}", f"{type(problem).__name__}: {text}", is_right=False
                )


def compiling_gain(device: torch.device, size: Size, precision: Precision) -> float:
    """Return how many times faster an update of the Transformer is where its parts are compiled."""
    model, batch = model_of("transformer", size, device), batch_of("transformer", size)
    how = backend_for(device), quantum(device, len(batch.target_out), compiled=True)
    plain, compiled = (fastest(lambda how=how: gradients(model, batch, precision, *how), device) for how in ((), how))
    return plain / compiled
