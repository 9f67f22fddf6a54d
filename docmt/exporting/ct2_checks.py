"""The check of a model before its export to CTranslate2: nothing is written where it fails."""

from docmt.base.errors import UserError
from docmt.exporting.source import ExportedModel
from docmt.settings.ctranslate2 import engine_obstacles, obstacles


def check_ctranslate2(source: ExportedModel, as_engine: bool = False) -> None:
    """Raise UserError, with the first obstacle, where CTranslate2 cannot translate as the model does.

    `as_engine`: whether CTranslate2 is to be the engine of the model's translations, and not of an export.
    """
    obstacles_of = engine_obstacles if as_engine else obstacles
    remedy = "the engine docmt translates with every model" if as_engine else "--to huggingface exports every model"
    for obstacle in obstacles_of(source.network.config, source.cut, source.text, source.decode):
        raise UserError(
            "CTranslate2 cannot translate as this model does",
            where=str(source.folder),
            found=obstacle.actual,
            expected=obstacle.expected,
            remedy=remedy,
        )
