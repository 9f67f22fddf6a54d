"""Accuracy on contrastive sets: how often the right translation is more probable than all wrong translations.

The settings `ContrastiveConfig` choose the score of a variant. The default is the sum of the log-probabilities of the
last sentence, as in Voita et al. (2019). The sum over the whole target ranks variants in the same order, since the
variants of an item have the same context; a mean over tokens may rank variants of different lengths in another order.
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

from docmt.base.columns import CONTRASTIVE_SCORES
from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.base.tables import read_arrow
from docmt.scoring.measured import ScoringJob, ScoringResult
from docmt.scoring.tallies import Tally
from docmt.settings.metrics import is_of_set
from docmt.settings.scoring import ContrastiveConfig


def contrastive_signature(config: ContrastiveConfig) -> str:
    """Return the signature of accuracy: the score of a variant, the unit of this score, and the treatment of ties."""
    return f"contrastive|score:{config.score}|unit:{config.unit}|ties:wrong|v:2"


@dataclass(frozen=True)
class Judgement:
    """The judgement of an item of the contrastive set `set`.

    `right` says whether the right variant has the best score, and `tie` whether it shares the best score. `variants` is
    the number of variants of the item. `distance` is the number of sentences from the deciding sentence to the judged
    sentence; it is 0 where the corpus does not state it, or where the judged sentence itself decides.
    """

    set: str
    distance: int
    variants: int
    right: bool
    tie: bool


def judge(scores: list[float], correct: int) -> tuple[bool, bool]:
    """Return (right, tie) for the scores of the variants of an item; `correct` is the index of the right variant.

    The item is right where the score of the right variant is above all other scores. It is a tie, which counts as
    wrong, where this score equals the best of the other scores.

    Departs: where scores are equal, the script of Voita et al. (2019) chooses the first variant. In their files the
    first variant is always the right one, so a model that gives all variants the same score would always be right.
    """
    best_other = max(score for variant, score in enumerate(scores) if variant != correct)
    return scores[correct] > best_other, scores[correct] == best_other


def read_judgements(path: Path, config: ContrastiveConfig) -> list[Judgement]:
    """Read a file `contrastive.arrow` and judge its items; raises UserError as `judge_items` does."""
    return judge_items(read_arrow(path, CONTRASTIVE_SCORES), config, str(path))


def judge_items(scores: pa.Table, config: ContrastiveConfig, where: str) -> list[Judgement]:
    """Judge the items of a table with the columns CONTRASTIVE_SCORES.

    `where` names the table in messages. Raises UserError for a score that is not a finite number, for an item with a
    single variant, and for an item that does not have exactly one right variant.
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
        raise UserError(
            "not a contrastive item",
            where=where,
            found=f"{len(rows)} variants, {len(correct)} of them right",
            expected="2 or more variants, 1 right",
        )
    return correct[0]


def _score(row: dict, config: ContrastiveConfig, where: str) -> float:
    """Return the score of a variant, a row of CONTRASTIVE_SCORES, by the settings `score` and `unit`."""
    # The columns `context_score` and `context_outputs` describe the sentences before the judged sentence.
    parts = ("", "context_") if config.unit == "target" else ("",)
    scores, outputs = ([row[f"{part}{name}"] for part in parts] for name in ("score", "outputs"))
    if any(score is None or not math.isfinite(score) for score in scores):
        raise UserError("not a score", where=where, found=scores[0], expected="a finite log-probability")
    return sum(scores) if config.score == "sum" else sum(scores) / sum(outputs)


def accuracies(judgements: Iterable[Judgement]) -> dict:
    """Return the accuracy of each contrastive set, in the order in which the sets first occur in `judgements`.

    The result is `{set: {accuracy, items, variants, right, ties, chance, by_distance: {distance: {...}}}}`, where
    `by_distance` has the same numbers for the items of each distance. Accuracy and chance are fractions from 0 to 1;
    chance is the expected accuracy of random guesses among the variants. `variants` is the number of variants of all
    items together.
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
    """Return groups of judgements: one for each set, one for each joined set, and `all` for all judgements.

    A joined set consists of at least two sets: `anaphora` joins `anaphora/f.sg` and `anaphora/m.sg`. The group `all` is
    left out where there is a single set.
    """
    names = dict.fromkeys(judgement.set for judgement in judgements)
    wholes = dict.fromkeys(whole for name in names for whole in accumulate(name.split("/"), "{}/{}".format))
    members = {whole: [judgement for judgement in judgements if is_of_set(judgement.set, whole)] for whole in wholes}
    groups = {
        whole: judgements_of_whole
        for whole, judgements_of_whole in members.items()
        if whole in names or len({judgement.set for judgement in judgements_of_whole}) > 1
    }
    return groups if len(names) < 2 else {**groups, "all": [*judgements]}


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
    """Return a tally for each set and distance; the row of a right item is (1, 1), the row of a wrong item (0, 1)."""
    group = attrgetter("set", "distance")
    tallies = []
    for (name, distance), members in groupby(sorted(judgements, key=group), group):
        counts = np.array([[judgement.right, 1] for judgement in members], dtype=float)
        names = tuple(f"{distance}/{number}" for number in range(len(counts)))
        tallies.append(Tally("accuracy", "percent", "items", names, counts, name, distance))
    return tallies


def score(job: ScoringJob) -> ScoringResult:
    """Return the accuracies of all contrastive sets; the result is empty where the corpus has none."""
    if job.settings["contrastive"] is None:
        return ScoringResult()
    config = parse(ContrastiveConfig, job.settings["contrastive"], "job.json", ("contrastive",))
    judgements = read_judgements(job.inputs.contrastive / "contrastive.arrow", config)
    scores = {"contrastive": accuracies(judgements), "contrastive_signature": contrastive_signature(config)}
    return ScoringResult(scores, accuracy_tallies(judgements))
