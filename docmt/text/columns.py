"""Whole columns of sentences at a time: tokens, cases, pieces and ids, as lines joined by single spaces."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain

import pyarrow as pa

from docmt.core.documents import TOKENS
from docmt.core.errors import UserError
from docmt.text.casing import Casing
from docmt.text.side import Side
from docmt.text.tokenizers import Tokenizer

REMEMBERED_SENTENCES = 1 << 16
ROWS_AT_ONCE = 50_000
"""Rows whose ids are held as Python lists at a time; what comes out does not depend on it."""


def tokenize_column(tokenizer: Tokenizer, sentences: Iterable[str]) -> list[str]:
    @lru_cache(REMEMBERED_SENTENCES)
    def tokenize(sentence: str) -> str:
        return " ".join(tokenizer.tokenize(sentence))

    return [tokenize(sentence) for sentence in sentences]


def case_column(casing: Casing, lines: Iterable[str]) -> list[str]:
    return [" ".join(casing.apply(line.split(" "))) for line in lines]


def encode_column(side: Side, lines: Iterable[str]) -> tuple[list[str], list[list[int]]]:
    """Each line's pieces and their ids."""
    pieces, ids = [], []
    for line in lines:
        found = [side.lookup(token) for token in line.split(" ")]
        pieces.append(" ".join([piece for piece, _ in found]))
        ids.append(list(chain.from_iterable([numbers for _, numbers in found])))
    return pieces, ids


def tokens_table(documents: pa.Table, lines: dict[str, Sequence[str]], sides: dict[str, Side]) -> pa.Table:
    """The rows of `documents` with tokens, pieces and ids of both sides (`lines`, `sides`: by "source", "target")."""
    batches = []
    for first in range(0, len(documents), ROWS_AT_ONCE):
        rows = slice(first, first + ROWS_AT_ONCE)
        columns = {name: documents[name][rows].combine_chunks() for name in ("split", "document", "sentence")}
        for name, side in sides.items():
            tokens = lines[name][rows]
            columns[f"{name}_tokens"] = tokens
            columns[f"{name}_pieces"], columns[f"{name}_ids"] = encode_column(side, tokens)
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
