"""Small models and documents, one table for all tests of architectures; a new architecture adds a line."""

import random

import torch
from torch import Tensor

from docmt.core.config import GTransformerConfig, TransformerConfig
from docmt.models import build
from docmt.models.transformer import Transformer
from docmt.nn.rows import Rows
from docmt.nn.streams import Batch, frame_batch

VOCABULARY, FIRST_WORD = 30, 7
SIZES = {"encoder_layers": 2, "decoder_layers": 2, "width": 16, "inner": 24, "heads": 4}
CASES = {
    "transformer": TransformerConfig(**SIZES),
    "transformer joined": TransformerConfig(**SIZES, frame="joined", embeddings="target"),
    "transformer pre-norm": TransformerConfig(**SIZES, norm="pre", embeddings="separate"),
    "g_transformer": GTransformerConfig(**SIZES, combined_layers=1),
    "g_transformer everywhere": GTransformerConfig(**SIZES, combined_layers=2, norm="pre"),
    "g_transformer groups": GTransformerConfig(**SIZES, combined_layers=0),
    "g_transformer source context": GTransformerConfig(**SIZES, combined_layers=1, decoder_self_combined_layers=0),
}

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


def batch_of(case: str, source: list, target: list) -> Batch:
    return frame_batch(Rows.from_lists(source, target), CASES[case].frame)


def logits_of(model: Transformer, batch: Batch) -> Tensor:
    return model.logits(model.decode(batch.target_in, model.encode(batch.source)))
