"""Contrastive items as ids, by the same pipeline as the corpus they go with."""

from functools import lru_cache
from typing import Any

import pyarrow as pa

from docmt.base.columns import CONTRASTIVE_TOKENS
from docmt.base.errors import UserError
from docmt.text.pipeline import Sides
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
