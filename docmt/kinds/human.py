"""Tables of human judgements: how often annotators prefer a system, from what `docmt read-sheets --json` printed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from docmt.base.artifacts import read_json
from docmt.base.checks import Checked, at_least, need, needed, section, seed, setting, whole
from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.base.names import Identical
from docmt.base.paths import sheet_link
from docmt.reporting.item import KIND, BesidePublished, Checks, PieceContent, TableConfig, published_number
from docmt.reporting.over_seeds import NOT_RUN, why_not_comparable
from docmt.reporting.results import Results
from docmt.reporting.table import Cell, Column, Row, Signature, Table

Verdict = Literal["equal", "better", "worse"]
# The verdicts on a sentence, in the order of the table's columns.
VERDICTS: tuple[Verdict, ...] = ("equal", "better", "worse")

ALL = "sentences, %"  # The heading above the columns of all verdicts.

NO_FILE = "Not run: `human` of config.yaml names no file of this study's, which `docmt read-sheets --json` prints."
# The notes below a table without judgements; the second is that of a table with a sheet.
NO_JUDGEMENTS = (
    "Not run. `snakemake {sheet}.csv` draws the sheet for annotators, a page to click on ({sheet}.html) and the key, "
    "which annotators do not get. `docmt read-sheets FILLED.csv ... --key {sheet}.key.json --json` reads copies that "
    "annotators have filled in; name the file with its output as `human` of this study in config.yaml."
)

# The explanations of the verdicts, which the headings of the columns show.
ABOUT = {
    "equal": "both translations are equally good",
    "better": "the system's translation is better than the baseline's",
    "worse": "the baseline's translation is better",
}


@dataclass(frozen=True)
class HumanRow(Checked):
    """A row: the judgements of one annotator, or the mean of all annotators."""

    label: str = needed("label of the row")
    annotator: int | None = setting(
        None, "number of the annotator, in the order of the sheets, from 1; none = mean", at_least(1, ", or none")
    )
    published: dict[str, Any] = section(dict, "the published number of each verdict: equal, better, worse")
    note: str = setting("", "a footnote")


@dataclass(frozen=True, kw_only=True)
class HumanTable(TableConfig):
    """A table of the percentage of sentences in which a system is equal to, better or worse than another.

    A table that names two systems also has a sheet for annotators, which a job draws from the systems' translations
    with their first seeds.
    """

    kind: Literal["human"] = setting("human", KIND)
    rows: tuple[HumanRow, ...] = needed("rows, one for each annotator, or for their mean")
    corpus: str | None = setting(None, "corpus of the sheet for annotators; none = no sheet")
    system: str | None = setting(None, "the system whose translations are judged; none = no sheet")
    baseline: str | None = setting(None, "the system that it is compared with; none = no sheet")
    sentences: int = setting(500, "number of sentences to judge, all where the test set has fewer", whole(1, 100_000))
    identical: Identical = setting(
        "filled", "pairs of identical translations: counted as equal without asking, left out of the draw, or asked"
    )
    draw: int = setting(1, "seed by which sentences and the order of translations are drawn", seed)

    def __post_init__(self) -> None:
        """Raise BadValue where some, but not all, of corpus, system and baseline are stated."""
        super().__post_init__()
        stated = [name for name in ("corpus", "system", "baseline") if getattr(self, name) is not None]
        need(len(stated) in (0, 3), "system", " and ".join(stated), "corpus, system and baseline, or none of the three")

    @property
    def has_sheet(self) -> bool:
        """Whether a job draws a sheet for annotators."""
        return self.system is not None

    def beside_published(self, corpora: Sequence[str]) -> Iterator[BesidePublished]:
        """Yield the corpus, the system and each verdict with a published number, where the table names a system."""
        numbers = [row.published.get(verdict) for row in self.rows for verdict in VERDICTS]
        if self.has_sheet and any(published_number(number) is not None for number in numbers):
            yield from ((self.corpus, self.system, verdict) for verdict in VERDICTS)

    def reads(self) -> list[str]:
        """Return the one input of the table, the file of judgements that config.yaml names."""
        return ["human"]

    def check(self, checks: Checks, path: tuple) -> None:
        """Raise UserError for an unknown corpus, system or verdict, and for a published value that is no number."""
        if self.has_sheet:
            checks.corpus(self.corpus, (*path, "corpus"))
            for name in ("system", "baseline"):
                checks.system(getattr(self, name), self.corpus, (*path, name))
        for number, row in enumerate(self.rows):
            checks.cells(row.published, VERDICTS, (*path, "rows", number, "published"))

    def content(self, name: str, results: Results) -> PieceContent:
        """Return the table; without a file of judgements, a note below it names the command that prints such a file.

        Raises UserError where the file is not the output of `docmt read-sheets --json`.
        """
        judgements = _read(results)
        reasons = why_not_comparable(results, self.corpus, self.system, "") if self.has_sheet else ()
        rows = tuple(_row(row, judgements, reasons) for row in self.rows)
        columns = tuple(
            Column(
                "all", ALL, "", verdict, ABOUT[verdict], any(row.cells[number].published is not None for row in rows)
            )
            for number, verdict in enumerate(VERDICTS)
        )
        signatures = (Signature("preference", judgements["signature"], ()),) if judgements else ()
        note = _filled(judgements) if judgements else _way(name, self, results)
        filled = Table(columns, rows, signatures, marks=note, head="Annotator")
        return PieceContent(filled, filled.records, "kinds/systems.html")


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
