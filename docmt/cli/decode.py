"""`docmt decode`: stage 6."""

from pathlib import Path
from typing import Annotated

from docmt.cli.options import Device, Threads, input_file, input_folder, output_folder

Settings = Annotated[Path, input_file("settings.json of stage 6")]
Model = Annotated[Path, input_folder("the model's folder: model.safetensors, model.json, text/")]
View = Annotated[Path, input_folder("folder of stage 3: test.arrow[, contrastive.arrow]")]
Chains = Annotated[Path | None, input_folder("stage 4's folder of the view, for models that read lexical chains")]


def decode(
    settings: Settings,
    model: Model,
    view: View,
    output: Annotated[Path, output_folder("folder for test.txt, test.tok.txt, decoding.json ...")],
    chains: Chains = None,
    device: Device = "auto",
    threads: Threads = None,
) -> None:
    """Translate a view's test segments: one line for each sentence of the test set."""
    from docmt.base.artifacts import read_json
    from docmt.base.parse import parse
    from docmt.cli.opening import open_model
    from docmt.cli.progress import shown_progress
    from docmt.decoding.files import TranslationSettings, write_translations
    from docmt.decoding.segments import View as Segments

    chosen = parse(TranslationSettings, read_json(settings), str(settings))
    network, pipeline = open_model(model, device, threads)
    with shown_progress("decoding", "segments") as progress:
        write_translations(chosen, network, Segments(view, chains), output, pipeline.restore_target, progress)
