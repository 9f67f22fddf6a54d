"""The program that searches the translations of a model: docmt's own search, or CTranslate2."""

from docmt.decoding.translator import Progress, Translator, quiet
from docmt.exporting.source import ExportedModel
from docmt.models.store import read_card
from docmt.settings.data import CutConfig
from docmt.settings.decode import DecodeConfig
from docmt.trained.model import TrainedModel


def translator_of(model: TrainedModel, cut: CutConfig, config: DecodeConfig, progress: Progress = quiet) -> Translator:
    """Return a translator with the engine of `config`; `cut` says how the documents are cut.

    Raises UserError where CTranslate2 is the engine, and cannot translate as the model does or is not installed.
    """
    if config.engine == "docmt":
        return Translator(model.network, config, progress)
    from docmt.exporting.ct2_engine import CTranslate2Translator

    return CTranslate2Translator(exported_model(model, cut, config), progress)


def exported_model(model: TrainedModel, cut: CutConfig, config: DecodeConfig) -> ExportedModel:
    """Return a trained model as exports read it."""
    text = model.pipeline.config
    return ExportedModel(
        network=model.network,
        folder=model.folder,
        card=read_card(model.folder),
        pieces=(model.pipeline.source.vocabulary.pieces, model.pipeline.target.vocabulary.pieces),
        languages=model.languages,
        text=text,
        is_cut=text.input == "pieces",
        cut=cut,
        decode=config,
    )
