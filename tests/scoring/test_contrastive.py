import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.core.documents import CONTRASTIVE_SCORES, write_arrow
from docmt.core.errors import UserError
from docmt.scoring.contrastive import Judgement, accuracies, judge, read_judgements


def row(variant: int, score: float, *, correct: bool, name: str = "pronoun", item: int = 0, distance: int = 1) -> dict:
    place = {"set": name, "item": item, "distance": distance}
    return {**place, "variant": variant, "correct": correct, "score": score}


def write(path, rows: list[dict]):
    write_arrow(path, pa.Table.from_pylist(rows, schema=CONTRASTIVE_SCORES))
    return path


@pytest.mark.parametrize(
    ("scores", "correct", "expected"),
    [
        ([-1.0, -2.0], 0, (True, False)),
        ([-1.0, -2.0], 1, (False, False)),
        ([-1.0, -1.0], 0, (False, True)),
        ([-1.0, -1.0, -0.5], 0, (False, False)),
        ([-3.0, -1.0, -1.0], 2, (False, True)),
    ],
)
def test_right_is_strictly_above_all_others(scores, correct, expected):
    assert judge(scores, correct) == expected


@given(st.lists(st.sampled_from([-3.0, -2.0, -1.0]), min_size=2, max_size=6), st.data())
def test_judging_is_brute_force(scores, data):
    correct = data.draw(st.integers(0, len(scores) - 1))
    others = scores[:correct] + scores[correct + 1 :]
    right, tie = judge(scores, correct)
    assert right == all(scores[correct] > other for other in others)
    assert tie == (scores[correct] in others and scores[correct] == max(scores))


def test_items_of_two_sets_of_one_number_stay_apart(tmp_path):
    rows = [
        row(0, -1.0, correct=True),
        row(0, -1.0, correct=True, name="word", distance=0),
        row(1, -2.0, correct=False),
        row(1, -0.5, correct=False, name="word", distance=0),
    ]
    assert read_judgements(write(tmp_path / "c.arrow", rows)) == [
        Judgement("pronoun", 1, 2, right=True, tie=False),
        Judgement("word", 0, 2, right=False, tie=False),
    ]


def test_accuracies_by_set_and_distance():
    judgements = [
        Judgement("p", 1, 2, right=True, tie=False),
        Judgement("p", 10, 4, right=False, tie=True),
        Judgement("p", 2, 2, right=False, tie=False),
        Judgement("p", 1, 2, right=True, tie=False),
        Judgement("w", 0, 5, right=True, tie=False),
    ]
    scores = accuracies(judgements)
    assert list(scores) == ["p", "w"]
    by_distance = scores["p"].pop("by_distance")
    assert scores["p"] == {"accuracy": 0.5, "items": 4, "right": 2, "ties": 1, "chance": (0.5 * 3 + 0.25) / 4}
    assert list(by_distance) == ["1", "2", "10"]
    assert by_distance["1"] == {"accuracy": 1.0, "items": 2, "right": 2, "ties": 0, "chance": 0.5}
    assert by_distance["10"] == {"accuracy": 0.0, "items": 1, "right": 0, "ties": 1, "chance": 0.25}
    assert scores["w"]["chance"] == 0.2


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf, None])
def test_a_score_that_is_no_number_is_refused(tmp_path, score):
    path = write(tmp_path / "c.arrow", [row(0, -1.0, correct=True), row(1, score, correct=False)])
    with pytest.raises(UserError, match=r"c.arrow, set 'pronoun', item 0: not a score\n.*a finite log-probability"):
        read_judgements(path)


@pytest.mark.parametrize(
    ("right", "found"),
    [([True], "1 variants, 1"), ([True, True], "2 variants, 2"), ([False, False], "2 variants, 0")],
)
def test_an_item_without_one_right_variant_among_several_is_refused(tmp_path, right, found):
    path = write(tmp_path / "c.arrow", [row(n, -1.0, correct=correct) for n, correct in enumerate(right)])
    with pytest.raises(UserError, match=f"not a contrastive item\n  found {found} of them right"):
        read_judgements(path)
