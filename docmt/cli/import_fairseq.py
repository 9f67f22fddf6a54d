"""`docmt import-fairseq`: a trained model of fairseq, or of G-Transformer's code, as a model of docmt."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from docmt.base.errors import UserError
from docmt.cli.options import input_file, language_code, output_folder

Case = Literal["keep", "lower"]
Codes = Annotated[Path | None, input_file("BPE codes of subword-nmt; for both sides or for none")]
Language = Annotated[str, typer.Option(help="ISO 639-1 code, by which text is tokenised", callback=language_code)]


def import_fairseq(
    checkpoint: Annotated[Path, input_file("checkpoint_best.pt of fairseq 0.9 to 0.12, or of G-Transformer")],
    source_dictionary: Annotated[Path, input_file("dict.<language>.txt")],
    target_dictionary: Annotated[Path, input_file("dict.<language>.txt")],
    source_language: Language,
    target_language: Language,
    output: Annotated[Path, output_folder("folder to make: model.safetensors, model.json, text/")],
    source_codes: Codes = None,
    target_codes: Codes = None,
    case: Annotated[Case, typer.Option(help="what was done to the case of the training text (with codes)")] = "keep",
    max_tokens: Annotated[
        int | None, typer.Option(min=1, help="budget of an instance, 1 = a sentence [default: 512 for G-Transformer]")
    ] = None,
) -> None:
    """Turn a trained model of fairseq, or of G-Transformer's code, into one that `docmt translate` uses.

    Nothing in the checkpoint is run. Without codes the model's text is pieces: `docmt translate` then takes lines of
    pieces parted by blanks, as your own tools cut them, and gives lines of whole words, not detokenised.
    """
    check_arguments(output, source_codes, target_codes)

    from docmt.api import fairseq

    dictionaries, languages = (source_dictionary, target_dictionary), (source_language, target_language)
    codes = None if source_codes is None else (source_codes, target_codes)
    fairseq.import_fairseq(checkpoint, dictionaries, languages, output, codes, case, max_tokens)


def check_arguments(output: Path, source_codes: Path | None, target_codes: Path | None) -> None:
    if (source_codes is None) != (target_codes is None):
        raise UserError(
            "codes of one side only", expected="--source-codes and --target-codes (the same file, if joint)"
        )
    if output.exists():
        raise UserError(
            "the output is there already", where=str(output), remedy="name a new folder, or remove this one"
        )
