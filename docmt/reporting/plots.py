"""Which figures a study has, made from its runs: over training, by distance, by position."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import wraps
from itertools import chain
from typing import Any

from matplotlib.axes import Axes

from docmt.reporting.figures import (
    LEVEL,
    LEVEL_DASH,
    POSITION,
    Curve,
    Panel,
    Style,
    curves,
    draw,
    label_axes,
    notes_of,
)
from docmt.reporting.over_seeds import over_seeds
from docmt.reporting.results import Results, Run
from docmt.settings.metrics import parse_metric

ENTROPY, GROUP, GLOBAL = "entropy.", ".group", ".global"
"""How keys that trainings write begin; how they end where a model attends both to its own sentence and its document."""

ATTENTION = {
    "cross": "cross-attention",
    "encoder_self": "encoder self-attention",
    "decoder_self": "decoder self-attention",
}
"""Attention that all architectures have."""

TO_CURRENT_SENTENCE = "to the own sentence, where the model also attends to the document"

SystemValues = tuple[str, list[float | None]]
"""A system, and its value at each step; none where it has no point."""


@dataclass(frozen=True)
class Plot:
    """Panels of one corpus, and their numbers: a row a line of a panel, which names panel and line, then the values.

    `steps` heads the values; a value is none where a line has no point there. `more`: panels of less interest.
    """

    corpus: str
    panels: tuple[Panel, ...]
    more: tuple[Panel, ...] = ()
    steps: tuple[str, ...] = ()
    numbers: tuple[tuple[str, str, list[float | None]], ...] = ()

    @property
    def all_panels(self) -> tuple[Panel, ...]:
        return self.panels + self.more

    @property
    def systems(self) -> tuple[str, ...]:
        """What the legend names."""
        return tuple(dict.fromkeys(system for panel in self.all_panels for system in panel.systems))

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """What lines that are no system's are, and their dashes."""
        return notes_of(self.all_panels)


def by_corpus(make: Callable[[str, list[Run], dict[str, Style]], Plot]) -> Callable[..., list[Plot]]:
    """Of each corpus of the results, if there is anything: from its name, its runs and the look of systems."""

    @wraps(make)
    def plots(results: Results, look: dict[str, Style]) -> list[Plot]:
        return [plot for one in results.corpora if (plot := make(one, results.of(one), look)).all_panels]

    return plots


@by_corpus
def learning_curves(corpus: str, runs: list[Run], look: dict[str, Style]) -> Plot:
    """Training loss and dev perplexity over updates; a system that trains nothing of its own has no curve."""
    level = next((value for run in runs if (value := (run.scores or {}).get("unigram_dev_perplexity"))), None)
    title, options = "training loss, label-smoothed", {"unit": "perplexity", "logarithmic": True, "level": level}
    loss = _curve_panel(f"loss-{corpus}", title, runs, ("train", "loss"), look, unit="nats a token")
    dev = _curve_panel(f"dev-{corpus}", "dev perplexity", runs, ("dev", "perplexity"), look, **options)
    return Plot(corpus, (*loss, *dev))


