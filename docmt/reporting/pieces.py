"""The items of a page with their content: an object that a template renders, and flat records."""

from dataclasses import dataclass
from typing import Any

from docmt.reporting.item import Item
from docmt.reporting.over_seeds import not_run, not_scored
from docmt.reporting.results import Results
from docmt.reporting.study import MeasuredAs
from docmt.reporting.table import Table
from docmt.settings.metrics import base_of


@dataclass(frozen=True)
class Piece:
    """An item of a page with its content."""

    name: str
    item: Item
    template: str  # The template that renders the content.
    content: Any
    records: tuple[dict, ...]  # The content as flat records.
    empty: str = ""  # The reason where there is no content; empty where there is content.
    # What the paper says on how it measures, each with its metric.
    measured_as: tuple[tuple[str, MeasuredAs], ...] = ()

    @property
    def table(self) -> Table | None:
        """The content where it is a table of cells with signatures and marks, as that of systems is; else None."""
        return self.content if isinstance(self.content, Table) else None


def pieces(results: Results) -> list[Piece]:
    """Return all items of the page, in the order of the page, with their content."""
    return [_piece(name, item, results) for name, item in results.settings.study.items.items()]


def _piece(name: str, item: Item, results: Results) -> Piece:
    content = item.content(name, results)
    empty = "" if content.data is not None else _why_empty(item, results)
    template, statements = content.template or f"kinds/{item.kind}.html", results.settings.study.measured_as
    metrics = dict.fromkeys(map(base_of, item.measures))
    measured_as = tuple((metric, statement) for metric in metrics for statement in statements.get(metric, ()))
    return Piece(name, item, template, content.data, tuple(content.records), empty, measured_as)


def _why_empty(item: Item, results: Results) -> str:
    """Return why the item's main system, the last system that the item lists, has not run, or has no scored chains."""
    *_, (corpus, system) = item.systems_of(results.settings.study.corpora)
    why = results.settings.why_not_scored(corpus, "aligner") if "occurrences" in item.reads() else ""
    is_scored = any(run.occurrences.exists() for run in results.of(corpus, system))
    return not_scored(why) if why and is_scored else not_run(results.settings.why_not_run(corpus, system))
