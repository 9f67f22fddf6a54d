"""Jobs of stage 6 for external systems, whose translations docmt does not make."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docmt.base.digests import full_digest
from docmt.base.sealing import sealing
from docmt.cli.options import input_file, input_folder, input_path, load_settings, output_folder
from docmt.cli.screen import say

if TYPE_CHECKING:
    from docmt.external.adopt import AdoptionSettings, Restore
    from docmt.text.pipeline import TextPipeline


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
    from docmt.text.pipeline import TextPipeline
    from docmt.text.signs import signs_of

    job = load_settings(AdoptionSettings, settings)
    files = {} if translations is None else files_at(translations)
    with sealing(settings, "adopt-translations", output, {"corpus": corpus, "tokens": tokens}, files):
        pipeline = TextPipeline.load(tokens / "text")
        test, language = read_expected(corpus), pipeline.config.target_language
        for note in write_adopted(job, test, translations, output, restoring(pipeline, job), signs_of, language):
            say(f"{translations}: {note}")


def ask_program(
    settings: Annotated[Path, input_file("settings.json of stage 6")],
    corpus: Annotated[Path, input_folder("folder of stage 1: documents.parquet, with the test set")],
    tokens: Annotated[Path, input_folder("folder of stage 2: text/, which cuts translations into tokens")],
    output: Annotated[Path, output_folder("folder for test.txt, test.tok.txt, decoding.json")],
    state: Annotated[Path, output_folder("folder for the answers so far, which the next attempt reads")],
    timeout_seconds: Annotated[float, typer.Option(min=0.001, max=604_800, help="longest wait for the next answer")],
    retries: Annotated[int, typer.Option(min=0, max=1000, help="how often a document is sent again after a failure")],
    at_once: Annotated[int, typer.Option(min=1, max=1000, help="documents that wait for their answers")],
    depends_on: Annotated[
        list[Path] | None, input_file("file that decides the translations; repeat the option for several")
    ] = None,
) -> None:
    """Ask a program for the translations of the test set, document by document, and write them like those of others.

    Each answer is on the disk before the next document is sent: an attempt that was killed asks nothing twice.
    """
    from docmt.base.programs import Limits, Program
    from docmt.external.adopt import AdoptionSettings, read_expected, write_answers
    from docmt.external.ask import ask
    from docmt.external.journal import open_journal, remove_journal
    from docmt.text.pipeline import TextPipeline
    from docmt.text.signs import signs_of

    job = load_settings(AdoptionSettings, settings)
    files = {f"depends_on/{number}": path for number, path in enumerate(depends_on or [])}
    with sealing(settings, "ask-program", output, {"corpus": corpus, "tokens": tokens}, files) as seal:
        pipeline, test = TextPipeline.load(tokens / "text"), read_expected(corpus)
        languages = pipeline.config.source_language, pipeline.config.target_language
        limits = Limits(timeout_seconds, retries, at_once)
        program = Program(job.source.words(job.corpus, job.seed), limits, f"{job.system}: command.run")
        identity = seal.asked.identity or full_digest(seal.asked.to_json())
        with open_journal(state, identity) as journal:
            lines = ask(program, test, languages, journal)
        for note in write_answers(job, test, lines, output, restoring(pipeline, job), signs_of):
            say(f"{job.system}: {note}")
    # The outputs have a manifest now, and the answers are in them.
    remove_journal(state, identity)


def restoring(pipeline: "TextPipeline", job: "AdoptionSettings") -> "Restore":
    """Return the function that returns the tokens and the plain text of a line of translations."""
    from docmt.text.others import restore_line

    language, is_truecased = pipeline.config.target_language, job.source.case == "truecased" and not job.stand_in
    return lambda line, is_tokenised: restore_line(pipeline.target, language, line, is_tokenised, is_truecased)
