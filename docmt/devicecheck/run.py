"""All checks of a device, one after another, and the settings that follow from them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import torch

from docmt.devicecheck.exchange import check_exchange
from docmt.devicecheck.findings import DeviceFinding, guarded
from docmt.devicecheck.kernels import check_kernels
from docmt.devicecheck.sizes import Size
from docmt.devicecheck.speed import Speed, compiling_gain, speeds
from docmt.devicecheck.updates import check_bf16, check_compiled, check_decoding, check_device
from docmt.nn.compiled import Backend

GAIN = 1.1
"""How many times faster bf16, or compiled parts, must be to be recommended."""
ROUND = 512
"""Recommended numbers of tokens are multiples of this."""
Result = DeviceFinding | Speed


@dataclass(frozen=True)
class Advice:
    """A setting or an option, the value that suits the device, and why."""

    setting: str
    value: str
    reason: str


def backend_for(device: torch.device) -> Backend:
    """Return the compiler for updates: on a CPU the part of it that needs no compiler of C++."""
    return "inductor" if device.type == "cuda" else "aot_eager"


def run_checks(device: torch.device, size: Size, several: bool = True) -> Iterator[Result]:
    """Yield what each check finds; `several` also checks several ranks, which are processes of their own."""
    backend = backend_for(device)
    yield from check_kernels(device)
    yield from check_device(device, size)
    yield from check_bf16(device, size)
    yield from check_compiled(device, size, backend)
    yield from check_decoding(device, size)
    if several:
        yield from check_exchange(device)
    yield from speeds(device, size)
    yield from guarded("gain of compiling", ("fp32", "bf16"), partial(_gain, device, size, backend))


def _gain(device: torch.device, size: Size, backend: Backend, precision: str) -> DeviceFinding:
    return DeviceFinding(
        "gain of compiling", precision, f"{compiling_gain(device, size, backend, precision):.2f} times as fast"
    )


def advice(results: Sequence[Result], cards: int) -> list[Advice]:
    """Return what to set for a device; `cards` is the number of cards, 0 for a CPU."""
    wrong = {result.check for result in results if isinstance(result, DeviceFinding) and not result.is_right}
    measured = {(speed.kind, speed.precision): speed for speed in results if isinstance(speed, Speed)}
    precision = _precision(wrong, measured)
    fitting = [speed.fitting_tokens for speed in measured.values() if speed.precision == precision.value]
    advised = [precision, _compiling(wrong, results, precision.value)]
    if fitting and None not in fitting:
        tokens = min(fitting) // ROUND * ROUND
        advised.append(Advice("train.batch_tokens", f"at most {tokens}", "the model that needs most memory still fits"))
    ranks = 1 if "exchange of gradients" in wrong else max(1, cards)
    reason = "ranks cannot exchange gradients" if ranks < cards else "one for each card"
    return [*advised, Advice("ranks of a training", str(ranks), reason)]


def _precision(wrong: set[str], measured: dict[tuple[str, str], Speed]) -> Advice:
    if "bf16 against fp32" in wrong:
        return Advice("precision", "fp32", "bf16 gives wrong gradients here, or none")
    gains = [
        measured[kind, "bf16"].tokens_per_s / speed.tokens_per_s
        for (kind, precision), speed in measured.items()
        if precision == "fp32" and (kind, "bf16") in measured
    ]
    if gains and min(gains) >= GAIN:
        return Advice("precision", "bf16", f"{min(gains):.1f} to {max(gains):.1f} times as fast as fp32")
    return Advice("precision", "fp32", "bf16 is not faster for every model")


def _compiling(wrong: set[str], results: Sequence[Result], precision: str) -> Advice:
    option = "DOCMT_COMPILE"
    if wrong & {"compiled against plain", "gain of compiling"}:
        return Advice(option, "0", "the compiler fails, or its results are wrong")
    gain = next(
        float(result.measured.split()[0])
        for result in results
        if isinstance(result, DeviceFinding) and (result.check, result.subject) == ("gain of compiling", precision)
    )
    is_faster = gain >= GAIN
    return Advice(option, str(int(is_faster)), f"compiled parts make updates {gain:.2f} times as fast")
