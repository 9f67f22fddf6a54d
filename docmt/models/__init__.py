"""The architectures, one file each, and the table of them."""

from pathlib import Path

from docmt.core.architectures import READS_CHAINS, ModelConfig
from docmt.core.errors import UserError
from docmt.models.g_transformer import GTransformer
from docmt.models.han import Han
from docmt.models.lexical_chain import LexicalChain
from docmt.models.long_short import LongShort
from docmt.models.transformer import Transformer
from docmt.models.w_link import WLink
from docmt.nn.noise import name_sites

MODELS: dict[str, type[Transformer]] = {
    "transformer": Transformer,
    "g_transformer": GTransformer,
    "long_short": LongShort,
    "lexical_chain": LexicalChain,
    "han": Han,
    "w_link": WLink,
}
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
    model = MODELS[config.kind](config, source_size, target_size)
    name_sites(model)
    return model


def check_chains(kind: str, chains: Path | None) -> None:
    """Raises UserError where an architecture that reads lexical chains gets none, or another one gets them."""
    if (kind in READS_CHAINS) != (chains is not None):
        raise UserError(
            "model and arguments differ in lexical chains",
            found=f"model.kind {kind}, --chains {chains}",
            expected=f"--chains with {' and '.join(READS_CHAINS)}, and with no other",
        )