@by_corpus
def inside_curves(corpus: str, runs: list[Run], look: dict[str, Style]) -> Plot:
    """Over training, on the dev set: the divergence of latent variables, and the entropy of attention by its kind.

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
    usual, others = (chain.from_iterable(map(entropy, one)) for one in (ATTENTION, sorted(kinds - ATTENTION.keys())))
    return Plot(corpus, (*kl, *usual), tuple(others))


def _curve_panel(
    identifier: str, title: str, runs: list[Run], what: tuple[str, str], look: dict[str, Style], **options: Any
) -> tuple[Panel, ...]:
    """A panel of what trainings tell, none where they do not; of systems that train something of their own."""
    trained = [run for run in runs if run.entry.trained == run.entry.folder]
    found = [curve for run in trained for curve in training_curves(run, *what)]
    return (curves(identifier, title, found, look, **options),) if found else ()


def training_curves(run: Run, kind: str, key: str) -> Iterator[Curve]:
    """What a training tells over its updates, if it does; `kind`: train or dev. Of attention of a model that attends to
    the document and to the own sentence, two curves."""
    for scope, dotted in (("", ""), (GLOBAL, ""), (GROUP, TO_CURRENT_SENTENCE)):
        rows = [row for row in run.curve if row.get("kind") == kind and row.get(key + scope) is not None]
        if rows:
            values = [row[key + scope] for row in rows]
            yield Curve(run.entry.system.name, [row["update"] for row in rows], values, dotted)


@by_corpus
def accuracy_by_distance(corpus: str, runs: list[Run], look: dict[str, Style]) -> Plot:
    """A panel a contrastive set, a line a system (the mean over seeds), chance dashed."""
    runs = [run for run in runs if (run.scores or {}).get("contrastive")]
    distances = sorted(
        {int(d) for run in runs for one in run.scores["contrastive"].values() for d in one["by_distance"]}
    )
    steps = tuple(str(distance) if distance else "not stated" for distance in distances)
    panels, numbers = [], []
    for name in dict.fromkeys(name for run in runs for name in run.scores["contrastive"]):
        chance = [_chance(runs, name, distance) for distance in distances]
        lines = _lines(runs, [f"accuracy:{name}@{distance}" for distance in distances])
        identifier = f"accuracy-{corpus}-{len(panels)}"
        options = {"axis": "distance in sentences", "unit": "accuracy, %", "chance": chance}
        panels.append(_by_step(identifier, name, steps, lines, look, **options))
        numbers += [(name, line, values) for line, values in [*lines, ("chance", chance)]]
    return Plot(corpus, tuple(panels), steps=steps, numbers=tuple(numbers))


def _chance(runs: list[Run], name: str, distance: int) -> float | None:
    sets = (run.scores["contrastive"].get(name, {}).get("by_distance", {}) for run in runs)
    return next((100 * one[str(distance)]["chance"] for one in sets if str(distance) in one), None)


@by_corpus
def bleu_by_position(corpus: str, runs: list[Run], look: dict[str, Style]) -> Plot:
    """s-BLEU of each position j at which windows translate a sentence."""
    runs = [run for run in runs if (run.scores or {}).get("positions")]
    if not runs:
        return Plot(corpus, ())
    last = max(int(name.removeprefix("j")) for run in runs for name in run.scores["positions"])
    steps = tuple(str(j) for j in range(1, last + 1))
    lines = _lines(runs, [f"s-BLEU@j{step}" for step in steps])
    options = {"axis": POSITION, "unit": "s-BLEU"}
    panel = _by_step(f"positions-{corpus}", "s-BLEU by position", steps, lines, look, **options)
    return Plot(corpus, (panel,), steps=steps, numbers=tuple(("s-BLEU", *line) for line in lines))


def _lines(runs: list[Run], metrics: list[str]) -> list[SystemValues]:
    """Of each system the means over seeds."""
    own = {run.entry.system.name: [] for run in runs}
    for run in runs:
        own[run.entry.system.name].append(run)
    names = [parse_metric(metric) for metric in metrics]
    return [(system, [over_seeds(members, name, "").measured for name in names]) for system, members in own.items()]


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
) -> Panel:
    """Lines over named steps (distances, positions), evenly spaced; `chance`, of percentages, at each of them."""

    def paint(axes: Axes) -> None:
        if chance is not None:
            axes.plot(range(len(steps)), [math.nan if level is None else level for level in chance], **LEVEL)
        for number, (system, values) in enumerate(lines):
            # Systems often coincide at 100 %: a little to the side, all of them are seen.
            aside = 0.05 * (number - (len(lines) - 1) / 2)
            there = [(step + aside, value) for step, value in enumerate(values) if value is not None]
            axes.plot([x for x, _ in there], [value for _, value in there], **look[system].marked)
        axes.set_xticks(range(len(steps)), steps)
        axes.set_xlim(-0.4, len(steps) - 0.6)
        label_axes(axes, axis, unit)
        if chance is not None:
            axes.set_ylim(-3, 104)

    notes = (("chance", LEVEL_DASH),) if chance is not None else ()
    return Panel(title, draw(identifier, title, paint), tuple(system for system, _ in lines), notes)
