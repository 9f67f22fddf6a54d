"""`docmt draw-sheet` and `docmt read-sheets`: blind sheets of two systems for annotators."""

from pathlib import Path
from typing import Annotated

import typer

from docmt.base.errors import UserError
from docmt.base.names import Identical
from docmt.base.screen import answer, show_table
from docmt.cli.options import AsJson, Documents, Seed, Source, input_file, output_file
from docmt.cli.standard_input import label


def draw_sheet(
    source: Source,
    reference: Annotated[Path, input_file("reference, a sentence per line")],
    baseline: Annotated[Path, input_file("translations of the system to compare with")],
    hypotheses: Annotated[Path, input_file("translations of the other system")],
    output: Annotated[Path, output_file("sheet to write: a CSV file, whose last column annotators fill in")],
    key: Annotated[Path, output_file("JSON file to write: which translation is whose; not for annotators")],
    documents: Documents = None,
    page: Annotated[Path | None, output_file("HTML page to write too: the sheet to click on")] = None,
    sentences: Annotated[int, typer.Option(min=1, help="number of sentences to judge")] = 500,
    seed: Seed = 1,
    identical: Annotated[
        Identical,
        typer.Option(help="identical translations: counted as equal without asking, left out of the draw, or asked"),
    ] = "filled",
    source_language: Annotated[str, typer.Option(help="ISO 639-1 code, for the page's fonts")] = "",
    target_language: Annotated[str, typer.Option(help="ISO 639-1 code, for the page's fonts")] = "",
    as_json: AsJson = False,
) -> None:
    """Draw sentences of a test set for annotators.

    They do not see which system translated what. Each has two source sentences of context on either side, with their
    references.
    """
    from docmt.scoring.human.items import ComparedSystems, Key, draw_sheet_items
    from docmt.scoring.human.sheet import write_page, write_sheet
    from docmt.scoring.plain_files import read_plain_files

    files = read_plain_files([reference], documents)
    texts = (files.translations(path).raw for path in (source, baseline, hypotheses))
    sources, theirs, ours = texts
    test = ComparedSystems(files.documents, sources, files.references.raw[0], theirs, ours)
    items = draw_sheet_items(test, sentences, seed, identical)
    write_sheet(output, items)
    if page is not None:
        write_page(page, items, (source_language, target_language))
    written = Key.of_items(items, label(baseline), label(hypotheses), seed, identical)
    written.save(key)
    record = {"output": output, "key": key, "page": page, "sentences": len(items), "filled": written.filled}
    filled = f", {written.filled} identical pairs filled beforehand" if written.filled else ""
    text = f"{output}: {len(items) - written.filled} sentences to judge{filled}; {key} is not for annotators"
    answer(as_json, record, text)


def read_sheets(
    sheets: Annotated[list[Path], typer.Argument(help="filled sheets, one for each annotator", dir_okay=False)],
    key: Annotated[Path, input_file("key that docmt draw-sheet wrote with the sheet")],
    as_json: AsJson = False,
) -> None:
    """Count the judgements of filled sheets.

    It prints in how many sentences each annotator found the system better, worse or equal. Agreement of two annotators
    is in percent of the sentences, and by Cohen's kappa.
    """
    from docmt.scoring.human.items import Key
    from docmt.scoring.human.preference import preferences
    from docmt.scoring.human.sheet import annotator, read_verdicts

    names = [annotator(path) for path in sheets]
    twice = [str(path) for path, name in zip(sheets, names, strict=True) if names.count(name) > 1]
    if twice:
        expected = "one sheet for each annotator, whose name ends the name of the file: table4.sheet.anna.csv"
        raise UserError("two sheets of one annotator", where=twice[0], found=", ".join(twice), expected=expected)
    read_key = Key.load(key)
    verdicts = {name: read_verdicts(path, read_key) for name, path in zip(names, sheets, strict=True)}
    record = preferences(read_key, verdicts)
    answer(as_json, record, lambda: show_preferences(record))


def show_preferences(record: dict) -> None:
    """Print Table 4 of Lyu et al. (2022), and below it the systems, the agreement of annotators and the signature."""
    columns = ("annotator", "equal", "better", "worse", "preferred")
    rows = [*record["annotators"], {"annotator": "average", **record["average"]}]
    cells = [(row["annotator"], *(_percent(row[name]) for name in columns[1:])) for row in rows]
    show_table(columns, cells, numbers=columns[1:])
    typer.echo(f"\nsystem: {record['system']}\nbaseline: {record['baseline']}\nsentences: {record['sentences']}")
    if record["filled"]:
        typer.echo(f"identical pairs, which count as equal: {record['filled']}")
    for pair in record["agreement"]:
        kappa = "undefined" if pair["kappa"] is None else f"{pair['kappa']:.2f}"
        typer.echo(f"agreement of {' and '.join(pair['annotators'])}: {_percent(pair['observed'])}, kappa {kappa}")
    typer.echo(record["signature"])


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f} %"
