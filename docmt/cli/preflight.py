"""`docmt preflight`: everything that would go wrong in a run, before any job."""

from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.base.errors import USER_MISTAKE
from docmt.cli.options import AsJson, Config, Root, overrides
from docmt.cli.screen import print_json

if TYPE_CHECKING:
    from docmt.preflight.finding import RunFinding

Targets = Annotated[
    list[str] | None,
    typer.Argument(
        help="all, studies, or files below results/, as snakemake has them [default: that of snakemake]",
        show_default=False,
    ),
]
HEADINGS = {"error": "Wrong", "warning": "Warnings", "fact": "Checked"}
"""The heading of each level of findings."""


def preflight(
    targets: Targets = None,
    root: Root = Path(),
    config: Config = None,
    profile: Annotated[
        str | None, typer.Option(help="profile of the run, as snakemake's --profile: its settings are checked too")
    ] = None,
    sources: Annotated[
        bool, typer.Option("--sources", help="also ask the sources of files over the network; nothing is downloaded")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check before a run of TARGETS everything that would go wrong in it; status 2 where something would.

    It names all that is wrong at once, in the settings, the files from outside, the environment, the disk, the devices,
    the store and, with a profile for Slurm, the cluster. Warnings alone end with status 0. Pass the --config of your
    run, such as scale=smoke. No job starts, and nothing is downloaded.
    """
    from docmt.preflight.checks import preflight as check

    values = overrides(config)
    with chdir(root):
        findings = check(targets or [], values, profile, sources)
    if as_json:
        print_json([finding.to_json() for finding in findings])
    else:
        typer.echo("\n".join(report(findings)))
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
                texts = [finding.text for finding in chosen if finding.area == area]
                yield from (f"    {line}" for text in texts for line in text.splitlines())
    errors, warnings = (sum(finding.level == level for finding in findings) for level in ("error", "warning"))
    yield f"{_counted(errors, 'error')}, {_counted(warnings, 'warning')}"


def _counted(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
