"""Small models and documents, one table for all tests of architectures; a new architecture adds a line."""

import random

import pytest
import torch
from helpers.sizes import COMPUTED as SIZES
from torch import Tensor

from docmt.models import build
from docmt.models.transformer import Transformer
from docmt.nn.cache import Cache
from docmt.nn.frames import frame_batch
from docmt.nn.rows import Rows
from docmt.nn.streams import Batch
from docmt.settings.models import (
    GTransformerConfig,
    HanConfig,
    LexicalChainConfig,
    LongShortConfig,
    TransformerConfig,
    WLinkConfig,
)

VOCABULARY, FIRST_WORD = 30, 7
LATENT = {"latent_width": 6, "latent_inner": 10}
CASES = {
    "transformer": TransformerConfig(**SIZES),
    "transformer joined": TransformerConfig(**SIZES, frame="joined", embeddings="target"),
    "transformer pre-norm": TransformerConfig(**SIZES, norm="pre", embeddings="separate"),
    "transformer other": TransformerConfig(
        **SIZES,
        positions="restarting",
        position_table="learned",
        max_positions=40,
        activation="gelu",
        embedding_norm=True,
        embedding_scale=False,
        norm_epsilon=1e-3,
    ),
    "transformer unmarked": TransformerConfig(**SIZES, frame="unmarked"),
    "transformer fairseq": TransformerConfig(**SIZES, frame="fairseq"),
    "transformer closed": TransformerConfig(**SIZES, frame="closed"),
    "g_transformer": GTransformerConfig(**SIZES, combined_layers=1),
    "g_transformer closed": GTransformerConfig(**SIZES, combined_layers=1, frame="closed"),
    "g_transformer everywhere": GTransformerConfig(**SIZES, combined_layers=2, norm="pre"),
    "g_transformer groups": GTransformerConfig(**SIZES, combined_layers=0),
    "g_transformer source context": GTransformerConfig(**SIZES, combined_layers=1, decoder_self_combined_layers=0),
    "g_transformer global top": GTransformerConfig(**SIZES, combined_layers=1, top_attention="global"),
    "g_transformer group top": GTransformerConfig(**SIZES, combined_layers=1, top_attention="group"),
    "g_transformer without language locality": GTransformerConfig(**SIZES, combined_layers=1, language_locality=False),
    "g_transformer without locality": GTransformerConfig(
        **SIZES, language_locality=False, translation_locality=False, frame="unmarked"
    ),
    "lexical_chain": LexicalChainConfig(**SIZES, **LATENT),
    "lexical_chain pre-norm": LexicalChainConfig(
        **SIZES, **LATENT, norm="pre", frame="wrapped", latent_variance="plain"
    ),
    "lexical_chain attention": LexicalChainConfig(**SIZES, latent=False, general_attention=False),
    "lexical_chain latent": LexicalChainConfig(**SIZES, **LATENT, lexical_attention=False, general_attention=False),
    "lexical_chain general": LexicalChainConfig(**SIZES, latent=False, lexical_attention=False),
    "han": HanConfig(**SIZES),
    "han decoder": HanConfig(**SIZES, context="decoder", context_sentences=2),
    "han joint": HanConfig(**SIZES, context="joint", norm="pre", frame="summarised", context_gradient=True),
    "w_link": WLinkConfig(**SIZES),
    "w_link pre-norm": WLinkConfig(**SIZES, norm="pre", frame="summarised", agreement_weight=0.5),
    "w_link sharing": WLinkConfig(**SIZES, agreement_weight=0.0),
    "w_link agreeing": WLinkConfig(**SIZES, shared_context=False),
    "long_short": LongShortConfig(**SIZES, aggregation_inner=40),
    "long_short reading long": LongShortConfig(**SIZES, aggregation_inner=40, cross_reads="long", norm="pre"),
    "long_short sum": LongShortConfig(**SIZES, aggregation="sum", frame="wrapped"),
    "long_short long": LongShortConfig(**SIZES, aggregation="long"),
}

