"""The export of a trained model for other programs: CTranslate2, and the library transformers."""

from pathlib import Path
from typing import Any, Literal

from docmt.base.artifacts import atomic_folder, need_new_folder
from docmt.base.errors import check_known
from docmt.exporting.source import ExportedModel
from docmt.trained.engine import exported_model
from docmt.trained.model import TrainedModel

ExportFormat = Literal["huggingface", "ctranslate2"]


def export_model(path: str | Path, output: str | Path, to: ExportFormat, **search: Any) -> None:
    """Write a trained model as the new folder `output`, for the library transformers or for CTranslate2.

    `to` is `huggingface`, for every model, or `ctranslate2`, for Transformers of single sentences and of windows. The
    folder also has the text of the model, a program or a file that loads it, and README.md, its card. `search` has
    settings of the search, such as `beam`, as in `Model.translate`; they are written into the export. Raises UserError
    where a file is missing or damaged, where `output` has files already, and where CTranslate2 cannot translate as the
    model does, or is not installed.

    >>> import docmt
    >>> docmt.export_model("results/5_training/toy_zh-en/sentence/seed1", "exported_model", "huggingface")
    """
    check_known("format", to, WRITERS, "to")
    need_new_folder(Path(output))
    trained = TrainedModel.open(Path(path), "cpu", None)
    source = exported_model(trained, trained.test_cut(), trained.decode_config(**search))
    WRITERS[to](source, Path(output))


def _write_huggingface(source: ExportedModel, output: Path) -> None:
    from docmt.exporting.hub_folder import write_hub_folder
    from docmt.exporting.loading_text import huggingface_section
    from docmt.exporting.model_card import hub_card

    readme = hub_card(source, huggingface_section())
    with atomic_folder(output) as folder:
        write_hub_folder(source, readme, folder)


def _write_ctranslate2(source: ExportedModel, output: Path) -> None:
    from docmt.exporting.ct2_checks import check_ctranslate2
    from docmt.exporting.ct2_folder import write_ct2_folder
    from docmt.exporting.ct2_model import ctranslate2
    from docmt.exporting.loading_text import ctranslate2_section
    from docmt.exporting.model_card import card_text

    check_ctranslate2(source)
    ctranslate2()
    readme = card_text(source, ctranslate2_section(source))
    with atomic_folder(output) as folder:
        write_ct2_folder(source, readme, folder)


WRITERS = {"huggingface": _write_huggingface, "ctranslate2": _write_ctranslate2}
"""The function that writes each format of an export."""
