"""The figures of a study's page: curves over training, accuracy by distance, and BLEU by position."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from itertools import chain
from typing import TYPE_CHECKING, Any

from docmt.reporting.figures import (
    LEVEL,
    LEVEL_DASH,
    POSITION,
    Curve,
    Panel,
    curves,
    draw,
    label_axes,
    notes_of,
)
from docmt.reporting.look import Style
from docmt.reporting.over_seeds import over_seeds
from docmt.reporting.results import Results, Run
from docmt.settings.metrics import MetricName, is_of_set, parse_metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ENTROPY, GROUP, GLOBAL = "entropy.", ".group", ".global"
"""Parts of the keys under which trainings log the entropy of attention: the first part and the last parts of a key.

The last parts occur in models with two kinds of attention: group attention to the current sentence, and global
attention to the whole document.
"""

# The names, on the page, of the kinds of attention that all architectures have, by their part of a logged key.
ATTENTION = {
    "cross": "cross-attention",
    "encoder_self": "encoder self-attention",
    "decoder_self": "decoder self-attention",
}

# The explanation of dotted curves in the legend: they are of attention to the current sentence.
TO_CURRENT_SENTENCE = "to the own sentence, where the model also attends to the document"

DISTANCE, ACCURACY = "distance in sentences", "accuracy, %"  # Labels of the axes of accuracy by distance.

COLLAPSED = 0.1
"""The divergence from the prior, in nats a chain, below which a posterior has collapsed.

At 0 the two distributions are equal. At 0.1 nats a posterior tells less than a seventh of a bit about its chain.
"""

# The name of a system, and its value at each step; None at a step for which it has no value.
SystemValues = tuple[str, list[float | None]]


@dataclass(frozen=True)
class Plot:
    """The panels of a plot of one corpus, and the numbers in them."""

    corpus: str
    panels: tuple[Panel, ...]
    more: tuple[Panel, ...] = ()  # Less important panels, which the page hides until the reader opens them.
    steps: tuple[str, ...] = ()  # The headings of the columns of numbers.
    # A row (panel, line, values) for each line of a panel; a value is None where the line has no point.
    numbers: tuple[tuple[str, str, list[float | None]], ...] = ()

    @property
    def all_panels(self) -> tuple[Panel, ...]:
        """The panels, followed by the less important panels."""
        return self.panels + self.more

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems of the legend, each once."""
        return tuple(dict.fromkeys(system for panel in self.all_panels for system in panel.systems))

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """The text and the dashes of each line in the legend that belongs to no system."""
        return notes_of(self.all_panels)


def by_corpus(make: Callable[..., Plot]) -> Callable[..., list[Plot]]:
    """Turn a function that makes the plot of a corpus, from its runs and styles, into one of the plots of all."""

    @wraps(make)
    def plots(results: Results, look: dict[str, Style], *others: Any) -> list[Plot]:
        of_corpora = (make(corpus, results.of(corpus), look, *others) for corpus in results.corpora)
        # Plots without panels are left out.
        return [plot for plot in of_corpora if plot.all_panels]

    return plots


@by_corpus
def learning_curves(corpus: str, runs: list[Run], look: dict[str, Style]) -> Plot:
    """Plot training loss and dev perplexity over updates; a system with the model of another system has no curve."""
    level = next((value for run in runs if (value := run.scoring.get("unigram_dev_perplexity"))), None)
    title, options = "training loss, label-smoothed", {"unit": "perplexity", "logarithmic": True, "level": level}
    loss = _curve_panel(f"loss-{corpus}", title, runs, ("train", "loss"), look, unit="nats a token")
    dev = _curve_panel(f"dev-{corpus}", "dev perplexity", runs, ("dev", "perplexity"), look, **options)
    return Plot(corpus, (*loss, *dev))


@by_corpus
def inside_curves(corpus: str, runs: list[Run], look: dict[str, Style]) -> Plot:
    """Plot the divergence of latent variables and the entropy of each kind of attention over updates, on the dev set.

    Papers: lexical chains, Figure 7 (nats a chain); G-Transformer, Figures 4, 5 and 8 (bits).
    """
    title = "KL divergence of latent variables"
    kl = _curve_panel(f"kl-{corpus}", title, runs, ("dev", "kl"), look, unit="nats a chain", from_zero=True)

    def entropy(kind: str) -> tuple[Panel, ...]:
        names = f"entropy-{corpus}-{kind}", f"entropy of {ATTENTION.get(kind, kind.replace('.', ' '))}"
        return _curve_panel(*names, runs, ("dev", ENTROPY + kind), look, unit="bits", from_zero=True)

    keys = {key for run in runs for row in run.curve if row.get("kind") == "dev" for key in row}
    whole = {key.removesuffix(GROUP).removesuffix(GLOBAL) for key in keys}
    kinds = {key.removeprefix(ENTROPY) for key in whole if key.startswith(ENTROPY)}
    usual, others = (
        chain.from_iterable(map(entropy, group)) for group in (ATTENTION, sorted(kinds - ATTENTION.keys()))
    )
    return Plot(corpus, (*kl, *usual), tuple(others))


