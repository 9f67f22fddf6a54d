"""The sizes of the models and batches that checks compute, and their random segments."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from docmt.base.ragged import Ragged, places
from docmt.base.vocabulary import SPECIALS
from docmt.models import build
from docmt.models.transformer import Transformer
from docmt.nn.frames import frame_batch
from docmt.nn.noise import document_keys
from docmt.nn.rows import RowChains, Rows
from docmt.nn.streams import Batch
from docmt.settings.models import MODEL_CONFIGS, READS_CHAINS, TransformerConfig

CHAIN = 3  # The number of members of a lexical chain, which are in consecutive sentences.


@dataclass(frozen=True)
class Size:
    """The size of models, and of a batch of segments."""

    layers: int
    width: int
    inner: int
    heads: int
    vocabulary: int
    segments: int
    sentences: int
    """Sentences of each segment."""
    words: int
    """Words of a sentence on average; sentences are up to half longer or shorter."""
    settings: dict[str, Any] = field(default_factory=dict)
    """Further settings of models."""


# The size of the papers' models, and a batch of about 4,700 target tokens.
BASE = Size(6, 512, 2048, 8, 32_000, segments=12, sentences=15, words=25)
# A size for a CPU, on which this is only a trial of the checks.
SMALL = Size(1, 32, 32, 4, 60, segments=3, sentences=4, words=6)


def size_for(device: torch.device) -> Size:
    """Return the size with which a device is checked."""
    return SMALL if device.type == "cpu" else BASE


def config_of(kind: str, size: Size) -> TransformerConfig:
    """Return the settings of an architecture at a size."""
    settings: dict[str, Any] = {name: getattr(size, name) for name in ("width", "inner", "heads")}
    settings |= {"encoder_layers": size.layers, "decoder_layers": size.layers}
    settings_by_kind = {
        "g_transformer": {"combined_layers": min(2, size.layers)},
        # The frame `joined` is free to write another number of sentences than the source has.
        "long_short": {"aggregation_inner": 2 * size.width, "frame": "wrapped"},
        "lexical_chain": {"latent_inner": 2 * size.width, "latent_width": size.width // 4},
        "han": {"context": "joint"},
    }
    return MODEL_CONFIGS[kind](**settings, **settings_by_kind.get(kind, {}), **size.settings)


def model_of(kind: str, size: Size, device: torch.device) -> Transformer:
    """Return a model with random weights, which are the same on each device."""
    torch.manual_seed(1)
    return build(config_of(kind, size), size.vocabulary, size.vocabulary).to(device)


def rows_of(kind: str, size: Size) -> Rows:
    """Return random segments, with lexical chains where the architecture reads them."""
    draw = np.random.default_rng(1)
    sides: list[Ragged] = []
    for _ in range(2):
        lengths = draw.integers(size.words // 2, size.words * 3 // 2 + 1, size=size.segments * size.sentences)
        words = Ragged.of(draw.integers(len(SPECIALS), size.vocabulary, size=lengths.sum()), lengths)
        sides += words.grouped(np.full(size.segments, size.sentences))
    return Rows(*sides, chains_of(sides[1].flat(), size) if kind in READS_CHAINS else None)


def chains_of(lengths: np.ndarray, size: Size) -> RowChains:
    """Return chains of the first words of consecutive sentences; `lengths` are those of the source sentences."""
    by_segment = lengths.reshape(size.segments, size.sentences)
    first_words = np.cumsum(by_segment, axis=1) - by_segment
    counts = np.full(size.segments, size.sentences // CHAIN)
    members = first_words[:, : size.sentences // CHAIN * CHAIN]
    return RowChains(*Ragged.of(members.flatten(), np.full(counts.sum(), CHAIN)).grouped(counts))


def batch_of(kind: str, size: Size, segments: int | None = None) -> Batch:
    """Return the first `segments` segments, or all, as a batch with noise keys, on the host."""
    rows = rows_of(kind, size)
    chosen = places(np.array([segments or len(rows)]))
    return frame_batch(rows.take(chosen), config_of(kind, size).frame).with_keys(document_keys(1, chosen))
