"""Forced scores against a plain loop over tokens."""

import numpy as np
import pytest
import torch
from helpers.model_cases import CASES as MODELS
from helpers.model_cases import documents, model_of, rows_of
from helpers.tiny import CONFIGS, full_forward_score, random_documents, tiny_model

from docmt.nn.rows import Rows
from docmt.search import forced
from docmt.search.forced import forced_scores, variant_scores

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


@pytest.mark.some(8)
@pytest.mark.parametrize("case", MODELS)
def test_every_model_spreads_what_it_has_encoded(case):
    """Two streams, chains and latent variables too: variants have the scores of full passes."""
    model, (source, target) = model_of(case), documents()
    lasts = [[target[0][-1], [9, 8]], [[7]], [[10], [11, 12], [13]], [[8, 8]]]
    rows = [(s, [*t[:-1], last]) for s, t, some in zip(source, target, lasts, strict=True) for last in some]
    together = rows_of(*zip(*rows, strict=True))
    counts = np.array([len(some) for some in lasts])
    scores = variant_scores(model, together, counts, whole=True)
    _, sentences = forced_scores(model, together)
    parts = sentences.split(together.sentences.tolist())
    assert scores.score.tolist() == pytest.approx([part[-1].item() for part in parts], abs=1e-9)
    assert scores.context_score.tolist() == pytest.approx([part[:-1].sum().item() for part in parts], abs=1e-9)
    alone = variant_scores(model, together, counts)
    assert alone.score.tolist() == pytest.approx(scores.score.tolist(), abs=1e-9)
    assert (alone.outputs == scores.outputs).all() and alone.context_score is None and alone.context_outputs is None


def test_the_source_of_an_item_is_encoded_once(monkeypatch):
    model, seen = tiny_model("g_transformer"), []
    encode = model.encode
    monkeypatch.setattr(model, "encode", lambda source: seen.append(source.instances.runs) or encode(source))
    variant_scores(model, Rows.from_lists([SOURCE[0]] * 5, [TARGET[0]] * 5), np.array([2, 3]))
    assert seen == [2]


def test_the_vocabulary_is_gone_through_in_parts(monkeypatch):
    model, rows = tiny_model("g_transformer"), Rows.from_lists(SOURCE, TARGET)
    tokens, _ = forced_scores(model, rows)
    monkeypatch.setitem(forced.STATES_AT_ONCE, "cpu", 3)
    in_parts, _ = forced_scores(model, rows)
    assert in_parts.tolist() == pytest.approx(tokens.tolist(), abs=1e-6)
