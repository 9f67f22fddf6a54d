"""The pages of a study: its own, and one for each of its tables, figures and passages, with CSV and JSON beside."""

import os
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from docmt.base.artifacts import atomic_file, write_json
from docmt.base.paths import REPORT
from docmt.reporting import formats
from docmt.reporting.case_studies import chain_studies
from docmt.reporting.figures import styles
from docmt.reporting.pieces import Piece, pieces, to_csv, to_json
from docmt.reporting.plots import accuracy_by_distance, bleu_by_position, inside_curves, learning_curves
from docmt.reporting.provenance import describe_systems, environments, run_records
from docmt.reporting.results import ReportSettings, Results
from docmt.reporting.translations import MOST_DOCUMENTS, documents_to_show

MOST_SYSTEMS = 12
"""Of a study, in the curves, translations and chains of its page: more cannot be told apart."""


def write_report(settings: Path, results: Path, output: Path) -> None:
    """`docmt report`: the page at `output`; beside that of a table, figure or passage the same as CSV and JSON.

    A study of which nothing was run has a page too: its tables say "not run".
    """
    known = Results.load(ReportSettings.load(settings), results)
    found = pieces(known)
    page = render(known, found, output)
    if known.settings.item is not None:
        (piece,) = found
        write_json(output.with_suffix(".json"), to_json(piece, known))
        with atomic_file(output.with_suffix(".csv")) as stream:
            stream.write(to_csv(piece))
    with atomic_file(output) as stream:
        stream.write(page)


def render(results: Results, found: list[Piece], output: Path) -> str:
    """The page, self-contained: styles and figures are within, nothing is loaded; links lead to the study's pages."""
    environment = Environment(
        loader=PackageLoader("docmt.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= formats.FILTERS
    environment.globals |= {"card_facts": card_facts, "most_documents": MOST_DOCUMENTS}
    css = environment.loader.get_source(environment, "page.css")[0]
    common = {"css": Markup(css), "link": _links(results, output), **_common(results)}
    if results.settings.item is not None:
        return environment.get_template("item.html").render(piece=found[0], **common)
    return environment.get_template("page.html").render(pieces=found, **common, **_content(results))


def _links(results: Results, output: Path) -> Any:
    """From a name and a suffix to the address of a page of this study, as it is seen from `output`."""
    folder = REPORT.under(results.folder, study=results.settings.study.study)

    def link(name: str, suffix: str = "html") -> str:
        return Path(os.path.relpath(folder / f"{name}.{suffix}", output.parent)).as_posix()

    return link


def card_facts(card: dict, stated: dict) -> dict:
    """What a corpus' card adds to what the catalogue states."""
    return {key: value for key, value in card.items() if key not in stated and key != "corpus"}


def _common(results: Results) -> dict[str, Any]:
    """What all pages show."""
    return {
        "study": results.settings.study,
        "scale": results.settings.scale,
        "results": results,
        "look": styles(results.systems),
        "run_records": run_records(results),
        "environments": environments(results),
    }


def _content(results: Results) -> dict[str, Any]:
    """What the page of the whole study shows besides its items; of many systems only the first, by its items."""
    look, few = styles(results.systems), results.with_systems(results.systems[:MOST_SYSTEMS])
    return {
        "scored": sum(run.scores is not None for run in results.runs),
        "left_out": len(results.systems[MOST_SYSTEMS:]),
        "learning": learning_curves(few, look),
        "accuracy": accuracy_by_distance(few, look),
        "positions": bleu_by_position(few, look),
        "inside_curves": inside_curves(few, look),
        "chain_studies": chain_studies(few),
        "documents": documents_to_show(few),
        "systems": describe_systems(results),
    }