OFTEN = ("transformer other", "g_transformer", "lexical_chain", "w_link", "long_short", "han joint")
"""A case of each architecture, for tests that take long; `pytest -m slow` runs them for the others."""
MOSTLY_SLOW = [case if case in OFTEN else pytest.param(case, marks=pytest.mark.slow) for case in CASES]

SHAPE = [[3, 1, 4], [2], [5, 2, 1, 3], [1, 1]]
"""Words of each sentence of each document."""


def model_of(case: str, seed: int = 1) -> Transformer:
    """In double precision and evaluation mode; every parameter is moved off its start, biases too."""
    torch.manual_seed(seed)
    model = build(CASES[case], VOCABULARY, VOCABULARY).double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return model


def documents(seed: int = 1) -> tuple[list, list]:
    """Source and target; a target sentence has a word more or less than its source, or none."""
    draw = random.Random(seed)

    def words(count: int) -> list[int]:
        return [draw.randrange(FIRST_WORD, VOCABULARY) for _ in range(count)]

    source = [[words(count) for count in document] for document in SHAPE]
    target = [[words(draw.randint(count - 1, count + 1)) for count in document] for document in SHAPE]
    return source, target


def chains_of(document: list) -> list:
    """Words of one remainder by 5 are taken for one word: a chain where there are two or more."""
    words = [word for sentence in document for word in sentence]
    chains = ([place for place, word in enumerate(words) if word % 5 == remainder] for remainder in range(5))
    return [chain for chain in chains if len(chain) > 1]


def rows_of(source: list, target: list | None = None) -> Rows:
    return Rows.from_lists(source, target, [chains_of(document) for document in source])


def batch_of(case: str, source: list, target: list) -> Batch:
    return frame_batch(rows_of(source, target), CASES[case].frame)


def objective_of(model: Transformer, batch: Batch) -> Tensor:
    """What training minimises, long after the beginning."""
    states, terms = model(batch)
    loss = torch.nn.functional.cross_entropy(model.logits(states).float(), batch.target_out)
    return loss + sum(weight * terms[name].total for name, weight in model.term_weights(10**6).items())


def logits_of(model: Transformer, batch: Batch) -> Tensor:
    return model.logits(model.decode(batch.target_in, model.encode(batch.source)))


def step(model: Transformer, tokens: Tensor, cache: Cache) -> Tensor:
    """The final state of the newest token of each hypothesis, as a search computes it."""
    with torch.no_grad():
        cache.advance(tokens)
        return model.target_states(cache)


def sight_of(config: TransformerConfig, chained: bool) -> dict[str, set[str]]:
    """Which other sentences of a document the logits of a sentence depend on, by side.

    `chained`: each sentence has a word of one lexical chain.
    """
    source, target = SIGHT[config.kind](config, chained)
    return {"source": source, "target": target}


BOTH, EARLIER, NONE = {"earlier", "later"}, {"earlier"}, set()


def _sight_of_g_transformer(config, _: bool) -> tuple[set, set]:
    sees = {
        role: (layers > 0 and config.top_attention != "group") or not locality
        for (role, layers), locality in zip(
            config.combined().items(),
            (config.language_locality, config.language_locality, config.translation_locality),
            strict=True,
        )
    }
    encoder, decoder, cross = sees.values()
    # Earlier target states have seen their own source sentences.
    return BOTH if encoder or cross else EARLIER if decoder else NONE, EARLIER if decoder else NONE


SIGHT = {
    "transformer": lambda config, chained: (BOTH, EARLIER),
    "long_short": lambda config, chained: (BOTH, EARLIER),
    "g_transformer": _sight_of_g_transformer,
    "lexical_chain": lambda config, chained: (
        BOTH if config.general_attention or (chained and (config.lexical_attention or config.latent)) else NONE,
        NONE,
    ),
    "w_link": lambda config, chained: (BOTH if chained and config.shared_context else NONE, NONE),
    "han": lambda config, chained: (EARLIER, NONE if config.context == "encoder" else EARLIER),
}
