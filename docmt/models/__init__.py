"""The architectures, one file each; `docmt.settings.models.MODELS` is the table of them."""

from importlib import import_module
from pathlib import Path

from docmt.base.errors import UserError
from docmt.models.transformer import Transformer
from docmt.nn.noise import name_sites
from docmt.settings.models import MODELS, READS_CHAINS, TransformerConfig


def build(config: TransformerConfig, source_size: int, target_size: int) -> Transformer:
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
    module, name = MODELS[config.kind].model.split(":")
    model = getattr(import_module(module), name)(config, source_size, target_size)
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
