"""`docmt preflight --gpu`: does a device compute what it should, how fast is it, and which settings suit it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from docmt.base.names import DeviceName
from docmt.base.screen import say, show_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from docmt.devicecheck.findings import DeviceFinding
    from docmt.devicecheck.run import Advice, Result
    from docmt.devicecheck.speed import Speed

FINDINGS = ("check", "part", "measured", "verdict")
SPEEDS = ("model", "precision", "target tokens/s", "matrix share", "peak MiB", "largest batch")
ADVICE = ("setting", "value", "reason")


@dataclass(frozen=True)
class DeviceReport:
    """What the checks of a device found, how fast its models are, and the advised settings."""

    device: str
    findings: "Sequence[DeviceFinding]"
    speeds: "Sequence[Speed]"
    advice: "Sequence[Advice]"

    @property
    def is_right(self) -> bool:
        """Whether no check found something wrong."""
        return all(finding.is_right for finding in self.findings)

    def show(self) -> None:
        """Print the findings, the speeds and what to set, as tables."""
        rows = [(row.check, row.subject, row.measured, "right" if row.is_right else "WRONG") for row in self.findings]
        show_table(FINDINGS, rows)
        show_table(SPEEDS, [*map(_speed_row, self.speeds)], SPEEDS[2:])
        show_table(ADVICE, [(item.setting, item.value, item.reason) for item in self.advice])


def checked_device(device: DeviceName) -> DeviceReport:
    """Check a device, with a line on standard error for each result.

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
    findings = [result for result in results if hasattr(result, "check")]
    speeds = [result for result in results if not hasattr(result, "check")]
    return DeviceReport(where.type, findings, speeds, advised)


def _line(result: "Result") -> str:
    """Return a line of progress."""
    if hasattr(result, "check"):
        return f"{result.check}, {result.subject}: {result.measured}{'' if result.is_right else '  WRONG'}"
    return f"speed, {result.kind}, {result.precision}: {result.tokens_per_s:,.0f} target tokens/s"


def _speed_row(speed: "Speed") -> tuple[str, ...]:
    largest = "" if speed.fitting_tokens is None else f"{speed.fitting_tokens:,} tokens"
    numbers = f"{speed.tokens_per_s:,.0f}", f"{speed.matrix_share:.1%}", f"{speed.memory_mib:,.0f}"
    return speed.kind, speed.precision, *numbers, largest
