"""Contrastive variants: the forced score of the last sentence."""

import random

import pyarrow as pa
import pytest
import torch
from helpers.tiny import CONFIGS, full_forward_score, next_scores, random_documents, segment, tiny_model

from docmt.base.columns import CONTRASTIVE_SCORES, CONTRASTIVE_SEGMENTS
from docmt.base.errors import UserError
from docmt.base.tables import read_arrow, write_arrow
from docmt.decoding.files import TranslationSettings, write_contrastive
from docmt.decoding.segments import View
from docmt.scoring.contrastive import judge_items
from docmt.settings.data import CutConfig, ViewConfig
from docmt.settings.decode import DecodeConfig
from docmt.settings.scoring import ContrastiveConfig

SOURCE = random_documents(1, [[3, 2, 4], [2], [1, 5]])
TARGET = random_documents(2, [[2, 4, 3], [3], [6, 1]])


def variants(item: int, source: list, targets: list) -> list[dict]:
    """The first one is right."""
    rows = []
    for number, target in enumerate(targets):
        sides = segment(0, 0, source), segment(0, 0, target)
        names = {"set": "pronouns", "item": item, "variant": number, "distance": item + 1, "correct": number == 0}
        rows.append(
            names
            | {name: sides[0][name] for name in ("source_ids", "source_lengths")}
            | {name: sides[1][name] for name in ("target_ids", "target_lengths")}
        )
    return rows


def write(folder, items: list[list[dict]]) -> None:
    rows = [row for item in items for row in item]
    write_arrow(folder / "contrastive.arrow", pa.Table.from_pylist(rows, CONTRASTIVE_SEGMENTS))


@pytest.fixture
def view(tmp_path):
    """The second variant differs in the last word of the last sentence."""
    others = [[*target[:-1], [*target[-1][:-1], 7]] for target in TARGET]
    both = enumerate(zip(SOURCE, TARGET, others, strict=True))
    write(tmp_path, [variants(item, source, targets) for item, (source, *targets) in both])
    return tmp_path


def scores_of(model, view, whole=False, **decode):
    cut = CutConfig(window=3)
    settings = TranslationSettings(1, "s", "c", "x", "smoke", 1, DecodeConfig(**decode), ViewConfig(cut, cut))
    write_contrastive(settings, model, View(view), view / "scores.arrow", whole=whole)
    return read_arrow(view / "scores.arrow", CONTRASTIVE_SCORES)


@pytest.mark.parametrize("name", CONFIGS)
def test_only_the_last_sentence_counts(name, view):
    """Word by word from the beginning of the last sentence, and its end."""
    model, scores = tiny_model(name), scores_of(tiny_model(name), view)
    for row in scores.to_pylist():
        source, target = SOURCE[row["item"]], TARGET[row["item"]]
        last = [*target[-1][:-1], target[-1][-1] if row["variant"] == 0 else 7]
        expected = sum(
            next_scores(model, source, [*target[:-1], last[:place]])[output].item()
            for place, output in enumerate([*last, 2])
        )
        assert row["score"] == pytest.approx(expected, abs=1e-5)


def test_the_context_is_scored_too(view):
    """On request, for judging by the whole target; every variant of an item has the same."""
    model = tiny_model("g_transformer")
    rows = scores_of(model, view, whole=True).to_pylist()
    for first, second in zip(rows[::2], rows[1::2], strict=True):
        source, target = SOURCE[first["item"]], TARGET[first["item"]]
        whole = full_forward_score(model, source, target)
        assert first["context_score"] + first["score"] == pytest.approx(whole, abs=1e-5)
        assert first["context_outputs"] == sum(len(words) + 1 for words in target[:-1])
        assert first["outputs"] == len(target[-1]) + 1
        assert [first[f"context_{name}"] for name in ("score", "outputs")] == [
            second[f"context_{name}"] for name in ("score", "outputs")
        ]
    unasked = scores_of(model, view).to_pylist()
    assert {(row["context_score"], row["context_outputs"]) for row in unasked} == {(None, None)}


@pytest.mark.parametrize("seed", [1, 16, 18])
def test_variants_of_the_same_ids_tie_to_the_last_bit(tmp_path, seed):
    """Computed twice in one batch, those of these models differ in their last bits."""
    draw = random.Random(seed)
    others = [random_documents(draw.random(), [[draw.randint(1, 30)]])[0][0] for _ in range(draw.randint(5, 20))]
    targets = [[*TARGET[0][:-1], last] for last in (*others, [9, 10], [9, 10])]
    write(tmp_path, [variants(0, SOURCE[0], targets)])
    *_, first, second = scores_of(tiny_model("g_transformer", seed=seed), tmp_path).to_pylist()
    assert first["score"] == second["score"]


@pytest.mark.parametrize("score", ["sum", "mean"])
def test_a_model_that_scores_everything_alike_is_never_right(tmp_path, score):
    """Not 100 %, as taking the first of equal scores would give. By the sum it takes variants of one length."""
    model = tiny_model("wrapped")
    with torch.no_grad():
        model.output.weight.zero_()
    lengths = [1, 1, 1] if score == "sum" else [1, 2, 3]
    lasts = [[[8 + n] * length for n, length in enumerate(lengths)] for _ in SOURCE]
    items = [[[*target[:-1], last] for last in some] for target, some in zip(TARGET, lasts, strict=True)]
    write(
        tmp_path, [variants(n, source, targets) for n, (source, targets) in enumerate(zip(SOURCE, items, strict=True))]
    )
    judgements = judge_items(scores_of(model, tmp_path), ContrastiveConfig(score), "scores")
    assert [(judgement.right, judgement.tie) for judgement in judgements] == [(False, True)] * 3


def test_variants_that_differ_before_the_last_sentence_are_refused(tmp_path):
    write(tmp_path, [variants(4, SOURCE[0], [TARGET[0], [[8], *TARGET[0][1:]]])])
    with pytest.raises(UserError, match="differ in more than their last sentence") as refused:
        scores_of(tiny_model("wrapped"), tmp_path)
    assert refused.value.where == "set 'pronouns', item 4, variant 1"


def test_rows_stay_in_order_whatever_the_budget(view):
    model = tiny_model("wrapped")
    runs = [scores_of(model, view, batch_tokens=budget).to_pylist() for budget in (1, 12, 4096)]
    assert [(row["item"], row["variant"]) for row in runs[0]] == [(i, v) for i in range(3) for v in range(2)]
    for rows in runs[1:]:
        for row, first in zip(rows, runs[0], strict=True):
            assert row == {**first, "score": pytest.approx(first["score"], abs=1e-5)}
