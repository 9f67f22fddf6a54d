"""Figures of lines, such as a line for each system: their content, and the functions that their kinds share."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, cycle
from statistics import fmean
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from docmt.reporting.figures import LEVEL, LEVEL_DASHES, Panel, draw, label_axes, notes_of
from docmt.reporting.item import PieceContent, published_number
from docmt.reporting.look import LINE, PAPER, SIGN, Style, line_style
from docmt.reporting.over_seeds import over_seeds, why_empty, why_not_comparable
from docmt.reporting.results import Results
from docmt.settings.metrics import parse_metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The style of published points: hollow markers without a line through the points.
PUBLISHED = {"markerfacecolor": PAPER, "linestyle": "none", "markeredgewidth": 1.6, "markersize": 7.5, "zorder": 3}
HOLLOW = "Hollow: published"  # The note below a figure that has published points.


@dataclass(frozen=True)
class DrawnFigure:
    """A figure of lines."""

    panels: tuple[Panel, ...]
    look: dict[str, Style]  # The style of each line, by its label.
    marks: tuple[str, ...]  # Sentences that explain points and bars.
    missing: tuple[str, ...]  # A line of text for each point that was not measured, with the reason.
    # All numbers, for JSON and CSV, and for a table on the page where `shows_numbers` is true.
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
    """Return a line of text for each reason why points of systems have no measured value, with these points."""
    return by_reason((r["status"], f"{r['label']} at {r['x']:g}") for r in records if r["system"] and not r["values"])


def by_reason(pairs: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return a line of text for each reason; `pairs` has the reason and the name of each thing that is missing."""
    names: dict[str, list[str]] = {}
    for reason, name in pairs:
        names.setdefault(reason, []).append(name)
    return tuple(f"{reason}: {', '.join(dict.fromkeys(several))}" for reason, several in names.items())


def with_differences(records: Sequence[dict], baseline: str | None) -> list[dict]:
    """Return the records with the field `baseline_difference`, where the figure compares its lines with a baseline.

    The difference is the measured number minus that of the line `baseline` at the same place of the horizontal axis; it
    is None for the baseline itself, and where one of the two numbers is missing.
    """
    if baseline is None:
        return list(records)
    of_baseline = {(r["metric"], r["x"]): r["measured"] for r in records if r["label"] == baseline}

    def difference(record: dict) -> float | None:
        other = of_baseline.get((record["metric"], record["x"]))
        is_missing = record["label"] == baseline or other is None or record["measured"] is None
        return None if is_missing else record["measured"] - other

    return [{**record, "baseline_difference": difference(record)} for record in records]


def _differences(records: Sequence[dict]) -> list[dict]:
    """Return the records of a panel of differences: the measured number of each is its difference to the baseline."""
    wanted = [record for record in records if record.get("baseline_difference") is not None]
    changed = {"published": None, "is_difference": True}
    return [{**record, "values": [record["baseline_difference"]], **changed} for record in wanted]


def panels_of(
    name: str,
    metric: str,
    records: Sequence[dict],
    baseline: str | None,
    paint: Callable[..., None],
    levels: Mapping[str, float] = MappingProxyType({}),
) -> Iterator[Panel]:
    """Yield the panel of a metric, and that of its differences to the baseline; none that would show no number.

    `name`: the name of the figure. `records`: those of the metric. `baseline`: the label of the line with which others
    are compared; None for a figure without differences. `paint`: a function that paints `records` and `levels` on axes,
    such as `paint_lines`. `levels`: published numbers of no place of the horizontal axis, by their labels.
    """
    has_numbers = published_points(records) or any(record["values"] for record in records)
    titles = {metric: (records if has_numbers else [], levels)}
    if baseline is not None:
        titles[f"{metric}, minus {baseline}"] = (_differences(records), {})
    for title, (drawn, of_panel) in titles.items():
        if drawn or of_panel:
            painted = partial(paint, records=drawn, levels=of_panel)
            notes = tuple((f"{label}: {of_panel[label]:g}", dash) for label, dash in _dashes(of_panel))
            yield Panel(title, draw(identifier(name, title), title, painted), painted, notes=notes)


def _dashes(levels: Iterable[str]) -> Iterator[tuple[str, str]]:
    return zip(levels, cycle(LEVEL_DASHES), strict=False)


def paint_lines(
    axes: "Axes",
    records: Sequence[dict],
    look: dict[str, Style],
    x: str,
    unit: str,
    levels: Mapping[str, float],
    ranges: bool = False,
) -> None:
    """Paint, for each label, a line through the means over seeds, and hollow markers at the published numbers.

    Where the numbers are differences to a baseline, a dashed line is at 0. Each of `levels` is a line across.

    `x`, `unit`: the labels of the axes. `ranges`: whether each point has a bar from the smallest to the largest value
    of its seeds. The ticks of the horizontal axis are at whole numbers.
    """
    from matplotlib.ticker import MaxNLocator

    for label, style in look.items():
        line = [record for record in records if record["label"] == label]
        measured = [(record["x"], record["values"]) for record in line if record["values"]]
        places, means = [place for place, _ in measured], [fmean(values) for _, values in measured]
        if ranges:
            lows = [mean - min(values) for mean, (_, values) in zip(means, measured, strict=True)]
            highs = [max(values) - mean for mean, (_, values) in zip(means, measured, strict=True)]
            _, *signs = axes.errorbar(places, means, (lows, highs), capsize=3, **style.marked)
            for sign in chain.from_iterable(signs):
                sign.set_gid(style.tag(SIGN))
        else:
            axes.plot(places, means, **style.marked)
        if published := published_points(line):
            gid = style.tag(LINE, "published")
            axes.plot(*zip(*published, strict=True), style.marker, color=style.colour, gid=gid, **PUBLISHED)
    if any(record.get("is_difference") for record in records):
        axes.axhline(0, **LEVEL)
    label_axes(axes, x, unit)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    for label, dash in _dashes(levels):
        axes.axhline(levels[label], **(LEVEL | {"linestyle": line_style(dash)}))
        place = {"transform": axes.get_yaxis_transform(), "ha": "right", "va": "bottom"}
        axes.text(1, levels[label], label, color=LEVEL["color"], fontsize=8, **place)
