"""A model that samples its latent variables draws the same for an instance each time and in any batch."""

import pytest
import torch
from helpers.model_cases import VOCABULARY, documents, model_of, rows_of

from docmt.models import build
from docmt.search.beam import search_instances
from docmt.search.forced import forced_scores
from docmt.settings.decode import DecodeConfig
from docmt.settings.models import LexicalChainConfig


@pytest.fixture
def sampling() -> torch.nn.Module:
    model = model_of("lexical_chain")
    config = LexicalChainConfig(**{**vars(model.config), "latent_in_inference": "sample"})
    other = build(config, VOCABULARY, VOCABULARY).double().eval()
    other.load_state_dict(model.state_dict())
    return other


def test_scores_of_instances_are_those_of_each_alone_and_again(sampling):
    source, target = documents()
    alone = [forced_scores(sampling, rows_of([s], [t]))[1] for s, t in zip(source, target, strict=True)]
    together = forced_scores(sampling, rows_of(source, target))[1]
    torch.testing.assert_close(torch.cat(alone), together)
    assert not torch.equal(together, forced_scores(model_of("lexical_chain"), rows_of(source, target))[1])


def test_translations_are_the_same_again(sampling):
    source, target = documents()
    config = DecodeConfig(beam=2)
    first, second = (search_instances(sampling, rows_of(source, target), config) for _ in range(2))
    assert first == second
