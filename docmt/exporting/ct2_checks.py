"""The check of a model before its export to CTranslate2: nothing is written where it fails."""

from docmt.base.errors import UserError
from docmt.exporting.source import ExportedModel
from docmt.settings.ctranslate2 import engine_obstacles, obstacles

WHAT = "CTranslate2 cannot translate as this model does"
"""The message of both checks."""


def check_ctranslate2(source: ExportedModel) -> None:
    """Raise UserError, with the first obstacle, where CTranslate2 cannot translate as the model does."""
    for obstacle in obstacles(source.network.config, source.cut, source.text, source.decode):
        raise UserError(
            WHAT,
            where=str(source.folder),
            found=obstacle.actual,
            expected=obstacle.expected,
            remedy="--to huggingface exports every model",
        )


def check_engine(source: ExportedModel) -> None:
    """Raise UserError, with the first obstacle, where CTranslate2 cannot be the engine of the model's translations."""
    for obstacle in engine_obstacles(source.network.config, source.cut, source.text, source.decode):
        raise UserError(
            WHAT,
            where=str(source.folder),
            found=obstacle.actual,
            expected=obstacle.expected,
            remedy="the engine docmt translates with every model",
        )
