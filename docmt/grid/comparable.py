"""The reasons, known before a run, why a number of ours is not comparable with the published number beside it.

A study states how its paper measures (`measured_as`). A number that is measured otherwise, on generated text, or with a
small random model in place of a pretrained one, gets a mark in place of its difference from the published number.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

from docmt.grid.grid import Grid
from docmt.grid.scored import CorpusScoring, scoring_of
from docmt.reporting.item import Item
from docmt.reporting.study import MeasuredAs
from docmt.settings.metrics import base_of
from docmt.settings.pretrained import is_random_checkpoint, random_model
from docmt.settings.scoring import BY_LANGUAGE

# The reasons of a corpus by the base of a metric's name; those of all its numbers have an empty name.
Reasons = dict[str, list[str]]


def not_comparable(grid: Grid, study: str, corpora: Iterable[str]) -> dict[str, Reasons]:
    """Return the reasons for the numbers of a study by corpus, and then by metric."""
    by_corpus = {corpus: _of_corpus(grid, study, corpus) for corpus in corpora}
    return {corpus: reasons for corpus, reasons in by_corpus.items() if reasons}


def reasons_of_item(grid: Grid, study: str, item: Item) -> dict[str, list[str]]:
    """Return the metrics and counts of an item that stand beside published numbers, by the reason against comparing.

    A metric that is not computed, since a file is missing, has no reason.
    """
    metrics: dict[str, dict[str, None]] = {}
    for metric, reason in item.not_comparable.items():
        metrics.setdefault(reason, {})[metric] = None
    places = dict.fromkeys(item.beside_published(grid.studies[study].corpora))
    known = not_comparable(grid, study, {corpus for corpus, *_ in places})
    for corpus, system, metric in places:
        of_corpus = [*known.get(corpus, {}).get("", ()), *known.get(corpus, {}).get(base_of(metric), ())]
        for reason in [*of_corpus, *_start(grid, study, corpus, system)]:
            metrics.setdefault(reason, {})[metric] = None
    return {reason: list(names) for reason, names in metrics.items()}


def _start(grid: Grid, study: str, corpus: str, system: str | None) -> Iterator[str]:
    """Yield the reason for a system whose training starts from a small random model."""
    starts = grid.starts(grid.named(study, corpus, system)) if system else []
    for folder in (start.pretrained for start in starts):
        if is_random_checkpoint(folder):
            yield random_model(_stands_for(grid, folder))


def _of_corpus(grid: Grid, study: str, corpus: str) -> Reasons:
    by_metric: Reasons = {}
    if grid.fixtures is not None and grid.corpora[corpus].files:
        by_metric[""] = [f"the text is generated (scale {grid.scale})"]
    scoring = scoring_of(grid, study, corpus)
    for metric, statements in grid.studies[study].measured_as.items():
        reasons = [reason for statement in statements for reason in _differences(grid, scoring, corpus, statement)]
        if reasons:
            by_metric[metric] = list(dict.fromkeys(reasons))
    return by_metric


def _differences(grid: Grid, scoring: CorpusScoring, corpus: str, statement: MeasuredAs) -> Iterator[str]:
    actual = dataclasses.asdict(scoring.config) | {"consistency": dataclasses.asdict(scoring.consistency)}
    for part, stated in statement.scoring.items():
        if part in scoring.missing:
            continue
        kinds = [values.get("kind") for values in (actual[part], stated)]
        is_other_kind = "kind" in stated and kinds[0] != kinds[1]
        for name, value in stated.items():
            if name == "kind" or not is_other_kind:
                yield from _difference(grid, corpus, (part, name), actual[part][name], value, statement.paper)


def _difference(grid: Grid, corpus: str, path: tuple[str, str], ours: Any, paper: Any, place: str) -> Iterator[str]:
    """Yield the reason for a setting that is not as a paper states it at `place`; of a mapping, that of the corpus."""
    if isinstance(paper, Mapping):
        side = BY_LANGUAGE[path[1]]
        language = getattr(grid.corpora[corpus], f"{side}_language")
        if language not in paper:
            return
        ours, paper = ours.get(language), paper[language]
    if isinstance(ours, str) and is_random_checkpoint(ours):
        yield random_model(_stands_for(grid, ours))
    elif _name(ours) != _name(paper):
        yield f"{'.'.join(path)} is {_name(ours)}; the paper: {_name(paper)} ({place})"


def _name(value: Any) -> Any:
    return PurePath(value).name if isinstance(value, str) else value


def _stands_for(grid: Grid, folder: str) -> str:
    """Return the name of the pretrained model that a random one replaces."""
    return PurePath(grid.checkpoints[PurePath(folder).name].stands_for).name
