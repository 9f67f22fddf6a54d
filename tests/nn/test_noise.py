import math

import numpy as np
import pytest
import torch

from docmt.base.vocabulary import MASK, SPECIALS
from docmt.nn.noise import (
    Noisy,
    branch_keys,
    document_keys,
    drop_values,
    drop_words,
    grouped_columns,
    key_scope,
    mix_bits,
    narrowed_key_scope,
    normal,
    token_keys,
    uniform,
)

ROWS, WIDTH, SHARE = 4000, 96, 0.3
SIGMAS = 4.5
"""Bound of a standardised mean: one in 150,000 is farther off, and the draws are always the same."""


def keys_of(seed: int = 1, documents: int = 80, side: str = "source"):
    return token_keys(document_keys(seed, np.arange(documents)), (ROWS // documents,) * documents, side)


def dropout_mask(keys, site: str = "a", share: float = SHARE, width: int = WIDTH):
    groups = grouped_columns(site, (), width, keys.device)
    return (drop_values(torch.ones(len(keys), width, device=keys.device), share, keys, groups) != 0).double()


def standardised(mask, share: float = SHARE):
    return (mask - (1 - share)) / math.sqrt(share * (1 - share))


def is_noise(values) -> bool:
    """Return whether the mean of values of mean 0 and variance 1 is as near to 0 as chance has it."""
    return abs(values.mean().item()) * math.sqrt(values.numel()) < SIGMAS


def test_keys_are_mixed_as_splitmix64_does():
    """The first outputs of its reference implementation for the seed 1234567."""
    step, seed = np.uint64(0x9E3779B97F4A7C15), np.full(1, 1234567, dtype=np.uint64)
    outputs = mix_bits(seed + step * np.arange(1, 4, dtype=np.uint64))
    assert outputs.tolist() == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
def test_masks_have_the_mean_and_the_variance_of_their_share(share):
    z = standardised(dropout_mask(keys_of(), share=share), share)
    assert is_noise(z)
    for axis, members in ((0, ROWS), (1, WIDTH)):
        variances = z.sum(axis).square() / members
        assert is_noise((variances - 1) / math.sqrt(2))


@pytest.mark.parametrize(
    "other",
    [
        lambda: dropout_mask(keys_of(), site="b"),
        lambda: dropout_mask(keys_of(seed=2)),
        lambda: dropout_mask(keys_of(side="target")),
        lambda: dropout_mask(branch_keys(keys_of(), 0)),
        lambda: dropout_mask(branch_keys(keys_of(), torch.arange(ROWS))),
        lambda: dropout_mask(keys_of().roll(ROWS // 80)),
        lambda: dropout_mask(keys_of().roll(1)),
        lambda: dropout_mask(keys_of()).roll(1, dims=1),
        lambda: dropout_mask(keys_of()).roll(4, dims=1),
    ],
    ids=["site", "update", "side", "branch", "branches", "document", "token", "column", "group of columns"],
)
def test_masks_of_different_places_have_nothing_to_do_with_each_other(other):
    assert is_noise(standardised(dropout_mask(keys_of())) * standardised(other()))


def test_uniform_and_normal_draws_have_their_moments():
    u, z = uniform(keys_of(), "u", 20), normal(keys_of(), "z", 20)
    assert u.min() > 0 and u.max() < 1
    assert is_noise((u - 0.5) * math.sqrt(12))
    assert is_noise(((u - 0.5).square() * 12 - 1) / math.sqrt(0.8))
    assert is_noise(z)
    assert is_noise((z.square() - 1) / math.sqrt(2))
    assert is_noise((z**4 - 3) / math.sqrt(96))


def test_a_documents_noise_is_its_own_wherever_it_stands():
    lengths, documents = np.array([3, 5, 2, 7]), np.array([40, 3, 17, 0])
    whole = token_keys(document_keys(9, documents), tuple(lengths.tolist()), "target").split(lengths.tolist())
    for order in ([3, 1, 0, 2], [1], [2, 0]):
        part_lengths = lengths[order].tolist()
        parts = token_keys(document_keys(9, documents[order]), tuple(part_lengths), "target")
        for number, part in zip(order, parts.split(part_lengths), strict=True):
            assert torch.equal(part, whole[number])
            assert torch.equal(dropout_mask(part), dropout_mask(whole[number]))


def test_scopes_nest_and_narrow():
    module, keys, device = Noisy(), keys_of()[:6], torch.device("cpu")
    module.name_site("a")

    def keys_in_scope(count: int):
        return module.keys(torch.Size([count]), device)

    index = torch.tensor([4, 4, 1])
    with key_scope(keys):
        assert torch.equal(keys_in_scope(6), keys)
        with narrowed_key_scope(index):
            assert torch.equal(keys_in_scope(3), keys[index])
        with narrowed_key_scope(index, torch.tensor([0, 1, 0])):
            assert len(set(keys_in_scope(3).tolist()) | set(keys.tolist())) == 9
        assert torch.equal(keys_in_scope(6), keys)
        with pytest.raises(ValueError, match=r"keys of \(6,\) rows for \(5,\) at the site 'a'"):
            keys_in_scope(5)
    with key_scope(None), narrowed_key_scope(index):
        assert not torch.equal(keys_in_scope(3), keys_in_scope(3))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")
def test_bits_are_the_same_on_a_gpu():
    there = keys_of().cuda()
    assert torch.equal(dropout_mask(keys_of()), dropout_mask(there).cpu())
    assert torch.equal(uniform(keys_of(), "u", 3), uniform(there, "u", 3).cpu())


def test_words_are_masked_at_their_share_and_specials_never():
    tokens = torch.arange(len(SPECIALS) + 20).repeat(500)
    keys = token_keys(document_keys(1, np.arange(1)), (len(tokens),), "source")
    noisy = drop_words(tokens, 0.3, keys)
    special = tokens < len(SPECIALS)
    assert torch.equal(noisy[special], tokens[special])
    changed = noisy != tokens
    assert (noisy[changed] == MASK).all()
    assert changed[~special].double().mean().item() == pytest.approx(0.3, abs=0.02)
    assert drop_words(tokens, 0.0, keys) is tokens
