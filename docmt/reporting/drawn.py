"""Figures of lines, such as a line for each system: their content, and the functions that their kinds share."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from docmt.kinds.item import published_number
from docmt.reporting.comparable import why_not_comparable
from docmt.reporting.figures import PAPER, Panel, Style, label_axes, notes_of
from docmt.reporting.over_seeds import over_seeds, why_empty
from docmt.reporting.pieces import PieceContent
from docmt.reporting.results import Results
from docmt.settings.metrics import parse_metric

PUBLISHED = {"markerfacecolor": PAPER, "linestyle": "none", "markeredgewidth": 1.6, "markersize": 7.5, "zorder": 3}
"""The style of published points: hollow markers without a line through the points."""
HOLLOW = "Hollow: published"
"""The note below a figure that has published points."""


@dataclass(frozen=True)
class DrawnFigure:
    """A figure of lines.

    `look`: the style of each line, by its label. `marks`: sentences that explain points and bars. `missing`: a line of
    text for each point that was not measured, with the reason. `records`: all numbers, for JSON and CSV, and for a
    table on the page where `shows_numbers` is true.
    """

    panels: tuple[Panel, ...]
    look: dict[str, Style]
    marks: tuple[str, ...]
    missing: tuple[str, ...]
    records: tuple[dict, ...]
    shows_numbers: bool = True

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """The text and the dashes of each line in the legend that belongs to no system."""
        return notes_of(self.panels)

    @property
    def content(self) -> PieceContent:
        """The content of the item, with the template that all figures of lines have in common."""
        return PieceContent(self, self.records, "drawn.html")


def identifier(name: str, *parts: object) -> str:
    """Return an HTML id for a panel of the figure `name`; `parts` distinguish the panels of the figure."""
    return "".join(letter if letter.isalnum() else "-" for letter in "-".join(("figure", name, *map(str, parts))))


def point(
    label: str,
    x: float,
    system: str | None,
    corpus: str,
    metric: str,
    published: Any,
    results: Results,
    beside: bool = False,
) -> dict[str, Any]:
    """Return the record of a point: the published number, and the metric of a system over all of its seeds.

    `beside`: whether the point stands beside published numbers, so that it has the reasons against comparing them.
    """
    runs, name = results.of(corpus, system) if system else [], parse_metric(metric)
    is_scored = any(run.scores is not None for run in runs)
    measured = over_seeds(runs, name, why_empty(results, corpus, system, name, is_scored))
    values = list(measured.values)
    reasons = why_not_comparable(results, corpus, system, metric) if beside else ()
    return {
        "label": label,
        "x": x,
        "system": system,
        "corpus": corpus,
        "metric": metric,
        "published": published,
        "measured": sum(values) / len(values) if values else None,
        "values": values,
        "seeds": measured.seeds,
        "status": measured.status,
        "signature": " ; ".join(measured.signatures),
        "not_comparable": "; ".join(reasons),
    }


def published_points(records: Iterable[dict]) -> list[tuple[float, float]]:
    """Return (x, number) of the published points, sorted by x; a point that is not digitised is left out."""
    numbers = ((record["x"], published_number(record["published"])) for record in records)
    return sorted((x, number) for x, number in numbers if number is not None)


def hollow(records: Sequence[dict]) -> tuple[str, ...]:
    """Return the note that explains hollow points; empty where the records have no published number."""
    return (HOLLOW,) if published_points(records) else ()


def not_comparable(records: Sequence[dict]) -> tuple[str, ...]:
    """Return a note for each reason why measured points are not comparable with the published ones."""
    reasons = dict.fromkeys(record["not_comparable"] for record in records if record["values"])
    return tuple(f"Not comparable with the published points because {reason}" for reason in reasons if reason)


def missing(records: Sequence[dict]) -> tuple[str, ...]:
    """Return a line of text for each point of a system without a measured value, with the reason."""
    empty = [r for r in records if r["system"] is not None and not r["values"]]
    return tuple(f"{r['label']} at {r['x']:g}: {r['status']}" for r in empty)


def paint_lines(
    axes: Axes, records: Sequence[dict], look: dict[str, Style], x: str, unit: str, ranges: bool = False
) -> None:
    """Paint, for each label, a line through the means over seeds, and hollow markers at the published numbers.

    `x`, `unit`: the labels of the axes. `ranges`: whether each point has a bar from the smallest to the largest value
    of its seeds. The ticks of the horizontal axis are at whole numbers.
    """
    for label, style in look.items():
        line = [record for record in records if record["label"] == label]
        measured = [(record["x"], record["values"]) for record in line if record["values"]]
        places, means = [place for place, _ in measured], [fmean(values) for _, values in measured]
        if ranges:
            lows = [mean - min(values) for mean, (_, values) in zip(means, measured, strict=True)]
            highs = [max(values) - mean for mean, (_, values) in zip(means, measured, strict=True)]
            axes.errorbar(places, means, (lows, highs), capsize=3, **style.marked)
        else:
            axes.plot(places, means, **style.marked)
        if published := published_points(line):
            axes.plot(*zip(*published, strict=True), style.marker, color=style.colour, **PUBLISHED)
    label_axes(axes, x, unit)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
