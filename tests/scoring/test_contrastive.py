import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.base.columns import CONTRASTIVE_SCORES
from docmt.base.errors import UserError
from docmt.base.scores import Score
from docmt.base.tables import write_arrow
from docmt.scoring.contrastive import (
    Judgement,
    accuracy_scores,
    accuracy_tallies,
    contrastive_signature,
    judge,
    judge_items,
    read_judgements,
)
from docmt.scoring.tallies import select
from docmt.settings.metrics import parse_metric
from docmt.settings.scoring import ContrastiveConfig

BY_SUM = ContrastiveConfig()


def row(variant: int, score: float, *, correct: bool, name: str = "pronoun", item: int = 0, distance: int = 1) -> dict:
    place = {"set": name, "item": item, "distance": distance}
    scores = {"score": score, "outputs": 2, "context_score": -10.0, "context_outputs": 8}
    return {**place, "variant": variant, "correct": correct, **scores}


def write(path, rows: list[dict]):
    write_arrow(path, pa.Table.from_pylist(rows, schema=CONTRASTIVE_SCORES))
    return path


@given(st.lists(st.sampled_from([-3.0, -2.0, -1.0]), min_size=2, max_size=6), st.data())
def test_judging_is_brute_force(scores, data):
    correct = data.draw(st.integers(0, len(scores) - 1))
    others = scores[:correct] + scores[correct + 1 :]
    right, tie = judge(scores, correct)
    assert right == all(scores[correct] > other for other in others)
    assert tie == (scores[correct] in others and scores[correct] == max(scores))


def right_by(rows: list[dict], score: str, unit: str) -> bool:
    (judgement,) = judge_items(
        pa.Table.from_pylist(rows, schema=CONTRASTIVE_SCORES), ContrastiveConfig(score, unit), "scores"
    )
    return judgement.right


def test_what_is_judged_by_is_a_setting():
    """-4 over 4 outputs beats -3 over 2 by the mean alone; with a context of a better mean, not even by that."""
    rows = [{**row(0, -4.0, correct=True), "outputs": 4}, row(1, -3.0, correct=False)]
    choices = {(score, unit): right_by(rows, score, unit) for score in ("sum", "mean") for unit in ("last", "target")}
    assert choices == {
        ("sum", "last"): False,
        ("sum", "target"): False,
        ("mean", "last"): True,  # -1 and -1.5
        ("mean", "target"): True,  # -14/12 and -13/10
    }
    rows = [{**variant, "context_score": -1.0} for variant in rows]
    assert not right_by(rows, "mean", "target")  # -5/12 and -4/10


def test_the_signature_says_what_is_judged_by():
    assert contrastive_signature(BY_SUM) == "contrastive|score:sum|unit:last|ties:wrong|v:2"
    mean = ContrastiveConfig("mean", "target")
    assert contrastive_signature(mean) == "contrastive|score:mean|unit:target|ties:wrong|v:2"


def scores_of(judgements: list[Judgement]) -> dict[str, Score]:
    scores = accuracy_scores(judgements, accuracy_tallies(judgements, BY_SUM))
    return {score.name.removeprefix("accuracy"): score for score in scores}


def test_a_set_of_several_parts_has_a_total():
    names = ["anaphora/f.sg", "anaphora/m.sg", "word", "pair/it", "anaphora/f.sg"]
    scores = scores_of([Judgement(name, 1, 2, right=True, tie=False) for name in names])
    sizes = {"": 5, ":anaphora": 3, ":anaphora/f.sg": 2, ":anaphora/m.sg": 1, ":word": 1, ":pair": 1, ":pair/it": 1}
    assert {name: score.n for name, score in scores.items() if "@" not in name} == sizes
    assert list(scores)[::2] == list(sizes), "sets are in the order of the items"


def test_systems_are_compared_by_a_set_with_its_parts():
    names = ["word", "words", "word/repeated", "word/repeated"]
    judgements = [Judgement(name, 1, 2, right=name == "word", tie=False) for name in names]
    tally = select(accuracy_tallies(judgements, BY_SUM), parse_metric("accuracy:word"))
    assert tally.names == (":word@1/1/0", ":word/repeated@1/1/0", ":word/repeated@1/1/1")
    assert tally.score == pytest.approx(100 / 3)


def test_accuracies_by_set_and_distance():
    judgements = [
        Judgement("p", 1, 2, right=True, tie=False),
        Judgement("p", 10, 4, right=False, tie=True),
        Judgement("p", 2, 2, right=False, tie=False),
        Judgement("p", 1, 2, right=True, tie=False),
        Judgement("w", 0, 5, right=True, tie=False),
    ]
    scores = {name: (score.value, score.n, score.facts) for name, score in scores_of(judgements).items()}
    assert list(scores) == ["", "@0", "@1", "@2", "@10", ":p", ":p@1", ":p@2", ":p@10", ":w", ":w@0"]
    facts = {"right": 2, "ties": 1, "variants": 10, "by_chance": pytest.approx(0.5 * 3 + 0.25)}
    assert scores[":p"] == (50, 4, facts)
    assert scores[":p@1"] == (100, 2, {"right": 2, "ties": 0, "variants": 4, "by_chance": 1})
    assert scores[":p@10"] == (0, 1, {"right": 0, "ties": 1, "variants": 4, "by_chance": 0.25})
    assert scores[""][:2] == (60, 5) and scores[":w"][2]["by_chance"] == 0.2


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf, None])
def test_a_score_that_is_no_number_is_refused(tmp_path, score):
    path = write(tmp_path / "c.arrow", [row(0, -1.0, correct=True), row(1, score, correct=False)])
    with pytest.raises(UserError, match=r"c.arrow, set 'pronoun', item 0: not a score\n.*a finite log-probability"):
        read_judgements(path, BY_SUM)


@pytest.mark.parametrize(
    ("right", "counts"),
    [([True], "1 variants, 1"), ([True, True], "2 variants, 2"), ([False, False], "2 variants, 0")],
)
def test_an_item_without_one_right_variant_among_several_is_refused(tmp_path, right, counts):
    path = write(tmp_path / "c.arrow", [row(n, -1.0, correct=correct) for n, correct in enumerate(right)])
    with pytest.raises(UserError, match=f"not a contrastive item\n  found {counts} of them right"):
        read_judgements(path, BY_SUM)
