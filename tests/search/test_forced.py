"""Forced scores against a plain loop over tokens."""

import pytest
import torch
from tiny import CONFIGS, full_forward_score, random_documents, tiny_model

from docmt.nn.rows import Rows
from docmt.search import forced, forced_scores

SOURCE = random_documents(1, [[3, 2], [4], [1, 2, 2]])
TARGET = random_documents(2, [[2, 4], [1], [3, 1, 5]])
models = pytest.mark.parametrize("name", CONFIGS)


@models
def test_the_sums_are_those_of_a_pass_alone(name):
    model = tiny_model(name)
    tokens, sentences = forced_scores(model, Rows.from_lists(SOURCE, TARGET))
    sums = [part.sum().item() for part in sentences.split([2, 1, 3])]
    expected = [full_forward_score(model, s, t) for s, t in zip(SOURCE, TARGET, strict=True)]
    assert sums == pytest.approx(expected, abs=1e-5)
    assert tokens.dtype == sentences.dtype == torch.float64


@models
def test_a_sentence_has_its_words_and_its_end(name):
    tokens, sentences = forced_scores(tiny_model(name), Rows.from_lists(SOURCE, TARGET))
    ends = {"unmarked": [0, 1, 1, 0, 0, 1], "closed": [2] * 6}.get(name, [1] * 6)
    sentences_of_target = [words for document in TARGET for words in document]
    outputs = [len(words) + end for words, end in zip(sentences_of_target, ends, strict=True)]
    assert sentences.tolist() == pytest.approx([part.sum().item() for part in tokens.split(outputs)], abs=1e-12)


def test_the_vocabulary_is_gone_through_in_parts(monkeypatch):
    model, rows = tiny_model("g_transformer"), Rows.from_lists(SOURCE, TARGET)
    tokens, _ = forced_scores(model, rows)
    monkeypatch.setattr(forced, "LOGITS_AT_ONCE", 3)
    in_parts, _ = forced_scores(model, rows)
    assert in_parts.tolist() == pytest.approx(tokens.tolist(), abs=1e-6)


def test_smoothing_plays_no_part():
    """Probabilities of all possible words sum to one."""
    model, sums = tiny_model("wrapped", vocabulary=12), 0.0
    for word in range(12):
        tokens, _ = forced_scores(model, Rows.from_lists([[[8, 9]]], [[[word]]]))
        sums += tokens[0].exp().item()
    assert sums == pytest.approx(1, abs=1e-5)
