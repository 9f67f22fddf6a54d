"""The export of a trained model for other programs: CTranslate2, and the library transformers."""

from pathlib import Path
from typing import Literal, get_args

from docmt.base.artifacts import atomic_folder, need_new_folder
from docmt.base.errors import check_known
from docmt.exporting.ct2_folder import write_ct2_folder
from docmt.exporting.hub_folder import write_hub_folder
from docmt.settings.decode import LengthPenalty
from docmt.trained.engine import exported_model
from docmt.trained.model import TrainedModel

ExportFormat = Literal["huggingface", "ctranslate2"]


def export_model(
    path: str | Path,
    output: str | Path,
    to: ExportFormat,
    *,
    beam: int = 5,
    length_penalty: LengthPenalty = "average",
    length_alpha: float = 1.0,
    max_length_a: float | None = None,
    max_length_b: int | None = None,
    batch_tokens: int = 4096,
) -> None:
    """Write a trained model as the new folder `output`, for the library transformers or for CTranslate2.

    `to` is `huggingface`, for every model, or `ctranslate2`, for Transformers of single sentences and of windows. The
    folder also has the text of the model, a program or a file that loads it, and README.md, its card. `beam`,
    `length_penalty`, `length_alpha`, `max_length_a`, `max_length_b` and `batch_tokens` are the settings of the search,
    as in `Model.translate`; they are written into the export. Raises UserError where a file is missing or damaged,
    where `output` has files already, and where CTranslate2 cannot translate as the model does, or is not installed.

    >>> import docmt
    >>> docmt.export_model("results/5_training/toy_zh-en/sentence/seed1", "exported_model", "huggingface")
    """
    check_known("format", to, get_args(ExportFormat), "to")
    need_new_folder(Path(output))
    trained = TrainedModel.open(Path(path), "cpu", None)
    settings = {"beam": beam, "length_penalty": length_penalty, "length_alpha": length_alpha}
    limits = {"max_length_a": max_length_a, "max_length_b": max_length_b, "batch_tokens": batch_tokens}
    source = exported_model(trained, trained.test_cut(), trained.decode_config(**settings, **limits))
    with atomic_folder(Path(output)) as folder:
        if to == "huggingface":
            write_hub_folder(source, folder)
        else:
            write_ct2_folder(source, folder)
