"""The check of a model before its export to CTranslate2: nothing is written where it fails."""

from collections.abc import Callable, Iterator

from docmt.base.errors import UserError
from docmt.exporting.source import ExportedModel
from docmt.settings.ctranslate2 import Obstacle, engine_obstacles, obstacles


def check_ctranslate2(source: ExportedModel) -> None:
    """Raise UserError, with the first obstacle, where CTranslate2 cannot translate as the model does."""
    _check(source, obstacles, "--to huggingface exports every model")


def check_engine(source: ExportedModel) -> None:
    """Raise UserError, with the first obstacle, where CTranslate2 cannot be the engine of the model's translations."""
    _check(source, engine_obstacles, "the engine docmt translates with every model")


def _check(source: ExportedModel, obstacles_of: Callable[..., Iterator[Obstacle]], remedy: str) -> None:
    for obstacle in obstacles_of(source.network.config, source.cut, source.text, source.decode):
        raise UserError(
            "CTranslate2 cannot translate as this model does",
            where=str(source.folder),
            found=obstacle.actual,
            expected=obstacle.expected,
            remedy=remedy,
        )
