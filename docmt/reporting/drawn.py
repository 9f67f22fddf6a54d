"""A study's figures whose lines are systems: what they show, and what their kinds are made of."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from docmt.kinds.item import published_number
from docmt.reporting.figures import Panel, Style, label_axes, notes_of
from docmt.reporting.over_seeds import over_seeds, why_empty
from docmt.reporting.pieces import PieceContent
from docmt.reporting.results import Results
from docmt.settings.metrics import parse_metric

PUBLISHED = {"markerfacecolor": "white", "linestyle": "none", "markeredgewidth": 1.6, "markersize": 7.5, "zorder": 3}
"""Published points are hollow, and no line leads through them."""
HOLLOW = "Hollow: published"


@dataclass(frozen=True)
class DrawnFigure:
    """A figure: `look` by the labels of its lines.

    `marks`: what points and bars are; `missing`: what is declared and not there, and why; `records`: every number, for
    JSON and CSV, and for the page where `shows_numbers`.
    """

    panels: tuple[Panel, ...]
    look: dict[str, Style]
    marks: tuple[str, ...]
    missing: tuple[str, ...]
    records: tuple[dict, ...]
    shows_numbers: bool = True

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """What other lines are, and their dashes."""
        return notes_of(self.panels)

    @property
    def content(self) -> PieceContent:
        return PieceContent(self, self.records, "drawn.html")


def identifier(name: str, *parts: object) -> str:
    """Of a panel of a figure."""
    return "".join(letter if letter.isalnum() else "-" for letter in "-".join(("figure", name, *map(str, parts))))


def point(
    label: str, x: float, system: str | None, corpus: str, metric: str, published: Any, results: Results
) -> dict[str, Any]:
    """The record of a point of a line: all seeds of its system, and what was published there."""
    runs = results.of(corpus, system) if system else []
    is_scored = any(run.scores is not None for run in runs)
    found = over_seeds(runs, parse_metric(metric), why_empty(results, corpus, system, is_scored))
    values = list(found.values)
    return {
        "label": label,
        "x": x,
        "system": system,
        "corpus": corpus,
        "metric": metric,
        "published": published,
        "measured": sum(values) / len(values) if values else None,
        "values": values,
        "seeds": found.seeds,
        "status": found.status,
        "signature": " ; ".join(found.signatures),
    }


def published_points(records: Iterable[dict]) -> list[tuple[float, float]]:
    """Those whose number can be read off."""
    numbers = ((record["x"], published_number(record["published"])) for record in records)
    return sorted((x, number) for x, number in numbers if number is not None)


def hollow(records: Sequence[dict]) -> tuple[str, ...]:
    """What hollow points are, if there are any."""
    return (HOLLOW,) if published_points(records) else ()


def missing(records: Sequence[dict]) -> tuple[str, ...]:
    """What is declared and not measured."""
    empty = [r for r in records if r["system"] is not None and not r["values"]]
    return tuple(f"{r['label']} at {r['x']:g}: {r['status']}" for r in empty)


def paint_lines(
    axes: Axes, records: Sequence[dict], look: dict[str, Style], x: str, unit: str, ranges: bool = False
) -> None:
    """A line through the means over seeds for each label, and hollow points; `x`, `unit`: what the axes count.

    `ranges`: with a bar from the smallest to the largest value. Ticks are at whole numbers.
    """
    for label, style in look.items():
        own = [record for record in records if record["label"] == label]
        measured = [(record["x"], record["values"]) for record in own if record["values"]]
        places, means = [place for place, _ in measured], [fmean(values) for _, values in measured]
        if ranges:
            lows = [mean - min(values) for mean, (_, values) in zip(means, measured, strict=True)]
            highs = [max(values) - mean for mean, (_, values) in zip(means, measured, strict=True)]
            axes.errorbar(places, means, (lows, highs), capsize=3, **style.marked)
        else:
            axes.plot(places, means, **style.marked)
        if read := published_points(own):
            axes.plot(*zip(*read, strict=True), style.marker, color=style.colour, **PUBLISHED)
    label_axes(axes, x, unit)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
