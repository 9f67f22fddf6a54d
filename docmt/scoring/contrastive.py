"""Accuracy on contrastive sets: does the model give the right translation more probability than every wrong one?

The score of a variant is the *sum* of the log-probabilities of its last sentence. Means a token rank variants of
different lengths differently and are not what the sets' authors use (Voita et al. 2019).
"""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from docmt.core.documents import CONTRASTIVE_SCORES, read_arrow
from docmt.core.errors import UserError

SIGNATURE = "contrastive|score:sum|unit:last|ties:wrong|v:1"


@dataclass(frozen=True)
class Judgement:
    """One item: whether the right variant beat all others, or shared the best score with one."""

    set: str
    distance: int
    variants: int
    right: bool
    tie: bool


def judge(scores: list[float], correct: int) -> tuple[bool, bool]:
    """(right, tie). Right is strictly above every other; a tie for the best score is wrong, and counted.

    Departs: the authors' script takes the first of equal scores, and the right variant always stands first, so
    that a model which scores everything alike would be always right.
    """
    best_other = max(score for variant, score in enumerate(scores) if variant != correct)
    return scores[correct] > best_other, scores[correct] == best_other


def read_judgements(path: Path) -> list[Judgement]:
    """Judge every item of a `contrastive.arrow`.

    Raises UserError for a score that is no finite number, an item of one variant, or one without exactly one
    right variant.
    """
    items = defaultdict(list)
    for row in read_arrow(path, CONTRASTIVE_SCORES).to_pylist():
        items[row["set"], row["item"]].append(row)
    judgements = []
    for (name, item), rows in items.items():
        where = f"{path}, set {name!r}, item {item}"
        correct = _correct_variant(rows, where)
        right, tie = judge([row["score"] for row in rows], correct)
        judgements.append(Judgement(name, rows[0]["distance"], len(rows), right, tie))
    return judgements


def _correct_variant(rows: list[dict], where: str) -> int:
    correct = [number for number, row in enumerate(rows) if row["correct"]]
    if len(correct) != 1 or len(rows) < 2:
        found = f"{len(rows)} variants, {len(correct)} of them right"
        raise UserError("not a contrastive item", where=where, found=found, expected="2 or more variants, 1 right")
    for row in rows:
        if row["score"] is None or not math.isfinite(row["score"]):
            raise UserError("not a score", where=where, found=row["score"], expected="a finite log-probability")
    return correct[0]


def accuracies(judgements: Iterable[Judgement]) -> dict:
    """`{set: {accuracy, items, right, ties, chance, by_distance: {distance: the same}}}`, sets in the order given.

    Accuracy and chance are fractions from 0 to 1; chance is what guessing evenly among the variants would give.
    """
    sets = defaultdict(list)
    for judgement in judgements:
        sets[judgement.set].append(judgement)
    result = {}
    for name, members in sets.items():
        distances = sorted({judgement.distance for judgement in members})
        by_distance = {str(d): _accuracy([j for j in members if j.distance == d]) for d in distances}
        result[name] = {**_accuracy(members), "by_distance": by_distance}
    return result


def _accuracy(judgements: list[Judgement]) -> dict:
    items = len(judgements)
    right = sum(judgement.right for judgement in judgements)
    return {
        "accuracy": right / items,
        "items": items,
        "right": right,
        "ties": sum(judgement.tie for judgement in judgements),
        "chance": sum(1 / judgement.variants for judgement in judgements) / items,
    }
