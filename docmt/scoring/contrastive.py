"""Accuracy on contrastive sets: how often the right translation is more probable than all wrong translations.

The settings `ContrastiveConfig` choose the score of a variant. The default is the sum of the log-probabilities of the
last sentence, as in Voita et al. (2019). The sum over the whole target ranks variants in the same order, since the
variants of an item have the same context; a mean over tokens may rank variants of different lengths in another order.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np
import pyarrow as pa

from docmt.base.columns import CONTRASTIVE_SCORES
from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.base.scores import Score
from docmt.base.tables import read_arrow
from docmt.scoring.intervals import scores_of
from docmt.scoring.measured import ScoringJob, ScoringResult
from docmt.scoring.tallies import Tally, select
from docmt.settings.metrics import parse_metric
from docmt.settings.scoring import ContrastiveConfig


def contrastive_signature(config: ContrastiveConfig) -> str:
    """Return the signature of accuracy: the score of a variant, the unit of this score, and the treatment of ties."""
    return f"contrastive|score:{config.score}|unit:{config.unit}|ties:wrong|v:2"


@dataclass(frozen=True)
class Judgement:
    """The judgement of an item of the contrastive set `set`."""

    set: str
    distance: int  # from the deciding sentence to the judged one; 0 where it is not stated, or the judged one decides
    variants: int  # the number of variants of the item
    right: bool  # whether the right variant has the best score
    tie: bool  # whether the right variant shares the best score


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
    # The columns `context_score` and `context_outputs` describe the sentences before the judged sentence.
    parts = ("", "context_") if config.unit == "target" else ("",)
    scores, outputs = ([row[f"{part}{name}"] for part in parts] for name in ("score", "outputs"))
    if any(score is None or not math.isfinite(score) for score in scores):
        raise UserError("not a score", where=where, found=scores[0], expected="a finite log-probability")
    return sum(scores) if config.score == "sum" else sum(scores) / sum(outputs)


def accuracy_tallies(judgements: Sequence[Judgement], config: ContrastiveConfig) -> list[Tally]:
    """Return a tally for each set and distance; the row of a right item is (1, 1), the row of a wrong item (0, 1)."""
    by_group = defaultdict(list)
    for judgement in judgements:
        by_group[judgement.set, judgement.distance].append(judgement)
    tallies = []
    for (name, distance), members in sorted(by_group.items()):
        counts = np.array([(judgement.right, 1) for judgement in members], dtype=float)
        names = tuple(f"{distance}/{number}" for number in range(len(counts)))
        text, group = contrastive_signature(config), f":{name}@{distance}"
        tallies.append(Tally("accuracy", "percent", "items", names, counts, text, group, facts=_facts(members)))
    return tallies


def _facts(judgements: Sequence[Judgement]) -> dict[str, float]:
    return {
        "right": sum(judgement.right for judgement in judgements),
        "ties": sum(judgement.tie for judgement in judgements),
        "variants": sum(judgement.variants for judgement in judgements),
        # How many items random guesses among the variants get right.
        "by_chance": sum(1 / judgement.variants for judgement in judgements),
    }


def accuracy_scores(judgements: Sequence[Judgement], tallies: Sequence[Tally]) -> list[Score]:
    """Return the accuracy of all items, of each set, and of each whole whose parts are sets, all also by distance.

    The whole `anaphora` has the parts `anaphora/f.sg` and `anaphora/m.sg`. Sets are in the order of `judgements`.
    """
    sets = dict.fromkeys(judgement.set for judgement in judgements)
    wholes = dict.fromkeys(whole for name in sets for whole in accumulate(name.split("/"), "{}/{}".format))
    distances = sorted({judgement.distance for judgement in judgements})
    wanted = [
        f"accuracy{of_set}{of_distance}"
        for of_set in ("", *(f":{whole}" for whole in wholes))
        for of_distance in ("", *(f"@{distance}" for distance in distances))
    ]
    chosen = [select(tallies, parse_metric(name)) for name in wanted]
    return scores_of([tally for tally in chosen if tally is not None])


def score(job: ScoringJob) -> ScoringResult:
    """Return the accuracies of all contrastive sets; the result is empty where the corpus has none."""
    if job.settings["contrastive"] is None:
        return ScoringResult()
    config = parse(ContrastiveConfig, job.settings["contrastive"], "job.json", ("contrastive",))
    judgements = read_judgements(job.inputs.contrastive / "contrastive.arrow", config)
    tallies = accuracy_tallies(judgements, config)
    return ScoringResult(accuracy_scores(judgements, tallies), tallies)
