"""Jobs of stage 6: they translate a view, score its contrastive variants, and translate passages of a study."""

from pathlib import Path
from typing import Annotated

import typer

from docmt.base.artifacts import write_json
from docmt.base.sealing import sealing
from docmt.cli.gpus import take_gpus
from docmt.cli.options import (
    Device,
    Model,
    Threads,
    input_file,
    input_folder,
    load_settings,
    open_model,
    output_file,
    output_folder,
)
from docmt.cli.screen import progress_display
from docmt.cli.translate import report_fallbacks

TranslationSettings = Annotated[Path, input_file("settings.json of stage 6")]
View = Annotated[Path, input_folder("folder of stage 3: test.arrow[, contrastive.arrow]")]
Chains = Annotated[Path | None, input_folder("folder of stage 4 for the view, for models that read lexical chains")]


def inputs_of(model: Path, view: Path, chains: Path | None) -> dict[str, Path | None]:
    """Return the outputs of other jobs that a job of stage 6 reads, by their roles."""
    return {"model": model, "view": view, "chains": chains}


def decode_view(
    settings: TranslationSettings,
    model: Model,
    view: View,
    output: Annotated[Path, output_folder("folder for test.txt, test.tok.txt, decoding.json ...")],
    chains: Chains = None,
    device: Device = "auto",
    threads: Threads = None,
) -> None:
    """Translate the test segments of a view: one line for each sentence of the test set."""
    from docmt.api.engine import translator_of
    from docmt.decoding import files
    from docmt.decoding.segments import View as Segments

    job, segments = load_settings(files.TranslationSettings, settings), Segments(view, chains)
    take_gpus(device)
    with sealing(settings, "decode-view", output, inputs_of(model, view, chains)) as seal:
        trained = open_model(model, device, threads)
        with progress_display("decoding", "segments") as progress:
            translator = translator_of(trained, job.view.test, job.decode, progress)
            facts = files.write_translations(job, translator, segments, output, trained.pipeline.target.restore)
        seal.close(facts)


def score_variants(
    settings: TranslationSettings,
    model: Model,
    view: View,
    output: Annotated[Path, output_file("contrastive.arrow to write: a score for each variant")],
    whole: Annotated[bool, typer.Option("--whole", help="score the sentences before the judged sentence too")] = False,
    chains: Chains = None,
    device: Device = "auto",
    threads: Threads = None,
) -> None:
    """Score the contrastive variants of a view: log-probabilities of the judged sentences, given their context."""
    from docmt.decoding import files
    from docmt.decoding.segments import View as Segments

    job = load_settings(files.TranslationSettings, settings)
    take_gpus(device)
    with sealing(settings, "score-variants", output.parent, inputs_of(model, view, chains), prefix=f"{output.stem}."):
        trained = open_model(model, device, threads)
        with progress_display("contrastive scores", "variants") as progress:
            files.write_contrastive(job, trained.network, Segments(view, chains), output, progress, whole)


def inspect_system(
    settings: TranslationSettings,
    model: Model,
    view: View,
    chains: Annotated[Path, input_folder("folder of stage 4: the lexical chains of the view's segments")],
    output: Annotated[Path, output_file("inside.arrow to write")],
    device: Device = "auto",
    threads: Threads = None,
) -> None:
    """Inspect a model's attention to repeated words in a dev document, as `docmt inspect` does."""
    from docmt.cli.inspect import write_inspection

    take_gpus(device)
    with sealing(settings, "inspect-system", output.parent, inputs_of(model, view, chains), prefix=f"{output.stem}."):
        write_inspection(model, view, chains, output, "dev", None, device, threads)


def translate_passages(
    settings: Annotated[
        Path, input_file("settings.json of the passages: their documents, and the settings of the search")
    ],
    model: Model,
    output: Annotated[Path, output_file("passages.json to write")],
    device: Device = "auto",
    threads: Threads = None,
) -> None:
    """Translate the documents of the settings, sentence by sentence.

    A model that does not mark the ends of sentences writes one line for a whole document.
    """
    from docmt.api.translate import translate_documents
    from docmt.decoding.files import read_passages

    documents, config = read_passages(settings)
    take_gpus(device)
    with sealing(settings, "translate-passages", output.parent, {"model": model}):
        trained = open_model(model, device, threads)
        with progress_display("translating", "segments") as progress:
            texts, fallbacks = translate_documents(trained, documents, config, progress)
        report_fallbacks(fallbacks)
        write_json(output, {"documents": texts})
