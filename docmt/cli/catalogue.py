"""The catalogue as a whole: `docmt corpus sources` asks its addresses, `docmt corpus check` reads what is there."""

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.cli.options import input_folder

if TYPE_CHECKING:
    from docmt.catalogue.corpus import CorpusConfig
    from docmt.corpus.check import Checked, Finding
    from docmt.corpus.sources import Source
    from docmt.plan.grid import Grid

Names = Annotated[list[str] | None, typer.Argument(help="only these corpora", show_default=False)]
Root = Annotated[Path, input_folder("folder with config.yaml and workflow/")]
AsJson = Annotated[bool, typer.Option("--json", help="as JSON instead of a table")]

DEAD = 1
"""Exit status of `docmt corpus sources` where a source does not give its file."""


def sources(
    corpora: Names = None,
    root: Root = Path(),
    as_json: AsJson = False,
    timeout: Annotated[float, typer.Option(min=0.1, max=86_400, help="seconds for an answer")] = 20,
) -> None:
    """Ask every source of the catalogue whether it is there; nothing is downloaded. Status 1 where one is not."""
    from docmt.corpus.sources import ask_sources
    from docmt.plan.grid import load_grid

    asked = ask_sources(_chosen(load_grid(root), corpora), timeout)
    if as_json:
        typer.echo(json.dumps([dataclasses.asdict(source) for source in asked], indent=2))
    else:
        rows = [("corpus", "file", "answer", "bytes", "fetched", "source"), *map(_source_row, asked)]
        typer.echo(aligned(rows) if asked else "no sources")
    if any(source.answer.problem for source in asked):
        raise typer.Exit(DEAD)


def check(
    corpora: Names = None,
    root: Root = Path(),
    mirror: Annotated[
        str | None, typer.Option(help="folder that holds archives; that of config.yaml if left out")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Read the corpora whose files are here, and put their counts beside the papers'. Nothing is downloaded.

    Status 2 where a count differs and the catalogue does not say why, or a corpus cannot be read.
    """
    from docmt.base.errors import USER_MISTAKE
    from docmt.catalogue.missing import Places
    from docmt.corpus.check import check_corpus
    from docmt.plan.grid import load_grid

    grid = load_grid(root)
    places = Places(root / "results", mirror or grid.mirror, grid.local)
    checked = []
    for corpus in _chosen(grid, corpora):
        checked.append(check_corpus(corpus, places))
        if not as_json:
            typer.echo(_shown(checked[-1]))
    if as_json:
        typer.echo(json.dumps([dataclasses.asdict(one) for one in checked], indent=2))
    if not all(one.is_fine for one in checked):
        raise typer.Exit(USER_MISTAKE)


def aligned(rows: Sequence[Sequence[str]], indent: str = "") -> str:
    """Columns side by side; the last one is not padded."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(f"{indent}{line}".rstrip() for line in lines)


def _chosen(grid: "Grid", names: list[str] | None) -> "list[CorpusConfig]":
    from docmt.base.errors import check_known

    for name in names or ():
        check_known("corpus", name, grid.corpora)
    return [corpus for name, corpus in grid.corpora.items() if not names or name in names]


def _source_row(source: "Source") -> tuple[str, ...]:
    answer = source.answer
    said = answer.problem or (f"HTTP {answer.status}" if answer.status else "there")
    size = "-" if answer.size is None else f"{answer.size:,}"
    url = f"{source.url} -> {answer.moved}" if answer.moved else source.url
    return source.corpus, source.file, said, size, source.checked or "never", url


def _shown(checked: "Checked") -> str:
    """A corpus: a table of its counts, why they differ, and what was not read."""
    lines = [checked.corpus]
    notes = list(dict.fromkeys(finding.why for finding in checked.findings if finding.why))
    rows = [("split", "count", "found", "stated", "by", ""), *(_row(finding, notes) for finding in checked.findings)]
    if checked.findings:
        lines.append(aligned(rows, "  "))
    lines += [f"  [{number}] {note}" for number, note in enumerate(notes, 1)]
    lines += [f"  changed: {what}: {count:,}" for what, count in sorted(checked.changed.items()) if count]
    absent: dict[str, list[str]] = {}
    for split, names in checked.absent.items():
        absent.setdefault(", ".join(names), []).append(split)
    lines += [f"  not read: {', '.join(splits)} (not here: {names})" for names, splits in absent.items()]
    if checked.problem:
        lines.append(f"  cannot be read: {checked.problem}")
    return "\n".join(lines)


def _row(finding: "Finding", notes: list[str]) -> tuple[str, ...]:
    number = "-" if finding.found is None else f"{finding.found:,.4g}" if finding.found % 1 else f"{finding.found:,.0f}"
    note = f" [{notes.index(finding.why) + 1}]" if finding.why else ""
    words = {"equal": "equal", "explained": "differs, explained", "unexplained": "DIFFERS, not explained"}
    verdict = words.get(finding.verdict, finding.verdict) + note
    stated = f"{int(finding.stated):,}" if finding.stated.isdigit() else finding.stated
    return finding.split, finding.count, number, stated, f"{finding.paper}, {finding.place}", verdict
