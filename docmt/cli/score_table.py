"""Scores of systems as the commands that score files print them: a row for each score, or JSON."""

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

import typer

from docmt.base.scores import DOCUMENT, Score
from docmt.base.screen import answer, show_table
from docmt.settings.metrics import METRICS

Systems = Mapping[str, Sequence[Score]]  # The scores of each system, by the label of its file.


def answer_scores(
    as_json: bool, systems: Systems, facts: Sequence[str] = (), more: Sequence[Mapping[str, Any]] = ()
) -> None:
    """Print scores with their signatures, or as JSON.

    `facts` are those that have columns. `more` has, for each score, what JSON has beside it.
    """
    rows = [{"system": system, **row_of(score)} for system, scores in systems.items() for score in scores]
    records = [{**row, **beside} for row, beside in zip(rows, more or [{}] * len(rows), strict=True)]
    answer(as_json, records, lambda: (show_scores(systems, facts), show_signatures(systems)))


def row_of(score: Score) -> dict[str, Any]:
    """Return a score as an object of JSON; a score of nothing is null."""
    return {**vars(score), "value": None if isnan(score.value) else score.value}


def show_scores(systems: Systems, facts: Sequence[str]) -> None:
    """Print a row for each score of the whole test set or a group of it, and a table of the documents' scores."""
    rows = [
        (system, score.name, value_text(score), interval_text(score), str(score.n), *_facts(score, facts))
        for system, scores in systems.items()
        for score in scores
        if not score.group.startswith(DOCUMENT)
    ]
    columns = ("system", "metric", "score", "95 %", "n", *(name.replace("_", " ") for name in facts))
    show_table(columns, rows, numbers=columns[2:])
    for system, scores in systems.items():
        of_documents = [score for score in scores if score.group.startswith(DOCUMENT)]
        if of_documents:
            typer.echo(f"\n{system}")
            show_documents(of_documents)


def _facts(score: Score, names: Sequence[str]) -> list[str]:
    return [f"{score.facts[name]:.6g}" if name in score.facts else "-" for name in names]


def show_documents(scores: Sequence[Score]) -> None:
    """Print a row for each document, with a column for each metric."""
    metrics = list(dict.fromkeys(score.metric for score in scores))
    cells: dict[str, dict[str, str]] = {}
    for score in scores:
        row = cells.setdefault(score.group.removeprefix(DOCUMENT), {"sentences": str(score.n)})
        row[score.metric] = value_text(score)
    columns = ("document", "sentences", *metrics)
    rows = [(name, *(row.get(column, "-") for column in columns[1:])) for name, row in cells.items()]
    show_table(columns, rows, numbers=columns[1:])


def show_signatures(systems: Systems) -> None:
    """Print each signature once, and those of the intervals."""
    scores = [score for scores in systems.values() for score in scores]
    texts = {f"signature of {score.metric}: {score.signature}": None for score in scores}
    intervals = {f"95 % intervals: {score.interval}": None for score in scores if score.interval}
    typer.echo("\n" + "\n".join([*texts, *intervals]))


def value_text(score: Score) -> str:
    """Return the value with the decimals of its metric; `-` where there is nothing to score."""
    return "-" if isnan(score.value) else f"{score.value:.{METRICS[score.metric].decimals}f}"


def interval_text(score: Any, form: str = "") -> str:
    """Return the interval of a score or a comparison, or `-` where a test set of a single unit has none."""
    if score.low is None:
        return "-"
    form = form or f".{METRICS[score.metric].decimals}f"
    return f"{score.low:{form}} to {score.high:{form}}"
