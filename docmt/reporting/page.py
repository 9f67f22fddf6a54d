"""The pages of a study: the study's page, and a page for each of its items with files of its numbers beside it."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from docmt.base.artifacts import atomic_file, write_json
from docmt.base.paths import REPORT
from docmt.reporting import formats
from docmt.reporting.absent import absent_runs
from docmt.reporting.adopted import adopted_runs
from docmt.reporting.best import best_lines, single_seed
from docmt.reporting.case_studies import chain_studies
from docmt.reporting.collapsed import collapsed
from docmt.reporting.exports.beside import endings_of, write_exports
from docmt.reporting.figures import POSITION
from docmt.reporting.findings import judged_findings
from docmt.reporting.pieces import Piece, pieces, to_csv, to_json
from docmt.reporting.plots import (
    ACCURACY,
    DISTANCE,
    Plot,
    accuracy_by_distance,
    bleu_by_position,
    inside_curves,
    learning_curves,
    with_differences,
)
from docmt.reporting.provenance import describe_systems, environments, run_records, score_warnings
from docmt.reporting.results import ReportSettings, Results
from docmt.reporting.translations import MOST_DOCUMENTS, documents_to_show

MOST_SYSTEMS = 12
"""The largest number of systems in curves, translations and chains of a study's page: more cannot be distinguished."""

STYLES = ("colours", "base", "tables", "figures", "documents", "systems", "findings", "controls", "screens")
"""The files of `templates/styles`, in the order in which they are on a page; the later one wins."""

SCRIPTS = ("common", "siblings", "theme", "choose", "values", "sort", "filter", "save", "start")
"""The files of `templates/scripts`, in the order in which a page runs them."""


def write_report(
    settings: Path, results: Path, output: Path, human: Path | None = None, mixed: Sequence[str] = ()
) -> None:
    """Write the page of a study or of an item to `output`; the numbers of an item also in files beside the page.

    `settings`: the settings.json of stage 8. `results`: the results folder. `human`: the file of human judgements.
    `mixed`: sentences about outputs that were made from different contents of one identity, which the page warns of. A
    study without any run has a page too, whose tables say "not run".
    """
    loaded = Results.load(ReportSettings.load(settings, human), results)
    rendered = pieces(loaded)
    page = render(loaded, rendered, output, mixed)
    if loaded.settings.item is not None:
        (piece,) = rendered
        write_json(output.with_suffix(".json"), to_json(piece, loaded))
        with atomic_file(output.with_suffix(".csv")) as stream:
            stream.write(to_csv(piece))
        write_exports(piece, output)
    with atomic_file(output) as stream:
        stream.write(page)


def render(results: Results, items: list[Piece], output: Path, mixed: Sequence[str] = ()) -> str:
    """Return the HTML of a page; it contains its styles and figures, so that a browser loads no other file.

    The links of the page to other pages of the study are relative to `output`.
    """
    environment = Environment(
        loader=PackageLoader("docmt.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= formats.FILTERS
    environment.globals |= {"card_facts": card_facts, "most_documents": MOST_DOCUMENTS, "endings_of": endings_of}
    common = {
        "css": _inlined(environment, "styles/{}.css", STYLES),
        "scripts": _inlined(environment, "scripts/{}.js", SCRIPTS),
        "link": _links(results, output),
        "mixed": mixed,
        **_common(results),
        **_first_screen(results, items),
    }
    if results.settings.item is not None:
        return environment.get_template("item.html").render(piece=items[0], **common)
    return environment.get_template("page.html").render(pieces=items, **common, **_content(results))


def _inlined(environment: Environment, pattern: str, names: Sequence[str]) -> Markup:
    """Return the content of files of `templates/`, for a page that loads no other file."""
    return Markup("\n".join(environment.loader.get_source(environment, pattern.format(name))[0] for name in names))


def _links(results: Results, output: Path) -> Any:
    """Return a function from the name and the suffix of a page to its address, relative to `output`."""
    settings = results.settings
    folder = REPORT.under(results.folder, scale=settings.scale, study=settings.study.study)

    def link(name: str, suffix: str = "html") -> str:
        """Return the relative address of a page of the study, or of a file beside it."""
        return Path(os.path.relpath(folder / f"{name}.{suffix}", output.parent)).as_posix()

    return link


def card_facts(card: dict, stated: dict) -> dict:
    """Return the facts in the card of a corpus that are not among `stated`, the facts of the catalogue."""
    return {key: value for key, value in card.items() if key not in stated and key != "corpus"}


def _common(results: Results) -> dict[str, Any]:
    """Return the variables of the templates that all pages have."""
    return {
        "study": results.settings.study,
        "scale": results.settings.scale,
        "results": results,
        "look": results.look,
        "labels": results.labels,
        "on_page": [(name, results.labels[name]) for name in results.systems],
        "run_records": run_records(results),
        "environments": environments(results),
        "adopted": list(adopted_runs(results)),
        "score_warnings": score_warnings(results),
    }


def _first_screen(results: Results, items: Sequence[Piece]) -> dict[str, Any]:
    """Return the variables of the first screen of a page: what was found, and what was not run.

    No system is called the best on generated text, whose numbers say nothing about quality.
    """
    return {
        "findings": judged_findings(results),
        "best": [] if results.settings.data else list(best_lines(items)),
        "single_seed": single_seed(items),
        "absent": absent_runs(results),
    }


def _content(results: Results) -> dict[str, Any]:
    """Return the variables of templates that only the study's page has.

    The curves and examples of the page have only the first MOST_SYSTEMS systems.
    """
    look, few = results.look, results.with_systems(results.systems[:MOST_SYSTEMS])
    tables = results.settings.study.tables.values()
    baseline = next((table.baseline for table in tables if getattr(table, "baseline", None) in look), None)

    def compared(plots: list[Plot], axis: str, unit: str) -> list[Plot]:
        """Return plots with the differences to the study's baseline; unchanged in a study without one."""
        return with_differences(plots, look, baseline, axis, unit) if baseline else plots

    return {
        "scored": sum(run.scores is not None for run in results.runs),
        "left_out": len(results.systems[MOST_SYSTEMS:]),
        "learning": learning_curves(few, look),
        "accuracy": compared(accuracy_by_distance(few, look), DISTANCE, ACCURACY),
        "positions": compared(bleu_by_position(few, look), POSITION, "s-BLEU"),
        "collapsed": list(collapsed(few.runs)),
        "inside_curves": inside_curves(few, look),
        "chain_studies": chain_studies(few),
        "documents": documents_to_show(few),
        "systems": describe_systems(results),
    }
