"""The multiplications and parameters that settings promise, beside those of the model that torch builds."""

from itertools import chain

import numpy as np
import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from docmt.base.ragged import Ragged
from docmt.estimates.operations import LINKED, multiplications, parameters
from docmt.estimates.passes import Pass
from docmt.models import build
from docmt.nn.frames import frame_batch
from docmt.nn.rows import RowChains, Rows
from docmt.settings.models import (
    MODELS,
    GTransformerConfig,
    HanConfig,
    LexicalChainConfig,
    LongShortConfig,
    TransformerConfig,
    WLinkConfig,
)

SIZES = {"encoder_layers": 2, "decoder_layers": 3, "width": 64, "inner": 160, "heads": 4}
VOCABULARY, SEGMENTS, SENTENCES, WORDS = 150, 6, 5, 10
CASES = {
    "sentences and documents": TransformerConfig(**SIZES),
    "unmarked": TransformerConfig(**SIZES, frame="unmarked", embeddings="separate"),
    "three tables, learned positions": TransformerConfig(
        **SIZES, embeddings="separate", position_table="learned", max_positions=80
    ),
    "group attention": GTransformerConfig(**SIZES, combined_layers=0),
    "combined attention": GTransformerConfig(**SIZES, combined_layers=1, cross_combined_layers=2),
    "global attention": GTransformerConfig(**SIZES, top_attention="global"),
    "without locality": GTransformerConfig(**SIZES, language_locality=False),
    "two streams": LongShortConfig(**SIZES, aggregation_inner=80),
    "two streams that read one": LongShortConfig(**SIZES, cross_reads="long", aggregation="sum"),
    "chains": LexicalChainConfig(**SIZES, latent_width=24, latent_inner=80),
    "chains without latent variable": LexicalChainConfig(**SIZES, latent=False, lexical_attention=False),
    "links": WLinkConfig(**SIZES),
    "links without loss": WLinkConfig(**SIZES, agreement_weight=0.0),
    "attention to previous sentences": HanConfig(**SIZES),
    "attention on both sides": HanConfig(**SIZES, context="joint", context_sentences=2, context_gradient=True),
}


def rows() -> Rows:
    """Segments of sentences of ten words, and of chains as long and as many as is assumed."""
    draw = np.random.default_rng(0)
    count = SEGMENTS * SENTENCES
    ids = [draw.integers(10, VOCABULARY, count * WORDS) for _ in range(2)]
    lengths = np.full(count, WORDS)
    chains = round(LINKED * SENTENCES * (WORDS + 2) / 3)
    members = np.concatenate([np.sort(draw.permutation(SENTENCES * WORDS)[: chains * 3]) for _ in range(SEGMENTS)])
    linked = Ragged.of(members, np.full(chains * SEGMENTS, 3)).grouped(np.full(SEGMENTS, chains))
    sides = (Ragged.of(words, lengths).grouped(np.full(SEGMENTS, SENTENCES)) for words in ids)
    return Rows(*chain.from_iterable(sides), RowChains(*linked))


@pytest.mark.some(5)
@pytest.mark.parametrize("case", CASES)
def test_multiplications_are_those_that_torch_counts(case):
    config = CASES[case]
    torch.manual_seed(0)
    # torch counts its own products only, and those of oneDNN are none of them.
    model = build(config, VOCABULARY, VOCABULARY).train().to("meta")
    batch = frame_batch(rows(), config.frame).to("meta")
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counted:
        states, _ = model(batch)
        model.logits(states)
    load = Pass(SEGMENTS, SEGMENTS * SENTENCES, len(batch.source.tokens), len(batch.target_out))
    assert 2 * multiplications(config, load, VOCABULARY) == pytest.approx(counted.get_total_flops(), rel=0.4)


@pytest.mark.parametrize("case", CASES)
def test_parameters_are_those_of_the_model_but_for_biases_and_norms(case):
    model = build(CASES[case], VOCABULARY, VOCABULARY)
    matrices = sum(weight.numel() for weight in model.parameters() if weight.dim() > 1)
    assert parameters(CASES[case], VOCABULARY, VOCABULARY) == matrices


def test_every_architecture_is_a_case():
    assert {config.kind for config in CASES.values()} == set(MODELS)


def test_twice_the_data_is_twice_the_work():
    load = Pass(10, 40, 900, 800)
    for config in CASES.values():
        assert multiplications(config, load.times(2), 50) == pytest.approx(2 * multiplications(config, load, 50))
