"""Figures by position: a BLEU score of the first sentences of all windows, of the second sentences, and so on."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import cycle

from matplotlib.axes import Axes

from docmt.reporting.item import published_number
from docmt.kinds.positions import PositionsFigure
from docmt.reporting.drawn import (
    DrawnFigure,
    hollow,
    identifier,
    missing,
    not_comparable,
    paint_lines,
    panels_of,
    point,
    with_differences,
)
from docmt.reporting.figures import LEVEL, LEVEL_DASHES, POSITION, Panel, draw
from docmt.reporting.look import Style, line_style, styles_of_lines
from docmt.reporting.pieces import PieceContent
from docmt.reporting.results import Results
from docmt.settings.metrics import parse_metric


def content(name: str, figure: PositionsFigure, results: Results) -> PieceContent:
    """Return a figure with one panel; its positions are those of the systems' windows and of the published numbers."""
    look = styles_of_lines({line.label: [line.system] if line.system else [] for line in figure.series}, results.look)
    records = with_differences(list(_positions(figure, results)), figure.baseline)
    numbers = {level.label: published_number(level.published) for level in figure.levels}
    levels = {label: number for label, number in numbers.items() if number is not None}
    unread = [f"{level.label}: {level.published}" for level in figure.levels if level.label not in levels]
    published = [
        {"label": level.label, "metric": figure.metric, "published": level.published} for level in figure.levels
    ]
    panels = tuple(_panels(name, figure, records, levels, look))
    marks = (*hollow(records), *unread, *not_comparable(records))
    return DrawnFigure(panels, look, marks, missing(records), (*records, *published)).content


def _panels(
    name: str, figure: PositionsFigure, records: Sequence[dict], levels: dict[str, float], look: dict[str, Style]
) -> Iterator[Panel]:
    """Yield the panel of the metric, and that of its differences to the baseline; none without a number."""
    unit = parse_metric(figure.metric).metric.unit
    for title, drawn in panels_of(figure.metric, records, figure.baseline):
        of_panel = levels if title == figure.metric else {}
        if drawn or of_panel:
            paint = partial(_paint, records=drawn, levels=of_panel, look=look, unit=unit)
            notes = tuple((f"{label}: {of_panel[label]:g}", dash) for label, dash in _dashes(of_panel))
            yield Panel(title, draw(identifier(name, title), title, paint), paint, notes=notes)


def _dashes(levels: dict[str, float]) -> Iterator[tuple[str, str]]:
    """Yield the label of each level with its dashes."""
    return zip(levels, cycle(LEVEL_DASHES), strict=False)


def _positions(figure: PositionsFigure, results: Results) -> Iterator[dict]:
    """Yield the record of each position of each line of the figure; positions are counted from 1."""
    beside = {*figure.beside_published(())}
    for series in figure.series:
        is_beside = (figure.corpus, series.system, figure.metric) in beside
        windows = [e for e in results.settings.entries if (e.corpus, e.system.name) == (figure.corpus, series.system)]
        last = max((entry.system.view.test.window or 1 for entry in windows), default=0)
        for j in sorted({*map(float, range(1, last + 1)), *series.published}):
            metric, published = f"{figure.metric}@j{j:g}", series.published.get(j)
            yield point(series.label, j, series.system, figure.corpus, metric, published, results, is_beside)


def _paint(axes: Axes, records: Sequence[dict], levels: dict[str, float], look: dict[str, Style], unit: str) -> None:
    """Paint the lines, and a horizontal line for each published level; `levels` has the levels by their labels."""
    paint_lines(axes, records, look, POSITION, unit)
    for label, dash in _dashes(levels):
        axes.axhline(levels[label], **(LEVEL | {"linestyle": line_style(dash)}))
        place = {"transform": axes.get_yaxis_transform(), "ha": "right", "va": "bottom"}
        axes.text(1, levels[label], label, color=LEVEL["color"], fontsize=8, **place)
