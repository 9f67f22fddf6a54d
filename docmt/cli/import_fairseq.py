"""`docmt import-fairseq`: a trained model of fairseq, or of G-Transformer's code, as a model of docmt."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from docmt.cli.options import input_file, language_code, output_folder

if TYPE_CHECKING:
    from docmt.models.fairseq import Checkpoint, Numbering
    from docmt.text.pipeline import TextPipeline

INSTANCE_TOKENS = 512
"""The budget by which G-Transformer's authors pack the sentences of their instances."""

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
    from docmt.base.artifacts import atomic_folder
    from docmt.models.fairseq import imported, numberings, read_checkpoint
    from docmt.models.fairseq_settings import read_dictionary
    from docmt.models.store import save_model

    check_arguments(output, source_codes, target_codes)
    found = read_checkpoint(checkpoint)
    sides = numberings(found, read_dictionary(source_dictionary), read_dictionary(target_dictionary))
    model = imported(found, *sides)
    pipeline = text_pipeline(sides, (source_language, target_language), (source_codes, target_codes), case)
    languages = {"source_language": source_language, "target_language": target_language}
    with atomic_folder(output) as folder:
        save_model(folder, model, {**provenance(found, checkpoint, max_tokens), **languages})
        pipeline.save(folder / "text")


def check_arguments(output: Path, source_codes: Path | None, target_codes: Path | None) -> None:
    from docmt.base.errors import UserError

    if (source_codes is None) != (target_codes is None):
        raise UserError(
            "codes of one side only", expected="--source-codes and --target-codes (the same file, if joint)"
        )
    if output.exists():
        raise UserError(
            "the output is there already", where=str(output), remedy="name a new folder, or remove this one"
        )


def text_pipeline(
    sides: "tuple[Numbering, Numbering]", languages: tuple[str, str], codes: tuple[Path | None, Path | None], case: Case
) -> "TextPipeline":
    """With codes: text is tokenised (Moses, jieba), cased, and cut into pieces; without: it comes as pieces."""
    from docmt.base.vocabulary import Vocabulary
    from docmt.text.bpe import Segmenter
    from docmt.text.casing import Keep, Lower
    from docmt.text.pipeline import PipelineConfig, TextPipeline
    from docmt.text.side import Side
    from docmt.text.tokenizers import tokenizer_for

    names = {"source_language": languages[0], "target_language": languages[1]}
    vocabularies = [Vocabulary(side.pieces) for side in sides]
    bpe = "joint" if codes[0] == codes[1] else "separate"
    if codes[0] is None:
        config = PipelineConfig(**names, bpe=bpe, merges=0, input="pieces")
        return TextPipeline(config, *(Side.of_pieces(vocabulary) for vocabulary in vocabularies))
    segmenters = [Segmenter.load(file) for file in codes]
    config = PipelineConfig(**names, bpe=bpe, merges=len(segmenters[0].merges), case=case)
    casing = Lower() if case == "lower" else Keep()
    tokenizers = [tokenizer_for(language, config) for language in languages]
    return TextPipeline(
        config, *(Side(t, casing, s, v) for t, s, v in zip(tokenizers, segmenters, vocabularies, strict=True))
    )


def provenance(found: "Checkpoint", file: Path, max_tokens: int | None) -> dict[str, Any]:
    """What `model.json` says of where the weights came from, and how documents are cut for them."""
    import dataclasses

    from docmt.base.artifacts import sha256_file
    from docmt.models.fairseq_settings import is_g_transformer
    from docmt.settings.data import CutConfig, ViewConfig

    budget = max_tokens or (INSTANCE_TOKENS if is_g_transformer(found.args) else None)
    cut = CutConfig(max_tokens=budget) if budget else CutConfig(window=1)
    return {
        "imported_from": "fairseq",
        "architecture": vars(found.args).get("arch"),
        "checkpoint": file.name,
        "checkpoint_sha256": sha256_file(file),
        "view": dataclasses.asdict(ViewConfig(cut, cut)),
    }
