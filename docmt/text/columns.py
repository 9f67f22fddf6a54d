"""Whole columns of sentences at a time: tokens, cases, pieces and ids, as lines joined by single spaces."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

import pyarrow as pa

from docmt.core.documents import TOKENS
from docmt.core.errors import UserError
from docmt.text.casing import Casing
from docmt.text.pipeline import Sides
from docmt.text.pretrained import PretrainedTokenizer
from docmt.text.tokenizers import Tokenizer

REMEMBERED_SENTENCES = 1 << 16
ROWS_AT_ONCE = 50_000
"""Rows whose ids are held as Python lists at a time; what comes out does not depend on it."""


def tokenize_column(tokenizer: Tokenizer | PretrainedTokenizer, sentences: Iterable[str]) -> list[str]:
    @lru_cache(REMEMBERED_SENTENCES)
    def tokenize(sentence: str) -> str:
        return " ".join(tokenizer.tokenize(sentence))

    return [tokenize(sentence) for sentence in sentences]


def case_column(casing: Casing, lines: Iterable[str]) -> list[str]:
    return [" ".join(casing.apply(line.split(" "))) for line in lines]


def tokens_table(documents: pa.Table, lines: dict[str, Sequence[str]], sides: Sides) -> pa.Table:
    """The rows of `documents` with tokens, pieces and ids of both sides (`lines`: by "source", "target")."""
    batches = []
    for first in range(0, len(documents), ROWS_AT_ONCE):
        rows = slice(first, first + ROWS_AT_ONCE)
        columns = {name: documents[name][rows].combine_chunks() for name in ("split", "document", "sentence")}
        for name, side in sides.items():
            found = side.encode_lines(lines[name][rows])
            columns |= zip((f"{name}_tokens", f"{name}_pieces", f"{name}_ids"), found, strict=True)
        batches.append(pa.record_batch([pa.array(columns[f.name], f.type) for f in TOKENS], schema=TOKENS))
    return pa.Table.from_batches(batches, TOKENS)


def check_has_tokens(documents: pa.Table, lines: Sequence[str], side: str, file: str) -> None:
    """Raises UserError for the first sentence that no token is left of (white space, control characters)."""
    if all(lines):
        return
    row = documents.slice(lines.index(""), 1).to_pylist()[0]
    raise UserError(
        f"a {side} sentence without any token",
        where=f"{file}: {row['split']} document {row['document']!r} sentence {row['sentence']}",
        found=repr(row[side]),
        remedy="leave the pair out of the corpus",
    )
