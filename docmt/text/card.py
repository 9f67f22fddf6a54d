"""What stage 2 made, in numbers."""

import dataclasses
from importlib.metadata import version
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from docmt.core.config import SPLITS
from docmt.core.vocabulary import UNK
from docmt.text.pipeline import TextPipeline

TOOLS = ("jieba", "sacremoses", "subword-nmt", "tokenizers")


def text_card(pipeline: TextPipeline, tokens: pa.Table, contrastive: pa.Table | None) -> dict[str, Any]:
    """Counts by split and side; `unknown` is the number of pieces outside the vocabulary.

    `contrastive_items` is None where the corpus has none; `merges` are those learnt, which a small corpus exhausts, and
    None where pieces are those of a pretrained checkpoint.
    """
    sides = pipeline.sides
    return {
        "text": dataclasses.asdict(pipeline.config),
        "merges": {name: side.merges for name, side in sides.items()},
        "vocabulary": {name: len(side.vocabulary) for name, side in sides.items()},
        "splits": {split: _split(tokens.filter(pc.equal(tokens["split"], split))) for split in SPLITS},
        "contrastive_items": None if contrastive is None else len(contrastive),
        "tools": {name: version(name) for name in TOOLS},
    }


def _split(rows: pa.Table) -> dict[str, Any]:
    documents = len(pc.unique(rows["document"]))
    return {
        "documents": documents,
        "sentences": len(rows),
        "source": _side(rows, "source"),
        "target": _side(rows, "target"),
    }


def _side(rows: pa.Table, name: str) -> dict[str, Any]:
    ids = pc.list_flatten(rows[f"{name}_ids"]).to_numpy()
    tokens = pc.sum(pc.count_substring(rows[f"{name}_tokens"], " ")).as_py() or 0
    unknown = int(np.count_nonzero(ids == UNK))
    return {
        "tokens": tokens + len(rows),
        "pieces": len(ids),
        "unknown": unknown,
        "unknown_share": round(unknown / max(len(ids), 1), 6),
    }
