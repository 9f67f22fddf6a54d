"""Accuracy on contrastive sets: does the model give the right translation more probability than every wrong one?

What is compared is a setting (`ContrastiveConfig`), by default the *sum* of the log-probabilities of the last sentence,
which is what Voita et al. (2019) judge by. Variants of an item have their context in common, so that the sum over the
whole target gives the same ranks; means of tokens rank variants of different lengths differently.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from operator import attrgetter
from pathlib import Path

import numpy as np
import pyarrow as pa

from docmt.base.columns import CONTRASTIVE_SCORES, read_arrow
from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.scoring.measured import ScoringJob, ScoringResult
from docmt.scoring.tallies import Tally
from docmt.settings.metrics import is_of_set
from docmt.settings.scoring import ContrastiveConfig


def contrastive_signature(config: ContrastiveConfig) -> str:
    return f"contrastive|score:{config.score}|unit:{config.unit}|ties:wrong|v:2"


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


def read_judgements(path: Path, config: ContrastiveConfig) -> list[Judgement]:
    """Judge every item of a `contrastive.arrow`; see `judged`."""
    return judge_items(read_arrow(path, CONTRASTIVE_SCORES), config, str(path))


def judge_items(scores: pa.Table, config: ContrastiveConfig, where: str) -> list[Judgement]:
    """Judge every item of CONTRASTIVE_SCORES.

    Raises UserError for a score that is no finite number, an item of one variant, or one without exactly one
    right variant.
    """
    items = defaultdict(list)
    for row in scores.to_pylist():
        items[row["set"], row["item"]].append(row)
    judgements = []
    for (name, item), rows in items.items():
        place = f"{where}, set {name!r}, item {item}"
        correct = _correct_variant(rows, place)
        right, tie = judge([_score(row, config, place) for row in rows], correct)
        judgements.append(Judgement(name, rows[0]["distance"], len(rows), right, tie))
    return judgements


def _correct_variant(rows: Sequence[dict], where: str) -> int:
    correct = [number for number, row in enumerate(rows) if row["correct"]]
    if len(correct) != 1 or len(rows) < 2:
        found = f"{len(rows)} variants, {len(correct)} of them right"
        raise UserError("not a contrastive item", where=where, found=found, expected="2 or more variants, 1 right")
    return correct[0]


def _score(row: dict, config: ContrastiveConfig, where: str) -> float:
    """What a row of CONTRASTIVE_SCORES is judged by."""
    parts = ("", "context_") if config.unit == "target" else ("",)
    scores, outputs = ([row[f"{part}{name}"] for part in parts] for name in ("score", "outputs"))
    if any(score is None or not math.isfinite(score) for score in scores):
        raise UserError("not a score", where=where, found=scores[0], expected="a finite log-probability")
    return sum(scores) if config.score == "sum" else sum(scores) / sum(outputs)


def accuracies(judgements: Iterable[Judgement]) -> dict:
    """`{set: {accuracy, items, variants, right, ties, chance, by_distance: {distance: the same}}}`, in the order given.

    Accuracy and chance are fractions from 0 to 1; chance is what guessing evenly among the variants would give.
    `variants`: of all items together, the rows that were scored.
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


def group_with_totals(judgements: Sequence[Judgement]) -> dict[str, list[Judgement]]:
    """The items of every set, of what several sets are parts of (`anaphora/f.sg`: `anaphora`), and of all."""
    names = dict.fromkeys(judgement.set for judgement in judgements)
    wholes = dict.fromkeys(whole for name in names for whole in accumulate(name.split("/"), "{}/{}".format))
    found = {whole: [one for one in judgements if is_of_set(one.set, whole)] for whole in wholes}
    kept = {whole: one for whole, one in found.items() if whole in names or len({item.set for item in one}) > 1}
    return kept if len(names) < 2 else {**kept, "all": [*judgements]}


def _accuracy(judgements: list[Judgement]) -> dict:
    items = len(judgements)
    right = sum(judgement.right for judgement in judgements)
    return {
        "accuracy": right / items,
        "items": items,
        "variants": sum(judgement.variants for judgement in judgements),
        "right": right,
        "ties": sum(judgement.tie for judgement in judgements),
        "chance": sum(1 / judgement.variants for judgement in judgements) / items,
    }


def accuracy_tallies(judgements: Sequence[Judgement]) -> list[Tally]:
    """(1 if right, 1) of each item, by set and distance."""
    group = attrgetter("set", "distance")
    tallies = []
    for (name, distance), members in groupby(sorted(judgements, key=group), group):
        counts = np.array([[judgement.right, 1] for judgement in members], dtype=float)
        names = tuple(f"{distance}/{number}" for number in range(len(counts)))
        tallies.append(Tally("accuracy", "percent", "items", names, counts, name, distance))
    return tallies


def score(job: ScoringJob) -> ScoringResult:
    """Accuracies, where the corpus has contrastive sets."""
    if job.settings["contrastive"] is None:
        return ScoringResult()
    config = parse(ContrastiveConfig, job.settings["contrastive"], "settings.json", ("contrastive",))
    judgements = read_judgements(job.inputs.translations / config.file, config)
    scores = {"contrastive": accuracies(judgements), "contrastive_signature": contrastive_signature(config)}
    return ScoringResult(scores, accuracy_tallies(judgements))
