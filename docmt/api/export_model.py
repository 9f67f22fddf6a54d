"""The export of a trained model for other programs: CTranslate2, and the library transformers."""

from pathlib import Path
from typing import Any, Literal

from docmt.base.artifacts import need_new_folder
from docmt.base.errors import check_known
from docmt.exporting.ct2_folder import write_ct2_folder
from docmt.exporting.hub_folder import write_hub_folder
from docmt.trained.engine import exported_model
from docmt.trained.model import TrainedModel

ExportFormat = Literal["huggingface", "ctranslate2"]

# The function that writes each format of an export.
WRITERS = {"huggingface": write_hub_folder, "ctranslate2": write_ct2_folder}


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
