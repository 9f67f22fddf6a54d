"""The scores of a run, as the step scores leaves them: made-up ones, and those that are there, by name."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docmt.base.artifacts import write_json
from docmt.base.scores import FIELDS, Score, read_scores, table_of
from docmt.base.tables import write_parquet
from docmt.settings.metrics import base_of

Numbers = Mapping[str, float | tuple[float, float, float]]
"""Scores by name: a number, or a number with the two ends of its interval."""


def write_scores(folder: Path, scores: Numbers, reference: Numbers | None = None, **facts: Any) -> None:
    """Write scores of translations and of the reference, over four units, of which chance gets two right."""
    texts = {"translations": scores, "reference": reference or {}}
    rows = [_row(name, number, text=text) for text, of in texts.items() for name, number in of.items()]
    write_parquet(folder / "scores.parquet", table_of(rows))
    write_json(folder / "scoring.json", {"decoding": {"lines": "sentences"}, **facts})


def _row(name: str, number: float | tuple[float, float, float], **more: Any) -> Score:
    metric, ends = base_of(name), {}
    if isinstance(number, tuple):
        number, low, high = number
        ends = {"low": low, "high": high, "interval": f"bootstrap|{metric}"}
    more |= {"n": 4, "facts": {"by_chance": 2.0}, **ends}
    return Score(metric, name.removeprefix(metric), number, f"{metric}|v:1", **more)


def scores_in(folder: Path) -> dict[str, Score]:
    """The scores of the translations, by name."""
    return {score.name: score for score in read_scores(folder / "scores.parquet") if score.text == "translations"}


def printed_scores(text: str) -> list[Score]:
    """The scores of one system that a command has printed with --json."""
    return [Score(**{name: row[name] for name in FIELDS}) for row in json.loads(text)]
