"""`docmt write-crate`: a finished target as an RO-Crate."""

from contextlib import chdir
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from docmt.base.errors import UserError
from docmt.cli.options import AsJson, Config, Root, output_path, overrides
from docmt.cli.screen import print_json

TARGET = "all, a study, or a file below results/, as snakemake has it"
OF_SITE = ("mirror", "local", "hosts")
"""The keys of config.yaml that are facts of one site; they are no part of a crate."""
MOST_WITHHELD = 5
"""The largest number of files that are not in the crate of which a line is printed."""


def write_crate(
    target: Annotated[str, typer.Argument(help=TARGET)],
    output: Annotated[
        Path | None, output_path("new folder or .zip [default: the name of the target, with .crate]")
    ] = None,
    with_models: Annotated[bool, typer.Option("--with-models", help="include the models")] = False,
    with_data: Annotated[
        bool, typer.Option("--with-data", help="include corpora, tokens and translations, where licences allow it")
    ] = False,
    author: Annotated[str | None, typer.Option(help="name of the person who made the results")] = None,
    author_url: Annotated[str | None, typer.Option(metavar="URL", help="address of a page of the author")] = None,
    organisation: Annotated[str | None, typer.Option(help="name of the organisation of the author")] = None,
    organisation_url: Annotated[str | None, typer.Option(metavar="URL", help="address of the organisation")] = None,
    licence: Annotated[str | None, typer.Option(help="name or URL of the licence of the crate")] = None,
    code_url: Annotated[str | None, typer.Option(metavar="URL", help="address where others get this code")] = None,
    date: Annotated[str | None, typer.Option(metavar="DATE", help="date of the crate [default: today]")] = None,
    root: Root = Path(),
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Write a finished target as an RO-Crate (Workflow Run): results, workflow, and the record of each job.

    Corpora and models are references with their SHA-256 unless an option includes them; text of a corpus whose licence
    forbids to pass it on is never included. Pass the --config of your run, such as scale=smoke.
    """
    from docmt.plan.planning import Planner
    from docmt.plan.run import grid_of_run
    from docmt.provenance.artifacts import finished_run
    from docmt.provenance.crate import CrateFacts, check_output
    from docmt.provenance.crate import write_crate as write

    values = overrides(config)
    place = (output or Path(f"{target.strip('/').replace('/', '-')}.crate")).absolute()
    facts = CrateFacts(
        date=checked_date(date) if date else datetime.now(UTC).date().isoformat(),
        author=author,
        author_url=author_url and checked_url("--author-url", author_url),
        organisation=organisation,
        organisation_url=organisation_url and checked_url("--organisation-url", organisation_url),
        licence=licence,
        code_url=code_url and checked_url("--code-url", code_url),
        overrides={key: value for key, value in values.items() if key not in OF_SITE},
        included=[*(["models"] if with_models else []), *(["data"] if with_data else [])],
    )
    check_output(place)
    command = " ".join(["snakemake --cores all", target, *(f"--config {item}" for item in config or [])])
    with chdir(root):
        written = write(finished_run(Planner(grid_of_run(Path(), values)), target, command), facts, place)
    path, withheld = str(output or place.name), dict(written.withheld)
    if as_json:
        print_json({"output": path, "files": written.files, "actions": written.actions, "withheld": withheld})
        return
    typer.echo(f"{path}: {written.files} files, {written.actions} artifacts with their jobs")
    for file, reason in [*withheld.items()][:MOST_WITHHELD]:
        typer.echo(f"not included: {file}: {reason}")
    if len(withheld) > MOST_WITHHELD:
        typer.echo(f"... and {len(withheld) - MOST_WITHHELD} more files")


def checked_date(date: str) -> str:
    """Return a date; raise UserError where it is none."""
    try:
        datetime.fromisoformat(date)
    except ValueError:
        raise UserError("not a date", where="--date", found=date, expected="a date such as 2026-05-31") from None
    return date


def checked_url(option: str, address: str) -> str:
    """Return an address of the web; raise UserError where it is none."""
    from docmt.catalogue.missing import is_remote

    if not is_remote(address):
        raise UserError("not an address", where=option, found=address, expected="https://...")
    return address
