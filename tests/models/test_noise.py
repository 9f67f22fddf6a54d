"""Noise of training is a document's own, in every architecture and with every kind of dropout on."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from helpers.model_cases import CASES, chains_of, documents
from helpers.model_cases import VOCABULARY as SIZE

from docmt.models import build
from docmt.nn.frames import frame_batch
from docmt.nn.noise import Noisy, document_keys
from docmt.nn.rows import Rows

NOISY = {"dropout": 0.2, "attention_dropout": 0.2, "activation_dropout": 0.1}
NUMBERS = np.array([7, 3, 12, 0])
"""Of the documents in their table."""


def training_model(case: str, **settings):
    torch.manual_seed(1)
    model = build(replace(CASES[case], **{**NOISY, **settings}), SIZE, SIZE).double().train()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return model


def pass_of(model, order, seed: int = 5, words: float = 0.2):
    """States by document, and the sum of the loss terms, of a training pass over some of the documents."""
    source, target = (np.array(side, dtype=object)[order].tolist() for side in documents())
    rows = Rows.from_lists(source, target, [chains_of(document) for document in source])
    batch = frame_batch(rows, model.config.frame).with_keys(document_keys(seed, NUMBERS[order]))
    states, terms = model(batch.with_word_dropout(words))
    total = sum((term.total for term in terms.values()), torch.zeros(()))
    return states.split(batch.target_in.instances.lengths), total


@pytest.mark.some(10)
@pytest.mark.parametrize("case", CASES)
def test_batch_mates_and_order_never_matter(case):
    model = training_model(case)
    whole, terms = pass_of(model, [0, 1, 2, 3])
    states_of, term_sum = {}, 0.0
    for order in ([2, 0], [3], [1]):
        states, term = pass_of(model, order)
        states_of |= zip(order, states, strict=True)
        term_sum = term_sum + term
    for number, states in enumerate(whole):
        torch.testing.assert_close(states_of[number], states, atol=1e-11, rtol=0)
    torch.testing.assert_close(term_sum, terms, atol=1e-10, rtol=0)


@pytest.mark.parametrize("case", CASES)
def test_nothing_is_asked_of_torchs_generator(case):
    model = training_model(case)
    before = torch.get_rng_state()
    first, other = (pass_of(model, [0, 1, 2, 3], seed)[0] for seed in (5, 6))
    assert torch.equal(torch.get_rng_state(), before)
    assert all(not torch.allclose(*pair) for pair in zip(first, other, strict=True))


def test_a_sample_in_inference_is_a_documents_own_too():
    model = training_model("lexical_chain", latent_in_inference="sample").eval()
    before, whole = torch.get_rng_state(), pass_of(model, [0, 1, 2, 3])[0]
    torch.testing.assert_close(pass_of(model, [2, 3])[0][0], whole[2], atol=1e-11, rtol=0)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("case", CASES)
def test_no_two_draws_of_an_update_are_one(case, monkeypatch):
    """Rows that come of one token, such as those of two streams, or looks at several sentences, are told apart."""
    drawn, keys = [], Noisy.keys

    def record_keys(self, *rows):
        row_keys = keys(self, *rows)
        drawn.extend((self.site, key) for key in row_keys.tolist())
        return row_keys

    monkeypatch.setattr(Noisy, "keys", record_keys)
    pass_of(training_model(case), [0, 1, 2, 3])
    assert len(set(drawn)) == len(drawn) > 0
