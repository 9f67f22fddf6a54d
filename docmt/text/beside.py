"""What a corpus has beside its sentences, as tokens: contrastive items, and further references for BLEU over tokens."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from docmt.base.columns import CONTRASTIVE_TOKENS, REFERENCE_TOKENS
from docmt.base.errors import UserError
from docmt.text.pipeline import Sides
from docmt.text.pretrained import PretrainedSide
from docmt.text.side import Side
from docmt.text.tokenise import REMEMBERED_SENTENCES

COLUMNS = {"source_ids": "source", "target_context_ids": "target_context", "variant_ids": "variants"}


def contrastive_tokens(items: pa.Table, sides: Sides, file: str) -> pa.Table:
    """Raises UserError for a sentence without any token."""
    encode = {name: lru_cache(REMEMBERED_SENTENCES)(side.encode) for name, side in sides.items()}
    rows = []
    for item in items.to_pylist():
        row = {name: item[name] for name in ("set", "item", "distance", "correct")}
        for column, sentences in COLUMNS.items():
            side = "source" if column == "source_ids" else "target"
            row[column] = [encode[side](sentence) for sentence in item[sentences]]
            if not all(row[column]):
                raise _without_tokens(item, item[sentences][row[column].index([])], file)
        rows.append(row)
    return pa.Table.from_pylist(rows, CONTRASTIVE_TOKENS)


def _without_tokens(item: dict[str, Any], sentence: str, file: str) -> UserError:
    where = f"{file}: set {item['set']!r} item {item['item']}"
    return UserError("a contrastive sentence without any token", where=where, found=repr(sentence))


def reference_tokens(documents: Path, target: Side | PretrainedSide) -> pa.Table | None:
    """The references of `documents.parquet` beside the target, by the target's pipeline; None where it has none."""
    has_any = pc.list_value_length(pc.field("references")) > 0
    rows = pq.read_table(documents, columns=["split", "document", "sentence", "references"], filters=has_any)
    if not len(rows):
        return None
    found = [
        [" ".join(target.tokens(sentence)) for sentence in references] for references in rows["references"].to_pylist()
    ]
    columns = [rows[name] for name in REFERENCE_TOKENS.names[:-1]]
    return pa.table([*columns, pa.array(found, pa.list_(pa.string()))], REFERENCE_TOKENS)
