"""Contrastive variants: the forced score of the last sentence."""

import pyarrow as pa
import pytest
from tiny import CONFIGS, full_forward_score, next_scores, random_documents, segment, tiny_model

from docmt.core.config import CutConfig, DecodeConfig, ViewConfig
from docmt.core.documents import CONTRASTIVE_SCORES, CONTRASTIVE_SEGMENTS, read_arrow, write_arrow
from docmt.core.errors import UserError
from docmt.decoding.files import TranslationSettings, write_contrastive
from docmt.decoding.segments import View

SOURCE = random_documents(1, [[3, 2, 4], [2], [1, 5]])
TARGET = random_documents(2, [[2, 4, 3], [3], [6, 1]])


@pytest.fixture
def view(tmp_path):
    rows = []
    for item, (source, target) in enumerate(zip(SOURCE, TARGET, strict=True)):
        for variant in range(2):
            # The second variant differs in the last word of the last sentence.
            last = [*target[-1][:-1], target[-1][-1] if variant == 0 else 7]
            sides = segment(0, 0, source), segment(0, 0, [*target[:-1], last])
            names = {"set": "pronouns", "item": item, "variant": variant, "distance": item + 1, "correct": variant == 0}
            rows.append(
                names
                | {name: sides[0][name] for name in ("source_ids", "source_lengths")}
                | {name: sides[1][name] for name in ("target_ids", "target_lengths")}
            )
    write_arrow(tmp_path / "contrastive.arrow", pa.Table.from_pylist(rows, CONTRASTIVE_SEGMENTS))
    return tmp_path


def scores_of(model, view, **decode):
    cut = CutConfig(window=3)
    settings = TranslationSettings(1, "s", "c", "x", "smoke", 1, DecodeConfig(**decode), ViewConfig(cut, cut))
    write_contrastive(settings, model, View(view), view / "scores.arrow")
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


def test_a_variant_of_one_sentence_has_the_score_of_the_whole(view):
    model = tiny_model("g_transformer")
    row = scores_of(model, view).to_pylist()[2]
    assert row["score"] == pytest.approx(full_forward_score(model, SOURCE[1], TARGET[1]), abs=1e-5)


def test_rows_stay_in_order_whatever_the_budget(view):
    model = tiny_model("wrapped")
    runs = [scores_of(model, view, batch_tokens=budget).to_pylist() for budget in (1, 12, 4096)]
    assert [(row["item"], row["variant"]) for row in runs[0]] == [(i, v) for i in range(3) for v in range(2)]
    for rows in runs[1:]:
        for row, first in zip(rows, runs[0], strict=True):
            assert row == {**first, "score": pytest.approx(first["score"], abs=1e-5)}


def test_a_view_without_contrastive_sets_is_named(tmp_path):
    with pytest.raises(UserError, match=r"contrastive\.arrow: file not found"):
        scores_of(tiny_model("wrapped"), tmp_path)


def test_variants_of_another_vocabulary_are_refused(view):
    with pytest.raises(UserError, match="another vocabulary than the model"):
        scores_of(tiny_model("wrapped", vocabulary=12), view)
