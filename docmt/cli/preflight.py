"""`docmt preflight`: everything that would go wrong in a run, before any job."""

from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.base.errors import USER_MISTAKE
from docmt.base.screen import answer, count_of
from docmt.cli.options import AsJson, Config, Device, Root, overrides

if TYPE_CHECKING:
    from docmt.preflight.finding import RunFinding

Targets = Annotated[
    list[str] | None,
    typer.Argument(
        help="all, studies, or files below results/, as snakemake has them [default: that of snakemake]",
        show_default=False,
    ),
]
HEADINGS = {"error": "Wrong", "warning": "Warnings", "fact": "Checked"}  # The heading of each level of findings.


def preflight(
    targets: Targets = None,
    root: Root = Path(),
    config: Config = None,
    profile: Annotated[
        str | None, typer.Option(help="profile of the run, as snakemake's --profile: its settings are checked too")
    ] = None,
    gpu: Annotated[bool, typer.Option("--gpu", help="also check what the GPU computes")] = False,
    device: Device = "auto",
    as_json: AsJson = False,
) -> None:
    """Check before a run of TARGETS what would go wrong in it.

    The status is 2 where something would. It names all that is wrong at once, in the settings, the files from outside,
    the environment, the disk, the devices, the store and, with a profile for Slurm, the cluster. Warnings alone end
    with status 0. Pass the --config of your run, such as scale=smoke. No job starts, and nothing is downloaded.

    With --gpu it compares kernels with their definition, bf16 with fp32, compiled parts with plain ones and stored
    states with whole passes: about a minute on a GPU. With --device cpu it tries the same with small models.
    """
    from docmt.preflight.checks import check_gpu
    from docmt.preflight.checks import preflight as check

    with chdir(root):
        findings = check(targets or [], overrides(config), profile)
        findings += check_gpu(device) if gpu else []
    answer(as_json, {"findings": [finding.to_json() for finding in findings]}, "\n".join(report(findings)))
    if any(finding.level == "error" for finding in findings):
        raise typer.Exit(USER_MISTAKE)


def report(findings: "list[RunFinding]") -> Iterator[str]:
    """Yield the lines about findings: errors, warnings and what was checked, each by area."""
    for level, heading in HEADINGS.items():
        chosen = [finding for finding in findings if finding.level == level]
        if chosen:
            yield f"{heading}:"
            for area in dict.fromkeys(finding.area for finding in chosen):
                yield f"  {area}"
                texts = [finding.message.text() for finding in chosen if finding.area == area]
                yield from (f"    {line}" for text in texts for line in text.splitlines())
    errors, warnings = (sum(finding.level == level for finding in findings) for level in ("error", "warning"))
    yield f"{count_of(errors, 'error')}, {count_of(warnings, 'warning')}"
