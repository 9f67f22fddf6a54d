"""The page of a study, and the same tables as JSON and CSV beside it."""

import re
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from docmt.core.artifacts import atomic_file, write_json
from docmt.reporting import formats
from docmt.reporting.case_studies import chain_studies
from docmt.reporting.figures import styles
from docmt.reporting.inside import insides
from docmt.reporting.plots import accuracy_by_distance, bleu_by_position, inside_curves, learning_curves
from docmt.reporting.provenance import accounts, environments
from docmt.reporting.results import ReportSettings, Results
from docmt.reporting.settings import describe_systems
from docmt.reporting.tables import Table, fill_tables, to_csv, to_json
from docmt.reporting.translations import DOCUMENTS_SHOWN, documents_to_show


def write_report(settings: Path, results: Path, output: Path) -> None:
    """`docmt report`: the page at `output`; `tables.json` and `<table>.csv` in its folder.

    A study of which nothing was run has a page too: its tables say "not run".
    """
    known = Results.load(ReportSettings.load(settings), results)
    tables = fill_tables(known)
    write_json(output.with_name("tables.json"), {"study": known.settings.study.study, "tables": to_json(tables)})
    for table in tables:
        with atomic_file(output.parent / csv_name(table)) as stream:
            stream.write(to_csv(table))
    page = render(known, tables)
    with atomic_file(output) as stream:
        stream.write(page)


def csv_name(table: Table) -> str:
    """A table's name is free text in its study; in a file name it is not."""
    return re.sub(r"[^A-Za-z0-9_.+-]", "_", table.id) + ".csv"


def render(results: Results, tables: list[Table]) -> str:
    """The page, self-contained: styles and figures are within, nothing is loaded."""
    environment = Environment(
        loader=PackageLoader("docmt.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= formats.FILTERS
    environment.globals |= {"csv_name": csv_name, "card_facts": card_facts, "shown": DOCUMENTS_SHOWN}
    css = environment.loader.get_source(environment, "page.css")[0]
    return environment.get_template("page.html").render(css=Markup(css), **_content(results, tables))


def card_facts(card: dict, stated: dict) -> dict:
    """What a corpus' card adds to what the catalogue states."""
    return {key: value for key, value in card.items() if key not in stated and key != "corpus"}


def _content(results: Results, tables: list[Table]) -> dict[str, Any]:
    look = styles(results.systems)
    return {
        "study": results.settings.study,
        "scale": results.settings.scale,
        "results": results,
        "scored": sum(run.scores is not None for run in results.runs),
        "tables": tables,
        "csv": {table.id: to_csv(table) for table in tables},
        "look": look,
        "learning": learning_curves(results, look),
        "accuracy": accuracy_by_distance(results, look),
        "positions": bleu_by_position(results, look),
        "inside_curves": inside_curves(results, look),
        "insides": insides(results),
        "chain_studies": chain_studies(results),
        "documents": documents_to_show(results),
        "systems": describe_systems(results),
        "accounts": accounts(results),
        "environments": environments(results),
    }
