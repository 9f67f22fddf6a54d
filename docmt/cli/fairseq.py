"""`docmt import-fairseq`: the import of a trained model of fairseq, or of G-Transformer's code."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from docmt.base.artifacts import need_new_folder
from docmt.base.errors import UserError
from docmt.base.screen import answer
from docmt.cli.options import AsJson, input_file, language_code, output_folder

Case = Literal["keep", "lower"]
Codes = Annotated[Path | None, input_file("BPE codes of subword-nmt; for both sides or for none")]
Language = Annotated[str, typer.Option(help="ISO 639-1 code, by which text is tokenised", callback=language_code)]


def import_fairseq(
    checkpoint: Annotated[Path, input_file("checkpoint_best.pt of fairseq 0.9 to 0.12, or of G-Transformer")],
    source_dictionary: Annotated[Path, input_file("dict.<language>.txt of the source")],
    target_dictionary: Annotated[Path, input_file("dict.<language>.txt of the target")],
    source_language: Language,
    target_language: Language,
    output: Annotated[Path, output_folder("new folder for model.safetensors, model.json, text/")],
    source_codes: Codes = None,
    target_codes: Codes = None,
    case: Annotated[Case, typer.Option(help="case of the training text (with codes)")] = "keep",
    max_tokens: Annotated[
        int | None, typer.Option(min=1, help="tokens of an instance, 1 = a sentence [default: 512 for G-Transformer]")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Import a model of fairseq, or of G-Transformer's code.

    No code in the checkpoint is run. Without codes the model's text is pieces: `docmt translate` then reads lines of
    pieces separated by spaces, as your own tools cut them, and prints lines of whole words, not detokenised.
    """
    if (source_codes is None) != (target_codes is None):
        raise UserError(
            "codes of one side only", expected="--source-codes and --target-codes (the same file, if joint)"
        )
    need_new_folder(output)
    from docmt.api import fairseq
    from docmt.models.store import read_card

    dictionaries, languages = (source_dictionary, target_dictionary), (source_language, target_language)
    codes = None if source_codes is None else (source_codes, target_codes)
    fairseq.import_fairseq(checkpoint, dictionaries, languages, output, codes, case, max_tokens)
    card = read_card(output)
    text = f"{output}: {card['kind']}, translated with docmt translate --model {output}"
    answer(as_json, {"output": output, **card}, text)
