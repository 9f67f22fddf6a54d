"""Each part of the chain model learns what only it can see."""

from dataclasses import replace

import pytest
import torch
from helpers.learning_tasks import accuracy, chain, judged_accuracy, learn, pronoun
from helpers.sizes import LEARNING as SIZES

from docmt.settings.models import LexicalChainConfig

OFF = {"lexical_attention": False, "latent": False, "general_attention": False}
LATENT = {"latent_width": 16, "latent_inner": 48}


def config(**switches) -> LexicalChainConfig:
    return LexicalChainConfig(**SIZES, **{**OFF, **switches})


def test_lexical_attention_learns_the_word_that_its_chain_fixes():
    model = learn(config(lexical_attention=True), chain(1500, seed=1), updates=150, at_once=30)
    assert accuracy(model, chain(200, seed=2)) > 90


@pytest.mark.slow
def test_general_attention_learns_the_pronoun():
    model = learn(config(general_attention=True), pronoun(1500, seed=1), updates=150, at_once=30)
    assert accuracy(model, pronoun(200, seed=2)) > 90


@pytest.mark.slow
def test_the_latent_variable_learns_the_word_and_carries_it():
    """It takes half a minute; in each run its equations are held by tests/models/test_oracle_lexical_chain.py.

    No other part sees the chain. In half of the documents the source does not show which translation holds, so that
    the posterior knows more than the prior; the judged words are in the others."""
    settings = config(latent=True, **LATENT, kl_warmup_updates=300)
    model = learn(settings, chain(3000, seed=1, free=True), updates=600)
    test = chain(300, seed=2, free=True)
    batch, is_judged = test.batch(settings)
    with torch.no_grad():
        kl = model(batch).loss_terms["kl"]
        assert kl.total / kl.count >= 0.1
        memory = model.encode(batch.source)
        order = torch.randperm(len(memory.z), generator=torch.Generator().manual_seed(1))
        right, permuted = (
            judged_accuracy(model, batch, is_judged, seen) for seen in (memory, replace(memory, z=memory.z[order]))
        )
    assert right > 90
    assert right - permuted >= 20
