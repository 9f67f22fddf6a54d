"""`docmt check-catalogue`: the counts of the catalogue."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.base.errors import USER_MISTAKE, check_known
from docmt.base.screen import aligned, answer
from docmt.catalogue.corpus import CorpusConfig
from docmt.cli.corpus import shared_lines
from docmt.cli.options import AsJson, Config, Mirror, Root, overrides
from docmt.grid.grid import Grid, load_grid

if TYPE_CHECKING:
    from docmt.corpus.review import CorpusCheck, Finding

Names = Annotated[list[str] | None, typer.Argument(help="names of corpora [default: all]", show_default=False)]


def check_catalogue(
    corpora: Names = None,
    root: Root = Path(),
    config: Config = None,
    mirror: Mirror = None,
    as_json: AsJson = False,
) -> None:
    """Check the counts of the corpora whose files are here against the papers' counts.

    Nothing is downloaded. Status 2 where a count differs and the catalogue does not say why, or where stage 1 would
    refuse a corpus.
    """
    from docmt.corpus.review import check_corpus

    grid = load_grid(root, overrides(config))
    places = grid.places(root, mirror)
    checks = [check_corpus(corpus, places) for corpus in _chosen(grid, corpora)]
    answer(as_json, checks, "\n".join(map(_check_text, checks)))
    if not all(check.is_fine for check in checks):
        raise typer.Exit(USER_MISTAKE)


def _chosen(grid: Grid, names: list[str] | None) -> list[CorpusConfig]:
    """Return the corpora that `names` lists, or all corpora; raise UserError for an unknown name."""
    for name in names or ():
        check_known("corpus", name, grid.corpora)
    return [corpus for name, corpus in grid.corpora.items() if not names or name in names]


def _check_text(check: "CorpusCheck") -> str:
    """Return a corpus' counts as a table, with reasons for differences, shared text, and splits that were not read."""
    lines = [check.corpus]
    notes = list(dict.fromkeys(finding.why for finding in check.findings if finding.why))
    columns = ("split", "count", "measured", "published", "paper", "")
    rows = [columns, *(_row(finding, notes) for finding in check.findings)]
    if check.findings:
        lines.append(aligned(rows, "  "))
    lines += [f"  [{number}] {note}" for number, note in enumerate(notes, 1)]
    lines += [f"  {line}" for line in shared_lines(check.shared)]
    lines += [f"  changed: {what}: {count:,}" for what, count in sorted(check.changed.items()) if count]
    absent: dict[str, list[str]] = {}
    for split, names in check.absent.items():
        absent.setdefault(", ".join(names), []).append(split)
    lines += [f"  not read: {', '.join(splits)} (not here: {names})" for names, splits in absent.items()]
    if check.problem:
        lines.append(f"  problem: {check.problem}")
    return "\n".join(lines)


def _row(finding: "Finding", notes: list[str]) -> tuple[str, ...]:
    """Return the cells of a count; the number in brackets refers to a reason in `notes`, below the table."""
    number = "-"
    if finding.measured is not None:
        number = f"{finding.measured:,.4g}" if finding.measured % 1 else f"{finding.measured:,.0f}"
    note = f" [{notes.index(finding.why) + 1}]" if finding.why else ""
    words = {"equal": "equal", "explained": "differs, explained", "unexplained": "DIFFERS, not explained"}
    verdict = words.get(finding.verdict, finding.verdict) + note
    stated = f"{int(finding.stated):,}" if finding.stated.isdigit() else finding.stated
    return finding.split, finding.count, number, stated, f"{finding.paper}, {finding.place}", verdict
