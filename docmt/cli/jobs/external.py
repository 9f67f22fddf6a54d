"""Jobs of stage 6 for external systems, whose translations docmt does not make."""

from pathlib import Path
from typing import Annotated

from docmt.base.sealing import sealing
from docmt.cli.options import input_file, input_folder, input_path, load_settings, output_folder
from docmt.cli.screen import say


def adopt_translations(
    settings: Annotated[Path, input_file("settings.json of stage 6")],
    corpus: Annotated[Path, input_folder("folder of stage 1: documents.parquet, with the test set")],
    tokens: Annotated[Path, input_folder("folder of stage 2: text/, which cuts translations into tokens")],
    output: Annotated[Path, output_folder("folder for test.txt, test.tok.txt, decoding.json")],
    translations: Annotated[
        Path | None, input_path("file of translations, or folder with a file for each document; none: generated lines")
    ] = None,
) -> None:
    """Check the translations of another system, and write them as those of a trained system are written."""
    from docmt.external.adopt import AdoptionSettings, read_expected, write_adopted
    from docmt.settings.external import files_at
    from docmt.text.others import restore_line
    from docmt.text.pipeline import TextPipeline

    job = load_settings(AdoptionSettings, settings)
    files = {} if translations is None else files_at(translations)
    with sealing(settings, "adopt-translations", output, {"corpus": corpus, "tokens": tokens}, files):
        pipeline = TextPipeline.load(tokens / "text")
        language = pipeline.config.target_language

        def restore(line: str, is_tokenised: bool) -> tuple[str, str]:
            """Return the tokens and the plain text of a line."""
            return restore_line(pipeline.target, language, line, is_tokenised)

        for note in write_adopted(job, read_expected(corpus), translations, output, restore, language):
            say(f"{translations}: {note}")
