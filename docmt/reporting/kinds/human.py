"""What annotators prefer, from the file that `docmt human read --json` printed."""

from typing import Any

from docmt.base.artifacts import read_json
from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.kinds.human import VERDICTS, HumanRow, HumanTable
from docmt.reporting.kinds.systems import Cell, Column, Row, Signature, Table, records
from docmt.reporting.over_seeds import NOT_RUN
from docmt.reporting.pieces import PieceContent
from docmt.reporting.results import Results

ALL = "sentences, %"
"""The one column of such a table."""

NO_FILE = "Not run: `human` of config.yaml names no file of this study's, which `docmt human read --json` prints."


def content(_: str, table: HumanTable, results: Results) -> PieceContent:
    """Without a file it says how its cells come to be measured.

    Raises UserError where the file is not what `docmt human read --json` prints.
    """
    found = _read(results)
    rows = tuple(_row(row, found) for row in table.rows)
    columns = tuple(
        Column("all", ALL, "", verdict, ABOUT[verdict], any(row.cells[number].published is not None for row in rows))
        for number, verdict in enumerate(VERDICTS)
    )
    signatures = (Signature("preference", found["signature"], ()),) if found else ()
    filled = Table(columns, rows, signatures, (), "" if found else NO_FILE, "", head="Annotator")
    return PieceContent(filled, records(filled), "systems.html")


ABOUT = {
    "equal": "both translations are equally good",
    "better": "the system's translation is better than the baseline's",
    "worse": "the baseline's translation is better",
}


def _read(results: Results) -> dict[str, Any] | None:
    path = results.settings.human
    if path is None:
        return None
    found = read_json(path)
    if not isinstance(found, dict) or not {"annotators", "average", "signature"} <= found.keys():
        raise UserError("not preferences of annotators", where=path, expected="what `docmt human read --json` prints")
    with reading(path, "not preferences of annotators", "what `docmt human read --json` prints"):
        for shares in (found["average"], *found["annotators"]):
            missing = [verdict for verdict in VERDICTS if verdict not in shares]
            if missing:
                raise KeyError(", ".join(missing))
    return found


def _row(row: HumanRow, found: dict[str, Any] | None) -> Row:
    shares = _shares(row, found)
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
        )
        for verdict in VERDICTS
    )
    return Row(row.label, None, row.note, cells)


def _shares(row: HumanRow, found: dict[str, Any] | None) -> dict[str, float] | None:
    """Percent of each verdict; none where there is no such annotator."""
    if found is None:
        return None
    if row.annotator is None:
        return found["average"]
    return found["annotators"][row.annotator - 1] if row.annotator <= len(found["annotators"]) else None
