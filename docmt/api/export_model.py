"""The export of a trained model for the library transformers and the Hugging Face Hub."""

from pathlib import Path

from docmt.base.artifacts import atomic_folder, need_new_folder
from docmt.exporting.facts import gather_facts
from docmt.exporting.hub_folder import write_hub_folder
from docmt.exporting.model_card import hub_card
from docmt.settings.decode import LengthPenalty
from docmt.trained.engine import exported_model
from docmt.trained.model import TrainedModel


def export_model(
    path: str | Path,
    output: str | Path,
    *,
    beam: int = 5,
    length_penalty: LengthPenalty = "average",
    length_alpha: float = 1.0,
    max_length_a: float | None = None,
    max_length_b: int | None = None,
    batch_tokens: int = 4096,
) -> None:
    """Write a trained model as the new folder `output`, for the library transformers and the Hugging Face Hub.

    The folder also has the text of the model, a file that loads it, and README.md, its card. `beam`, `length_penalty`,
    `length_alpha`, `max_length_a`, `max_length_b` and `batch_tokens` are the settings of the search, as in
    `Model.translate`; they are written into the export. Raises UserError where a file is missing or damaged, and where
    `output` has files already.

    >>> import docmt
    >>> docmt.export_model("results/5_training/toy_zh-en/sentence/seed1", "exported_model")
    """
    need_new_folder(Path(output))
    trained = TrainedModel.open(Path(path), "cpu", None)
    settings = {"beam": beam, "length_penalty": length_penalty, "length_alpha": length_alpha}
    limits = {"max_length_a": max_length_a, "max_length_b": max_length_b, "batch_tokens": batch_tokens}
    source = exported_model(trained, trained.test_cut(), trained.decode_config(**settings, **limits))
    readme = hub_card(source, gather_facts(source.folder))
    with atomic_folder(Path(output)) as folder:
        write_hub_folder(source, readme, folder)
