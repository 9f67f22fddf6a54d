"""The import of trained models of fairseq, and of G-Transformer's code, as models of docmt."""

import dataclasses
from pathlib import Path
from typing import Any, Literal

from docmt.base.artifacts import atomic_folder
from docmt.base.digests import sha256_file
from docmt.base.vocabulary import Vocabulary
from docmt.models.fairseq import Checkpoint, Numbering, import_model, numberings, read_checkpoint
from docmt.models.fairseq_settings import is_g_transformer, read_dictionary
from docmt.models.store import save_model
from docmt.settings.data import CutConfig, ViewConfig
from docmt.text.bpe import Segmenter
from docmt.text.casing import casing_of
from docmt.text.pipeline import PipelineConfig, TextPipeline
from docmt.text.side import Side
from docmt.text.tokenizers import tokenizer_for

# The largest number of tokens of an instance into which the authors of G-Transformer pack sentences.
INSTANCE_TOKENS = 512

Case = Literal["keep", "lower"]


def import_fairseq(
    checkpoint: Path,
    dictionaries: tuple[Path, Path],
    languages: tuple[str, str],
    output: Path,
    codes: tuple[Path, Path] | None = None,
    case: Case = "keep",
    max_tokens: int | None = None,
) -> None:
    """Write a trained model of fairseq as a folder with `model.safetensors`, `model.json` and `text/`.

    Pairs are (source, target). `codes` (of BPE) and `case` are those of the training text; without codes, the model's
    text is already in pieces. `max_tokens` is the largest number of tokens of an instance. 1 means single sentences;
    None means 512 tokens for G-Transformer, and single sentences for other models. No code in the checkpoint is run.
    Raises UserError where a file is missing or damaged, or docmt does not support the model.
    """
    weights = read_checkpoint(checkpoint)
    sides = numberings(weights, *map(read_dictionary, dictionaries))
    model = import_model(weights, *sides)
    pipeline = text_pipeline(sides, languages, codes, case)
    languages_of_sides = dict(zip(("source_language", "target_language"), languages, strict=True))
    with atomic_folder(output) as folder:
        save_model(folder, model, {**provenance(weights, checkpoint, max_tokens), **languages_of_sides})
        pipeline.save(folder / "text")


def text_pipeline(
    sides: tuple[Numbering, Numbering], languages: tuple[str, str], codes: tuple[Path, Path] | None, case: Case
) -> TextPipeline:
    """Return the text pipeline: it tokenises, cases and segments text; without codes, text is already in pieces."""
    names = {"source_language": languages[0], "target_language": languages[1]}
    vocabularies = [Vocabulary(side.pieces) for side in sides]
    if codes is None:
        config = PipelineConfig(**names, vocabulary=_sharing(vocabularies), merges=0, input="pieces")
        return TextPipeline(config, *map(Side.of_pieces, vocabularies))
    segmenters = [Segmenter.load(file) for file in codes]
    # With separate codes, fairseq can have one dictionary (--joined-dictionary); here each side then has a copy of it.
    bpe, vocabulary = ("joint", _sharing(vocabularies)) if codes[0] == codes[1] else ("separate", "separate")
    config = PipelineConfig(**names, bpe=bpe, vocabulary=vocabulary, merges=len(segmenters[0].merges), case=case)
    parts = zip(languages, segmenters, vocabularies, strict=True)
    return TextPipeline(
        config, *(Side(tokenizer_for(name, config), casing_of(config, name), *part) for name, *part in parts)
    )


def _sharing(vocabularies: list[Vocabulary]) -> Literal["shared", "separate"]:
    return "shared" if vocabularies[0] == vocabularies[1] else "separate"


def provenance(weights: Checkpoint, file: Path, max_tokens: int | None) -> dict[str, Any]:
    """Return the provenance for `model.json`: the checkpoint of the weights, the view, and settings of decoding.

    fairseq computes the maximum length of translations from the longest source of a batch; G-Transformer's code does
    so from each sentence.
    """
    budget = max_tokens or (INSTANCE_TOKENS if is_g_transformer(weights.args) else None)
    cut = CutConfig(max_tokens=budget) if budget else CutConfig(window=1)
    return {
        "imported_from": "fairseq",
        "architecture": vars(weights.args).get("arch"),
        "checkpoint": file.name,
        "checkpoint_sha256": sha256_file(file),
        "view": dataclasses.asdict(ViewConfig(cut, cut)),
        **({} if is_g_transformer(weights.args) else {"decode": {"max_length_of": "batch"}}),
    }