def _last_divergence(run: Run) -> float | None:
    """Return the divergence of the posterior at the last validation, in nats a chain; None without one."""
    values = [row["kl"] for row in run.curve if row.get("kind") == "dev" and row.get("kl") is not None]
    return values[-1] if values else None


def collapsed(runs: Iterable[Run]) -> Iterator[str]:
    """Yield a sentence about each run whose posterior has collapsed."""
    for run in runs:
        divergence = _last_divergence(run)
        if divergence is not None and divergence < COLLAPSED:
            yield (
                f"The posterior of {run.entry.system.name}, seed {run.seed}, has collapsed: at the last validation it "
                f"diverges from the prior by {divergence:.2g} nats a chain, so that its latent variables tell almost "
                f"nothing that the source does not tell"
            )


def _curve_panel(
    identifier: str, title: str, runs: list[Run], what: tuple[str, str], look: dict[str, Style], **options: Any
) -> tuple[Panel, ...]:
    """Return a panel with the curves of a logged quantity; empty where no training logs it.

    `what`: the kind of the logged rows ("train" or "dev"), and the key of the quantity. A system that uses the model of
    another system has no curve.
    """
    trained = [run for run in runs if run.entry.trained == run.entry.folder]
    drawn = [curve for run in trained for curve in training_curves(run, *what)]
    return (curves(identifier, title, drawn, look, **options),) if drawn else ()


def training_curves(run: Run, kind: str, key: str) -> Iterator[Curve]:
    """Yield the curves of a logged quantity over the updates of a training; none where it is not logged.

    `kind`: the kind of the logged rows, "train" or "dev". `key`: the key of the quantity.
    """
    # A model that attends to the document and, separately, to the current sentence has two curves.
    for scope, dotted in (("", ""), (GLOBAL, ""), (GROUP, TO_CURRENT_SENTENCE)):
        rows = [row for row in run.curve if row.get("kind") == kind and row.get(key + scope) is not None]
        if rows:
            values = [row[key + scope] for row in rows]
            yield Curve(run.entry.system.name, [row["update"] for row in rows], values, dotted)


@by_corpus
def accuracy_by_distance(corpus: str, runs: list[Run], look: dict[str, Style]) -> Plot:
    """Plot accuracy by distance: a panel per contrastive set, with a line per system and a dashed one for chance."""
    runs = [run for run in runs if "accuracy" in (run.scores or {})]
    names = _names(runs, "accuracy")
    distances = sorted({int(name.detail) for name in names if name.detail is not None})
    steps = tuple(str(distance) if distance else "not stated" for distance in distances)
    panels, numbers = [], []
    for name in _sets(names):
        chance = [_chance(runs, name, distance) for distance in distances]
        lines = _lines(runs, [f"accuracy:{name}@{distance}" for distance in distances])
        identifier = f"accuracy-{corpus}-{len(panels)}"
        options = {"axis": DISTANCE, "unit": ACCURACY, "chance": chance}
        panels.append(_by_step(identifier, name, steps, lines, look, **options))
        numbers += [(name, line, values) for line, values in [*lines, ("chance", chance)]]
    return Plot(corpus, tuple(panels), steps=steps, numbers=tuple(numbers))


def _names(runs: list[Run], base: str) -> list[MetricName]:
    scores = (score for run in runs for score in (run.scores or {}).values() if score.metric == base)
    return [parse_metric(name) for name in dict.fromkeys(score.name for score in scores)]


def _sets(names: list[MetricName]) -> list[str]:
    sets = [name.set for name in names if name.set and not name.detail]
    return [name for name in sets if not any(other != name and is_of_set(other, name) for other in sets)]


def _chance(runs: list[Run], name: str, distance: int) -> float | None:
    """Return the accuracy of chance on a set at a distance, in percent; None where no run was scored there."""
    scores = ((run.scores or {}).get(f"accuracy:{name}@{distance}") for run in runs)
    return next((100 * score.facts["by_chance"] / score.n for score in scores if score), None)


@by_corpus
def bleu_by_position(corpus: str, runs: list[Run], look: dict[str, Style]) -> Plot:
    """Plot s-BLEU by the position j of a sentence in its window; the s-BLEU of a system is the mean over its seeds."""
    positions = [int(name.detail[1:]) for name in _names(runs, "s-BLEU") if re.fullmatch(r"j\d+", name.detail or "")]
    if not positions:
        return Plot(corpus, ())
    runs = [run for run in runs if "s-BLEU@j1" in (run.scores or {})]
    last = max(positions)
    steps = tuple(str(j) for j in range(1, last + 1))
    lines = _lines(runs, [f"s-BLEU@j{step}" for step in steps])
    options = {"axis": POSITION, "unit": "s-BLEU"}
    panel = _by_step(f"positions-{corpus}", "s-BLEU by position", steps, lines, look, **options)
    return Plot(corpus, (panel,), steps=steps, numbers=tuple(("s-BLEU", *line) for line in lines))


