"""`docmt preflight --gpu`: does a device compute what it should."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from docmt.base.names import DeviceName
from docmt.base.screen import say, show_table

if TYPE_CHECKING:
    from docmt.devicecheck.findings import DeviceFinding

FINDINGS = ("check", "part", "measured", "verdict")


@dataclass(frozen=True)
class DeviceReport:
    """The findings of the checks of a device."""

    device: str
    findings: "list[DeviceFinding]"

    @property
    def is_right(self) -> bool:
        """Whether no check found something wrong."""
        return all(finding.is_right for finding in self.findings)

    def show(self) -> None:
        """Print the findings as a table."""
        show_table(FINDINGS, [(row.check, row.subject, row.measured, _verdict(row)) for row in self.findings])


def checked_device(device: DeviceName) -> DeviceReport:
    """Check a device, with a line on standard error for each finding.

    Raises UserError where there is no such device.
    """
    from docmt.devicecheck.run import run_checks
    from docmt.devicecheck.sizes import size_for
    from docmt.nn.device import choose_device

    where, findings = choose_device(device), []
    for finding in run_checks(where, size_for(where)):
        findings.append(finding)
        say(f"{finding.check}, {finding.subject}: {finding.measured}, {_verdict(finding)}")
    return DeviceReport(where.type, findings)


def _verdict(finding: "DeviceFinding") -> str:
    return "right" if finding.is_right else "WRONG"
