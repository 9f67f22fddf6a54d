"""Which figures a study has, made from its runs: over training, by distance, by position."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import fmean

from docmt.reporting.figures import Curve, Panel, Style, by_step, curves
from docmt.reporting.results import Results, Run
from docmt.settings.metrics import parse_metric

ENTROPY, GROUP, GLOBAL = "entropy.", ".group", ".global"
"""How keys that trainings write begin; how they end where a model attends both to its own sentence and its document."""

KINDS = {"cross": "cross-attention", "encoder_self": "encoder self-attention", "decoder_self": "decoder self-attention"}
"""Attention that all architectures have."""

OWN_SENTENCE = "to the own sentence, where the model also attends to the document"


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
        return tuple(dict.fromkeys(note for panel in self.all_panels for note in panel.notes))


def learning_curves(results: Results, look: dict[str, Style]) -> list[Plot]:
    """Training loss and dev perplexity over updates; a system that trains nothing of its own has no curve."""
    return [plot for corpus in results.corpora if (plot := _learning(results, corpus, look)).panels]


def _learning(results: Results, corpus: str, look: dict[str, Style]) -> Plot:
    trained = [run for run in results.of(corpus) if run.entry.trained == run.entry.folder]
    levels = [value for run in results.of(corpus) if (value := (run.scores or {}).get("unigram_dev_perplexity"))]
    panels = []
    if loss := [curve for run in trained if (curve := _curve(run, "train", "loss")).x]:
        panels.append(curves(f"loss-{corpus}", "training loss, label-smoothed", loss, look, unit="nats a token"))
    if dev := [curve for run in trained if (curve := _curve(run, "dev", "perplexity")).x]:
        level = levels[0] if levels else None
        options = {"unit": "perplexity", "logarithmic": True, "level": level}
        panels.append(curves(f"dev-{corpus}", "dev perplexity", dev, look, **options))
    return Plot(corpus, tuple(panels))


def inside_curves(results: Results, look: dict[str, Style]) -> list[Plot]:
    """Over training, on the dev set: the divergence of latent variables, and the entropy of attention by its kind.

    Papers: lexical chains, Figure 7 (nats a chain); G-Transformer, Figures 4, 5 and 8 (bits).
    """
    return [plot for corpus in results.corpora if (plot := _inside(results, corpus, look)).all_panels]


def _inside(results: Results, corpus: str, look: dict[str, Style]) -> Plot:
    trained = [run for run in results.of(corpus) if run.entry.trained == run.entry.folder]
    keys = {key for run in trained for row in run.curve if row.get("kind") == "dev" for key in row}
    kinds = {_kind(key) for key in keys if key.startswith(ENTROPY)}
    panels, more = [], []
    if kl := [curve for run in trained if (curve := _curve(run, "dev", "kl")).x]:
        title = "KL divergence of latent variables"
        panels.append(curves(f"kl-{corpus}", title, kl, look, unit="nats a chain", from_zero=True))
    for kind in [*KINDS, *sorted(kinds - KINDS.keys())]:
        title = f"entropy of {KINDS.get(kind, kind.replace('.', ' '))}"
        if drawn := [curve for run in trained for curve in _entropies(run, kind)]:
            panel = curves(f"entropy-{corpus}-{kind}", title, drawn, look, unit="bits", from_zero=True)
            (panels if kind in KINDS else more).append(panel)
    return Plot(corpus, tuple(panels), tuple(more))


def _kind(key: str) -> str:
    return key.removeprefix(ENTROPY).removesuffix(GROUP).removesuffix(GLOBAL)


def _entropies(run: Run, kind: str) -> list[Curve]:
    """Of a model one line or two, of attention to the document and to the own sentence."""
    found = [_curve(run, "dev", ENTROPY + kind + scope) for scope in ("", GLOBAL)]
    found.append(replace(_curve(run, "dev", ENTROPY + kind + GROUP), dotted=OWN_SENTENCE))
    return [curve for curve in found if curve.x]


def _curve(run: Run, kind: str, key: str) -> Curve:
    rows = [row for row in run.curve if row.get("kind") == kind and row.get(key) is not None]
    return Curve(run.entry.system.name, [row["update"] for row in rows], [row[key] for row in rows])


def accuracy_by_distance(results: Results, look: dict[str, Style]) -> list[Plot]:
    """A panel a contrastive set, a line a system (the mean over seeds), chance dashed."""
    return [plot for corpus in results.corpora if (plot := _accuracy(results, corpus, look)).panels]


def _accuracy(results: Results, corpus: str, look: dict[str, Style]) -> Plot:
    runs = [run for run in results.of(corpus) if (run.scores or {}).get("contrastive")]
    distances = sorted(
        {int(d) for run in runs for one in run.scores["contrastive"].values() for d in one["by_distance"]}
    )
    steps = tuple(str(distance) if distance else "not stated" for distance in distances)
    panels, numbers = [], []
    for name in dict.fromkeys(name for run in runs for name in run.scores["contrastive"]):
        chance = [_chance(runs, name, distance) for distance in distances]
        lines = [
            (system, [_mean(members, f"accuracy:{name}@{distance}") for distance in distances])
            for system, members in _by_system(runs)
        ]
        identifier = f"accuracy-{corpus}-{len(panels)}"
        options = {"axis": "distance in sentences", "unit": "accuracy, %", "chance": chance, "limits": (-3, 104)}
        panels.append(by_step(identifier, name, steps, [_points(*line) for line in lines], look, **options))
        numbers += [(name, line, values) for line, values in [*lines, ("chance", chance)]]
    return Plot(corpus, tuple(panels), steps=steps, numbers=tuple(numbers))


def _chance(runs: list[Run], name: str, distance: int) -> float | None:
    sets = (run.scores["contrastive"].get(name, {}).get("by_distance", {}) for run in runs)
    return next((100 * one[str(distance)]["chance"] for one in sets if str(distance) in one), None)


def bleu_by_position(results: Results, look: dict[str, Style]) -> list[Plot]:
    """s-BLEU of each position j at which windows translate a sentence."""
    return [plot for corpus in results.corpora if (plot := _positions(results, corpus, look)).panels]


def _positions(results: Results, corpus: str, look: dict[str, Style]) -> Plot:
    runs = [run for run in results.of(corpus) if (run.scores or {}).get("positions")]
    if not runs:
        return Plot(corpus, ())
    last = max(int(name.removeprefix("j")) for run in runs for name in run.scores["positions"])
    steps = tuple(str(j) for j in range(1, last + 1))
    lines = [(system, [_mean(members, f"s-BLEU@j{step}") for step in steps]) for system, members in _by_system(runs)]
    drawn = [_points(*line) for line in lines]
    options = {"axis": "position j in the window", "unit": "s-BLEU"}
    panel = by_step(f"positions-{corpus}", "s-BLEU by position", steps, drawn, look, **options)
    return Plot(corpus, (panel,), steps=steps, numbers=tuple(("s-BLEU", *line) for line in lines))


def _by_system(runs: list[Run]) -> Iterator[tuple[str, list[Run]]]:
    for system in dict.fromkeys(run.entry.system.name for run in runs):
        yield system, [run for run in runs if run.entry.system.name == system]


def _mean(runs: list[Run], metric: str) -> float | None:
    found = [measured.value for run in runs if (measured := parse_metric(metric).find(run.scores))]
    return fmean(found) if found else None


def _points(system: str, values: list[float | None]) -> Curve:
    there = [(step, value) for step, value in enumerate(values) if value is not None]
    return Curve(system, [step for step, _ in there], [value for _, value in there])
