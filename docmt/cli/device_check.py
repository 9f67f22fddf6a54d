"""`docmt check-device`: does a device compute what it should, how fast is it, and which settings suit it."""

from typing import TYPE_CHECKING, Any

import typer

from docmt.base.names import DeviceName
from docmt.cli.options import AsJson, Device
from docmt.cli.screen import print_json, say, show_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from docmt.devicecheck.run import Advice, Result
    from docmt.devicecheck.speed import Speed

FINDINGS = ("check", "part", "measured", "verdict")
SPEEDS = ("model", "precision", "target tokens/s", "matrix share", "peak MiB", "largest batch")
ADVICE = ("setting", "value", "reason")


def check_device(
    device: Device = "auto",
    as_json: AsJson = False,
) -> None:
    """Check what a GPU computes, and measure which settings are best on it.

    It compares kernels with their definition, bf16 with fp32, compiled parts with plain ones and stored states with
    whole passes, lets two cards exchange gradients, and measures the memory and the speed of every model. On a GPU this
    takes about a minute; on a CPU it is a trial with small models. Exit status 1: a check found something wrong.
    """
    if not check_devices(device, as_json):
        raise typer.Exit(1)


def check_devices(device: DeviceName, as_json: bool = False) -> bool:
    """Check a device, print the findings and what to set, and return whether all is right.

    Raises UserError where there is no such device.
    """
    import torch

    from docmt.devicecheck.run import advice, run_checks
    from docmt.devicecheck.sizes import size_for
    from docmt.nn.device import choose_device

    where = choose_device(device)
    results: list[Result] = []
    for result in run_checks(where, size_for(where)):
        results.append(result)
        say(_line(result))
    advised = advice(results, torch.cuda.device_count() if where.type == "cuda" else 0)
    print_json(_plain(where.type, results, advised)) if as_json else _show(results, advised)
    return all(getattr(result, "is_right", True) for result in results)


def _line(result: "Result") -> str:
    """Return a line of progress."""
    if hasattr(result, "check"):
        return f"{result.check}, {result.subject}: {result.measured}{'' if result.is_right else '  WRONG'}"
    return f"speed, {result.kind}, {result.precision}: {result.tokens_per_s:,.0f} target tokens/s"


def _show(results: "Sequence[Result]", advised: "Sequence[Advice]") -> None:
    findings = [result for result in results if hasattr(result, "check")]
    rows = [(row.check, row.subject, row.measured, "right" if row.is_right else "WRONG") for row in findings]
    show_table(FINDINGS, rows)
    show_table(SPEEDS, [_speed_row(result) for result in results if not hasattr(result, "check")], SPEEDS[2:])
    show_table(ADVICE, [(item.setting, item.value, item.reason) for item in advised])


def _speed_row(speed: "Speed") -> tuple[str, ...]:
    largest = "" if speed.fitting_tokens is None else f"{speed.fitting_tokens:,} tokens"
    numbers = f"{speed.tokens_per_s:,.0f}", f"{speed.matrix_share:.1%}", f"{speed.memory_mib:,.0f}"
    return speed.kind, speed.precision, *numbers, largest


def _plain(device: str, results: "Sequence[Result]", advised: "Sequence[Advice]") -> dict[str, Any]:
    findings = [vars(result) for result in results if hasattr(result, "check")]
    speeds = [vars(result) for result in results if not hasattr(result, "check")]
    return {"device": device, "findings": findings, "speeds": speeds, "advice": [vars(item) for item in advised]}
