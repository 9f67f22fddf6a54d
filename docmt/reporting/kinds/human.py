"""Tables of human judgements, from the file that `docmt read-sheets --json` printed."""

from typing import Any

from docmt.base.artifacts import read_json
from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.base.paths import sheet_link
from docmt.kinds.human import VERDICTS, HumanRow, HumanTable
from docmt.reporting.item import published_number
from docmt.reporting.comparable import why_not_comparable
from docmt.reporting.kinds.systems import records
from docmt.reporting.over_seeds import NOT_RUN
from docmt.reporting.pieces import PieceContent
from docmt.reporting.results import Results
from docmt.reporting.table import Cell, Column, Row, Signature, Table

ALL = "sentences, %"
"""The heading above the columns of all verdicts."""

NO_FILE = "Not run: `human` of config.yaml names no file of this study's, which `docmt read-sheets --json` prints."
NO_JUDGEMENTS = (
    "Not run. `snakemake {sheet}.csv` draws the sheet for annotators, a page to click on ({sheet}.html) and the key, "
    "which annotators do not get. `docmt read-sheets FILLED.csv ... --key {sheet}.key.json --json` reads copies that "
    "annotators have filled in; name the file with its output as `human` of this study in config.yaml."
)
"""The notes below a table without judgements; the second is that of a table with a sheet."""


def content(name: str, table: HumanTable, results: Results) -> PieceContent:
    """Return the table; without a file of judgements, a note below the table names the command that prints such a file.

    Raises UserError where the file is not the output of `docmt read-sheets --json`.
    """
    judgements = _read(results)
    reasons = why_not_comparable(results, table.corpus, table.system, "") if table.has_sheet else ()
    rows = tuple(_row(row, judgements, reasons) for row in table.rows)
    columns = tuple(
        Column("all", ALL, "", verdict, ABOUT[verdict], any(row.cells[number].published is not None for row in rows))
        for number, verdict in enumerate(VERDICTS)
    )
    signatures = (Signature("preference", judgements["signature"], ()),) if judgements else ()
    note = _filled(judgements) if judgements else _way(name, table, results)
    filled = Table(columns, rows, signatures, (), note, "", head="Annotator")
    return PieceContent(filled, records(filled), "systems.html")


def _filled(judgements: dict[str, Any]) -> str:
    """Return how many pairs nobody judged, since both translations are the same; empty where there are none."""
    if not judgements.get("filled"):
        return ""
    counts = f"{judgements['filled']} of {judgements['sentences']}"
    return f"In {counts} sentences both translations are the same. These count as equal, and not in the agreement."


def _way(name: str, table: HumanTable, results: Results) -> str:
    """Return how judgements become a part of the table."""
    if not table.has_sheet:
        return NO_FILE
    names = {"scale": results.settings.scale, "study": results.settings.study.study, "item": name}
    return NO_JUDGEMENTS.format(sheet=sheet_link(**names).removesuffix(".csv"))


ABOUT = {
    "equal": "both translations are equally good",
    "better": "the system's translation is better than the baseline's",
    "worse": "the baseline's translation is better",
}
"""The explanations of the verdicts, which the headings of the columns show."""


def _read(results: Results) -> dict[str, Any] | None:
    """Read the file of judgements that config.yaml names for the study; return None where it names no file."""
    path = results.settings.human
    if path is None:
        return None
    judgements = read_json(path)
    if not isinstance(judgements, dict) or not {"annotators", "average", "signature"} <= judgements.keys():
        raise UserError("not preferences of annotators", where=path, expected="what `docmt read-sheets --json` prints")
    with reading(path, "not preferences of annotators", "what `docmt read-sheets --json` prints"):
        for shares in (judgements["average"], *judgements["annotators"]):
            missing = [verdict for verdict in VERDICTS if verdict not in shares]
            if missing:
                raise KeyError(", ".join(missing))
    return judgements


def _row(row: HumanRow, judgements: dict[str, Any] | None, reasons: tuple[str, ...]) -> Row:
    """Return a row of the table, with a cell per verdict; `reasons`: why judgements are not comparable."""
    shares = _shares(row, judgements)
    cells = tuple(
        Cell(
            column="all",
            corpus="",
            system=None,
            metric=verdict,
            decimals=1,
            published=row.published.get(verdict),
            values=(shares[verdict],) if shares else (),
            seeds=1,
            empty=NOT_RUN,
            signatures=(),
            not_comparable=reasons if published_number(row.published.get(verdict)) is not None else (),
        )
        for verdict in VERDICTS
    )
    return Row(row.label, None, row.note, cells)


def _shares(row: HumanRow, judgements: dict[str, Any] | None) -> dict[str, float] | None:
    """Return the percentage of each verdict of a row; None without judgements, or without such an annotator."""
    if judgements is None:
        return None
    if row.annotator is None:
        return judgements["average"]
    return judgements["annotators"][row.annotator - 1] if row.annotator <= len(judgements["annotators"]) else None
