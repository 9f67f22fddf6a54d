"""The architectures, one file each; `docmt.settings.models.MODELS` is the table of all of them."""

from importlib import import_module
from pathlib import Path

from docmt.base.errors import UserError
from docmt.models.transformer import Transformer
from docmt.nn.noise import name_sites
from docmt.settings.models import MODELS, READS_CHAINS, TransformerConfig


def build(config: TransformerConfig, source_size: int, target_size: int) -> Transformer:
    """Return a model with new parameters, for vocabularies of these numbers of pieces.

    Raises UserError where one table of embeddings is requested for two vocabularies of different size, and where
    `absent_pieces` are no ids of the target's vocabulary.
    """
    if config.embeddings == "shared" and source_size != target_size:
        raise UserError(
            "one table of embeddings needs one vocabulary",
            where="model.embeddings",
            found=f"shared, with vocabularies of {source_size} and {target_size} pieces",
            expected="text.vocabulary: shared, or embeddings: target or separate",
        )
    if not all(0 <= piece < target_size for piece in config.absent_pieces):
        stated, expected = f"{min(config.absent_pieces)} to {max(config.absent_pieces)}", f"0 to {target_size - 1}"
        raise UserError("ids of no piece", where="model.absent_pieces", found=stated, expected=expected)
    module, name = MODELS[config.kind].model.split(":")
    model = getattr(import_module(module), name)(config, source_size, target_size)
    # The noise of each module follows from its name, which a module does not know before the model is complete.
    name_sites(model)
    return model


def check_chains(kind: str, chains: Path | None) -> None:
    """Raise UserError where an architecture that reads lexical chains has none, or another architecture has them."""
    if (kind in READS_CHAINS) != (chains is not None):
        raise UserError(
            "model and arguments differ in lexical chains",
            found=f"model.kind {kind}, chains {chains}",
            expected=f"chains with {' and '.join(READS_CHAINS)}, and with no other",
        )
