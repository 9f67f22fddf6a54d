"""`docmt write-crate` and `docmt reproduce`: a finished target as an RO-Crate, and made again elsewhere."""

from collections.abc import Iterator
from contextlib import chdir
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from docmt.base.errors import printable
from docmt.base.screen import answer, first_of
from docmt.cli.options import MOST, AsJson, Config, Root, output_folder, overrides
from docmt.plan.plan import Plan
from docmt.plan.run import grid_of_run
from docmt.provenance import crate as crates
from docmt.provenance import reproducing
from docmt.provenance.artifacts import finished_run
from docmt.provenance.comparing import Reproduction
from docmt.provenance.opening import OF_SITE

NOT_REPRODUCED = 1  # The exit status of `docmt reproduce` where the target is not reproduced.
TARGET = "all, a study, a page, or a file of an artifact below results/"
MOST_WITHHELD = 5  # The largest number of files that are not in the crate of which a line is printed.


def write_crate(
    target: Annotated[str, typer.Argument(help=TARGET)],
    output: Annotated[
        Path | None,
        typer.Option(
            writable=True, metavar="PATH", help="new folder or .zip [default: the name of the target, with .crate]"
        ),
    ] = None,
    with_models: Annotated[bool, typer.Option("--with-models", help="include the models")] = False,
    with_data: Annotated[
        bool, typer.Option("--with-data", help="include corpora, tokens and translations, where licences allow it")
    ] = False,
    author: Annotated[str | None, typer.Option(help="name of the person who made the results")] = None,
    licence: Annotated[str | None, typer.Option(help="name or URL of the licence of the crate")] = None,
    date: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], metavar="DATE", help="date of the crate [default: today]")
    ] = None,
    root: Root = Path(),
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Write a finished target as an RO-Crate (Workflow Run).

    It has results, workflow, and the record of each job. Of corpora and models it has the SHA-256 unless an option
    includes them; text of a corpus whose licence forbids to pass it on is never included. Pass the --config of your
    run, such as scale=smoke.
    """
    values = overrides(config)
    place = (output or Path(f"{target.strip('/').replace('/', '-')}.crate")).absolute()
    facts = crates.CrateFacts(
        date=(date or datetime.now(UTC)).date().isoformat(),
        author=author,
        licence=licence,
        overrides={key: value for key, value in values.items() if key not in (*OF_SITE, "store_mode")},
        included=[*(["models"] if with_models else []), *(["data"] if with_data else [])],
    )
    crates.check_output(place)
    options = "".join(f" --config {item}" for item in config or [])
    with chdir(root):
        written = crates.write_crate(finished_run(Plan(grid_of_run(Path(), values)), target, options), facts, place)
    record = {"output": str(output or place.name), **written}
    lines = [f"not included: {file}: {reason}" for file, reason in written["withheld"].items()]
    first = "{output}: {files} files, {actions} artifacts with their jobs".format_map(record)
    answer(as_json, record, "\n".join([first, *first_of(lines, MOST_WITHHELD)]))


def reproduce(
    target: Annotated[str, typer.Argument(help=TARGET)],
    folder: Annotated[
        Path | None, output_folder("folder in which the target is made again [default: beside --root]")
    ] = None,
    cores: Annotated[int, typer.Option(min=1, max=MOST, help="cores for snakemake")] = 1,
    crate: Annotated[
        Path | None, typer.Option(help="RO-Crate of the first run, in the place of its results", metavar="PATH")
    ] = None,
    root: Root = Path(),
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Make a target again, and compare it with the first run.

    It is made in a folder of its own; the first artifact that differs is named. Two runs may have another content: on
    another processor or device, or with other threads or libraries. Then scores are compared: with the spread of seeds
    or, with one seed, with the interval of the score. With --crate, the settings and the first run are those of the
    crate, and the workflow is that of the installed docmt. The status is 0 where the target is reproduced, and else 1.
    A run that was interrupted goes on where the same command is called again.
    """
    place = (folder or default_folder(root, target, crate)).absolute()
    new_run = reproducing.NewRun(target, place, cores, overrides(config))
    result = reproducing.reproduce(new_run, root.absolute(), crate and crate.absolute())
    text = "\n".join(printable(line, breaks="") for line in result_lines(target, place, result))
    answer(as_json, {"target": target, "folder": place, **result.to_json()}, text)
    if not result.is_reproduced:
        raise typer.Exit(NOT_REPRODUCED)


def default_folder(root: Path, target: str, crate: Path | None) -> Path:
    """Return the folder beside the project, or in the present folder for a crate, in which a target is made again."""
    name = f"{target.strip('/').replace('/', '-')}.again"
    return Path(name) if crate else root.absolute().parent / f"{root.absolute().name}.{name}"


def result_lines(target: str, folder: Path, result: Reproduction) -> Iterator[str]:
    """Yield the lines about a comparison: the counts, the first difference, the scores, and the verdict."""
    counts = ", ".join(f"{state} {count}" for state, count in result.counts.items())
    yield f"{target}, made again in {folder}: {len(result.artifacts)} artifacts ({counts})"
    elsewhere = [artifact for artifact in result.artifacts if artifact.state == "equal" and artifact.reasons]
    if elsewhere:
        yield f"equal, although made elsewhere, first {elsewhere[0].artifact}: {'; '.join(elsewhere[0].reasons)}"
    if result.first:
        yield f"first difference: {result.first.artifact}: {result.first.state}: {result.first.why}"
        same = "for no known reason: processor, threads and libraries are the same"
        yield f"  since {'; '.join(result.first.reasons)}" if result.first.reasons else f"  {same}"
    outside = [check for check in result.checks if not check.is_within]
    if result.checks:
        yield f"scores: {len(result.checks) - len(outside)} of {len(result.checks)} within their ranges"
    for name, checks in result.scores.items():
        yield from (f"  {name}: {check}" for check in checks if not check.is_within)
    if result.checks and not outside:
        yield f"  such as {result.checks[0]}"
    yield verdict(result)


def verdict(result: Reproduction) -> str:
    """Return the last line about a comparison."""
    if not result.is_reproduced:
        return "not reproduced"
    return f"reproduced: {'scores within their ranges' if result.first else 'equal contents'}"