# The label of the horizontal axis of each kind of buckets.
BUCKET_AXES = {
    "length": "length of the source sentence, words",
    "frequency": "frequency of its rarest word in training",
    "position": "position of the sentence in the document",
}


@by_corpus
def bleu_by_bucket(corpus: str, runs: list[Run], look: dict[str, Style], kind: str) -> Plot:
    """Plot s-BLEU by a kind of buckets; the s-BLEU of a system is the mean over its seeds."""
    details = [(name.detail or "").partition(".") for name in _names(runs, "s-BLEU")]
    found = [bucket for of, _, bucket in details if of == kind]
    steps = tuple(sorted(found, key=lambda name: int(re.match(r"\d+", name)[0])))
    if len(steps) < 2:
        return Plot(corpus, ())
    lines = _lines(runs, [f"s-BLEU@{kind}.{step}" for step in steps])
    title = f"s-BLEU by {kind}"
    options = {"axis": BUCKET_AXES[kind], "unit": "s-BLEU"}
    panel = _by_step(f"buckets-{kind}-{corpus}", title, steps, lines, look, **options)
    scores = [[(run.scores or {}).get(f"s-BLEU@{kind}.{step}") for run in runs] for step in steps]
    sizes = [max(score.n for score in of_step if score) for of_step in scores]
    numbers = [*((title, *line) for line in lines), ("sentences", "", sizes)]
    return Plot(corpus, (panel,), steps=steps, numbers=tuple(numbers))


def _lines(runs: list[Run], metrics: list[str]) -> list[SystemValues]:
    by_system = {run.entry.system.name: [] for run in runs}
    for run in runs:
        by_system[run.entry.system.name].append(run)
    names = [parse_metric(metric) for metric in metrics]
    return [
        (system, [over_seeds(members, name, "").measured for name in names]) for system, members in by_system.items()
    ]


def _by_step(
    identifier: str,
    title: str,
    steps: Sequence[str],
    lines: Sequence[SystemValues],
    look: dict[str, Style],
    *,
    axis: str,
    unit: str,
    chance: Sequence[float | None] | None = None,
    has_zero: bool = False,
) -> Panel:
    """Return a panel of lines over steps (distances or positions), which are evenly spaced on the horizontal axis.

    `lines`: the systems and their values. `chance`: the accuracy of chance at each step, in percent. `has_zero`:
    whether a dashed line is drawn at 0, from which differences are read.
    """

    def paint(axes: "Axes") -> None:
        if chance is not None:
            axes.plot(range(len(steps)), [math.nan if level is None else level for level in chance], **LEVEL)
        if has_zero:
            axes.axhline(0, **LEVEL)
        for number, (system, values) in enumerate(lines):
            # Points of several systems often coincide at 100 %: moved a little to the side, all points can be seen.
            aside = 0.05 * (number - (len(lines) - 1) / 2)
            points = [(step + aside, value) for step, value in enumerate(values) if value is not None]
            axes.plot([x for x, _ in points], [value for _, value in points], **look[system].marked)
        axes.set_xticks(range(len(steps)), steps)
        axes.fmt_xdata = lambda x: steps[round(x)]
        axes.set_xlim(-0.4, len(steps) - 0.6)
        label_axes(axes, axis, unit)
        if chance is not None:
            axes.set_ylim(-3, 104)

    notes = (("chance", LEVEL_DASH),) if chance is not None else ()
    return Panel(title, draw(identifier, title, paint), paint, tuple(system for system, _ in lines), notes)


def with_differences(plot: Plot, look: dict[str, Style], baseline: str, axis: str, unit: str) -> Plot:
    """Return a plot over steps with the differences of the other systems to `baseline`, in panels and in numbers.

    `axis`, `unit`: the labels of the axes.
    """
    # A plot in which the baseline has no values is unchanged.
    of_baseline = {name: values for name, line, values in plot.numbers if line == baseline}
    panels, numbers = [], []
    for number, (name, others) in enumerate(of_baseline.items()):
        title = f"{name}, minus {look[baseline].label}"
        lines = [
            (line, [None if None in pair else pair[0] - pair[1] for pair in zip(values, others, strict=True)])
            for panel, line, values in plot.numbers
            if panel == name and line in look and line != baseline
        ]
        if any(value is not None for _, values in lines for value in values):
            identifier = re.sub(r"\W+", "-", f"minus-{plot.corpus}-{number}-{name}")
            panels.append(_by_step(identifier, title, plot.steps, lines, look, axis=axis, unit=unit, has_zero=True))
            numbers += [(title, *line) for line in lines]
    return replace(plot, more=(*plot.more, *panels), numbers=(*plot.numbers, *numbers))
