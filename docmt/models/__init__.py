"""The architectures, one file each, and the table of them."""

from docmt.core.config import ModelConfig
from docmt.core.errors import UserError
from docmt.models.g_transformer import GTransformer
from docmt.models.transformer import Transformer

MODELS: dict[str, type[Transformer]] = {"transformer": Transformer, "g_transformer": GTransformer}
"""Architectures by `model.kind`; the contract tests run over this table."""


def build(config: ModelConfig, source_size: int, target_size: int) -> Transformer:
    """A freshly initialised model; sizes are those of the vocabularies.

    Raises UserError where one table of embeddings is asked for two vocabularies of different size.
    """
    if config.embeddings == "shared" and source_size != target_size:
        raise UserError(
            "one table of embeddings needs one vocabulary",
            where="model.embeddings",
            found=f"shared, with vocabularies of {source_size} and {target_size} pieces",
            expected="text.bpe: joint, or embeddings: target or separate",
        )
    return MODELS[config.kind](config, source_size, target_size)
