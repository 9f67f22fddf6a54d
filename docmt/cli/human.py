"""Human evaluation: write a blind sheet of two systems, read filled ones back."""

from pathlib import Path
from typing import Annotated

import typer

from docmt.base.errors import UserError
from docmt.cli.options import AsJson, Documents, input_file, output_file
from docmt.cli.screen import print_json, show_table


def sheet(
    source: Annotated[Path, input_file("a source sentence a line")],
    reference: Annotated[Path, input_file("a reference a line")],
    baseline: Annotated[Path, input_file("translations of the system to compare with")],
    system: Annotated[Path, input_file("translations of the other system")],
    output: Annotated[Path, output_file("the sheet to write: CSV, whose last column annotators fill in")],
    key: Annotated[Path, output_file("JSON to write: whose translations are which; not for annotators")],
    documents: Documents = None,
    page: Annotated[Path | None, output_file("HTML to write too: the sheet to click on")] = None,
    sentences: Annotated[int, typer.Option(min=1, help="how many are judged")] = 500,
    seed: Annotated[int, typer.Option(min=0, help="of the draw of sentences and of the order of translations")] = 1,
    source_language: Annotated[str, typer.Option(help="for the page's fonts")] = "",
    target_language: Annotated[str, typer.Option(help="for the page's fonts")] = "",
) -> None:
    """Draw sentences of a test set for annotators, who do not see which system translated what.

    Each has two source sentences of context on either side, with their references.
    """
    from docmt.scoring.human.items import ComparedSystems, Key, draw_sheet_items
    from docmt.scoring.human.sheet import write_page, write_sheet
    from docmt.scoring.plain_files import read_plain_files

    files = read_plain_files([reference], documents)
    names = files.documents
    given, theirs, ours = (files.translations(path).raw for path in (source, baseline, system))
    test = ComparedSystems(names, given, files.references.raw[0], theirs, ours)
    items = draw_sheet_items(test, sentences, seed)
    write_sheet(output, items)
    if page is not None:
        write_page(page, items, (source_language, target_language))
    Key.of_items(items, str(baseline), str(system), seed).save(key)


def read(
    sheets: Annotated[list[Path], typer.Argument(help="filled sheets, one an annotator", dir_okay=False)],
    key: Annotated[Path, input_file("the key that was written with the sheet")],
    as_json: AsJson = False,
) -> None:
    """Read filled sheets: in how many sentences each annotator found the system better, worse or equal; agreement.

    Agreement of two annotators is in percent of the sentences, and by Cohen's kappa.
    """
    from docmt.scoring.human.items import Key
    from docmt.scoring.human.preference import preferences
    from docmt.scoring.human.sheet import read_verdicts

    twice = [str(path) for path in dict.fromkeys(sheets) if sheets.count(path) > 1]
    if twice:
        raise UserError("a sheet is given twice", where=twice[0], expected="one sheet an annotator")
    known = Key.load(key)
    found = preferences(known, {str(path): read_verdicts(path, known) for path in sheets})
    show = print_json if as_json else show_preferences
    show(found)


def show_preferences(found: dict) -> None:
    """Table 4, and below it who was compared and how far annotators agree."""
    columns = ("annotator", "equal", "better", "worse", "preferred")
    rows = [*found["annotators"], {"annotator": "average", **found["average"]}]
    cells = [(row["annotator"], *(_percent(row[name]) for name in columns[1:])) for row in rows]
    show_table(columns, cells, numbers=columns[1:])
    typer.echo(f"\nsystem: {found['system']}\nbaseline: {found['baseline']}\nsentences: {found['sentences']}")
    for pair in found["agreement"]:
        kappa = "undefined" if pair["kappa"] is None else f"{pair['kappa']:.2f}"
        typer.echo(f"agreement of {' and '.join(pair['annotators'])}: {_percent(pair['observed'])}, kappa {kappa}")
    typer.echo(found["signature"])


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f} %"
