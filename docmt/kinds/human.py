"""Tables of human judgements: how often annotators prefer a system to another."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from docmt.base.checks import Checked, at_least, need, needed, section, seed, setting, whole
from docmt.base.names import Identical
from docmt.reporting.item import KIND, BesidePublished, Checks, TableConfig, published_number

Verdict = Literal["equal", "better", "worse"]
VERDICTS: tuple[Verdict, ...] = ("equal", "better", "worse")
"""The verdicts on a sentence, in the order of the table's columns."""


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
