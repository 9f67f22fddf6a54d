"""Take in trained models of fairseq, and of G-Transformer's code."""

import dataclasses
from pathlib import Path
from typing import Any, Literal

from docmt.base.artifacts import atomic_folder, sha256_file
from docmt.base.vocabulary import Vocabulary
from docmt.models.fairseq import Checkpoint, Numbering, import_model, numberings, read_checkpoint
from docmt.models.fairseq_settings import is_g_transformer, read_dictionary
from docmt.models.store import save_model
from docmt.settings.data import CutConfig, ViewConfig
from docmt.text.bpe import Segmenter
from docmt.text.casing import KeepCase, LowerCase
from docmt.text.pipeline import PipelineConfig, TextPipeline
from docmt.text.side import Side
from docmt.text.tokenizers import tokenizer_for

INSTANCE_TOKENS = 512
"""The budget by which G-Transformer's authors pack the sentences of their instances."""

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
    """Write a trained model as a folder with `model.safetensors`, `model.json` and `text/`; pairs are source, target.

    `codes`, of BPE, and `case` say what was done to the training text; without codes the model's text is pieces.
    `max_tokens`: the budget of an instance, 1 = a sentence; if none is given, as the authors have it. Nothing in the
    checkpoint is run. Raises UserError where a file is missing or damaged, or the model cannot be said here.
    """
    found = read_checkpoint(checkpoint)
    sides = numberings(found, *map(read_dictionary, dictionaries))
    model = import_model(found, *sides)
    pipeline = text_pipeline(sides, languages, codes, case)
    named = dict(zip(("source_language", "target_language"), languages, strict=True))
    with atomic_folder(output) as folder:
        save_model(folder, model, {**provenance(found, checkpoint, max_tokens), **named})
        pipeline.save(folder / "text")


def text_pipeline(
    sides: tuple[Numbering, Numbering], languages: tuple[str, str], codes: tuple[Path, Path] | None, case: Case
) -> TextPipeline:
    """With codes: text is tokenised (Moses, jieba), cased, and cut into pieces; without: it comes as pieces."""
    names = {"source_language": languages[0], "target_language": languages[1]}
    vocabularies = [Vocabulary(side.pieces) for side in sides]
    if codes is None:
        config = PipelineConfig(**names, bpe="joint", merges=0, input="pieces")
        return TextPipeline(config, *map(Side.of_pieces, vocabularies))
    segmenters = [Segmenter.load(file) for file in codes]
    bpe = "joint" if codes[0] == codes[1] else "separate"
    config = PipelineConfig(**names, bpe=bpe, merges=len(segmenters[0].merges), case=case)
    casing = LowerCase() if case == "lower" else KeepCase()
    tokenizers = [tokenizer_for(language, config) for language in languages]
    return TextPipeline(
        config, *(Side(t, casing, s, v) for t, s, v in zip(tokenizers, segmenters, vocabularies, strict=True))
    )


def provenance(found: Checkpoint, file: Path, max_tokens: int | None) -> dict[str, Any]:
    """What `model.json` says of where the weights came from, and how documents are cut for them."""
    budget = max_tokens or (INSTANCE_TOKENS if is_g_transformer(found.args) else None)
    cut = CutConfig(max_tokens=budget) if budget else CutConfig(window=1)
    return {
        "imported_from": "fairseq",
        "architecture": vars(found.args).get("arch"),
        "checkpoint": file.name,
        "checkpoint_sha256": sha256_file(file),
        "view": dataclasses.asdict(ViewConfig(cut, cut)),
    }
