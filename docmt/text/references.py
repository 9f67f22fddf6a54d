"""Further references as tokens: what BLEU over tokens needs where a corpus has several translations of a sentence."""

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from docmt.base.columns import REFERENCE_TOKENS
from docmt.text.pretrained import PretrainedSide
from docmt.text.side import Side
from docmt.text.spelling import join_names


def reference_tokens(documents: Path, target: Side | PretrainedSide) -> pa.Table | None:
    """The references of `documents.parquet` beside the target, by the target's pipeline; None where it has none."""
    has_any = pc.list_value_length(pc.field("references")) > 0
    rows = pq.read_table(documents, columns=["split", "document", "sentence", "references"], filters=has_any)
    if not len(rows):
        return None
    found = [[_tokens(target, sentence) for sentence in references] for references in rows["references"].to_pylist()]
    columns = [rows[name] for name in REFERENCE_TOKENS.names[:-1]]
    return pa.table([*columns, pa.array(found, pa.list_(pa.string()))], REFERENCE_TOKENS)


def _tokens(target: Side | PretrainedSide, sentence: str) -> str:
    tokens = target.tokenizer.tokenize(sentence)
    return " ".join(target.casing.apply(tokens)) if isinstance(target, Side) else join_names(tokens)
