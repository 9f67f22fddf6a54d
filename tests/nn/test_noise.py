import pytest
import torch

from docmt.core.vocabulary import MASK, SPECIALS
from docmt.nn.noise import drop_words


def test_words_are_masked_at_their_share_and_specials_never():
    tokens = torch.arange(len(SPECIALS) + 20).repeat(500)
    noisy = drop_words(tokens, 0.3, torch.Generator().manual_seed(1))
    special = tokens < len(SPECIALS)
    assert torch.equal(noisy[special], tokens[special])
    changed = noisy != tokens
    assert (noisy[changed] == MASK).all()
    assert changed[~special].double().mean().item() == pytest.approx(0.3, abs=0.02)


def test_the_generator_decides():
    tokens = torch.arange(200)
    first, again, other = (drop_words(tokens, 0.3, torch.Generator().manual_seed(seed)) for seed in (1, 1, 2))
    assert torch.equal(first, again) and not torch.equal(first, other)


def test_no_share_takes_no_draw():
    generator = torch.Generator().manual_seed(1)
    before, tokens = generator.get_state(), torch.arange(20)
    assert drop_words(tokens, 0.0, generator) is tokens
    assert torch.equal(generator.get_state(), before)
