"""W-Link learns from the other words of a link which translation holds, and to agree with them."""

from dataclasses import replace

import pytest
import torch
from helpers.learning_tasks import accuracy, chain, learn
from helpers.sizes import LEARNING as SIZES

from docmt.settings.models import WLinkConfig


def test_shared_context_learns_the_word_that_its_link_fixes():
    model = learn(WLinkConfig(**SIZES, agreement_weight=0.0), chain(1500, seed=1), updates=200, at_once=30)
    assert accuracy(model, chain(300, seed=2)) > 90


def divergence(weight: float) -> float:
    """Of the translations of a link, nats, after training; where nothing shows which translation holds."""
    config = WLinkConfig(**SIZES, shared_context=False, agreement_weight=weight)
    model, test = learn(config, chain(1500, seed=1, free=True), updates=60, at_once=30), chain(200, seed=2, free=True)
    model.config = replace(config, agreement_weight=1.0)
    batch, _ = test.batch(config)
    with torch.no_grad():
        term = model(batch).loss_terms["agreement"]
    return term.total.item() / term.count


@pytest.mark.slow
def test_the_agreement_draws_translations_together():
    """The loss has no parameters, so that a model trained without it can be judged by it."""
    assert divergence(30.0) < 0.6 * divergence(0.0)
