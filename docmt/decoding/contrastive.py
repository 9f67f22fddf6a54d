"""Forced scores of contrastive variants; the judged sentence is the last sentence of its segment."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np
import pyarrow as pa
from torch import nn

from docmt.base.columns import CONTRASTIVE_SCORES
from docmt.base.errors import UserError
from docmt.base.ragged import spans, starts, sums
from docmt.decoding.batch_size import tokens_at_once
from docmt.decoding.batches import token_batches
from docmt.decoding.translator import Progress, quiet
from docmt.nn.rows import Rows
from docmt.search.forced import variant_scores

Row = dict[str, Any]  # A row of the table CONTRASTIVE_SEGMENTS: values by the names of columns


def score_variants(
    model: nn.Module,
    table: pa.Table,
    chains: pa.Table | None,
    batch_tokens: int | None,
    progress: Progress = quiet,
    whole: bool = False,
) -> pa.Table:
    """Return the table CONTRASTIVE_SCORES for the rows of `table` (CONTRASTIVE_SEGMENTS), in the same order.

    `chains` has the lexical chains of the rows, where the model reads lexical chains. Where `whole` is true, the whole
    target is scored; otherwise the columns about the sentences before the last one are null.

    Raises UserError where the rows of an item differ in their source, or in their target before its last sentence.
    """
    # Variants of an item that have the same ids (two unknown words, for example) are scored once, so that their scores
    # are equal to the last bit and a tie is detected.
    distinct, variant_of_row, variants = distinct_variants(table.to_pylist())
    rows = Rows.from_table(table, chains).take(distinct)
    scores = batch_scores(model, rows, variants, batch_tokens, progress, whole)
    of_rows = {name: values[variant_of_row] for name, values in scores.items()}
    columns = {
        name: table[name] if name in table.column_names else of_rows.get(name, pa.nulls(len(table)))
        for name in CONTRASTIVE_SCORES.names
    }
    return pa.table(columns).cast(CONTRASTIVE_SCORES)


def batch_scores(
    model: nn.Module,
    rows: Rows,
    variants: np.ndarray,
    batch_tokens: int | None,
    progress: Progress = quiet,
    whole: bool = False,
) -> dict[str, np.ndarray]:
    """Return the fields of `docmt.search.forced.VariantScores` for all rows, computed batch by batch.

    `variants` has the number of rows of each item; the rows of an item are consecutive.
    """
    # The arrays need no initial values, since each row is in exactly one batch.
    columns: defaultdict[str, np.ndarray] = defaultdict(lambda: np.empty(len(rows)))
    first = starts(variants)
    # The size of an item counts its source once, since the source is encoded once for all variants.
    sizes = rows.source_words[first] + sums(rows.target_words, variants)
    done = pieces = 0
    for indices in token_batches(sizes.tolist(), batch_tokens or tokens_at_once(model)):
        # The rows of an item are always in the same batch, since they share computations.
        chosen = spans(first[indices], variants[indices])
        batch = rows.take(chosen)
        scores = variant_scores(model, batch, variants[indices], whole)
        for name, values in vars(scores).items():
            if values is not None:
                columns[name][chosen] = values
        done, pieces = done + len(batch), pieces + int(rows.source_words[first[indices]].sum())
        progress(done, len(rows), pieces)
    return columns


def distinct_variants(rows: Sequence[Row]) -> tuple[list[int], list[int], np.ndarray]:
    """Return the distinct variants of all items, as three lists of numbers.

    The first list has the first row of each distinct variant. The second list has, for each row, the index of its
    variant in the first list. The third has the number of distinct variants of each item.
    """
    distinct, variant_of_row, variants = [], [], []
    for _, item in groupby(range(len(rows)), lambda row: (rows[row]["set"], rows[row]["item"])):
        known: dict[tuple[int, ...], int] = {}
        shared = None
        for row in item:
            shared = shared or _shared(rows[row])
            _check_shared(rows[row], shared)
            target = tuple(rows[row]["target_ids"])
            if target not in known:
                known[target] = len(distinct)
                distinct.append(row)
            variant_of_row.append(known[target])
        variants.append(len(known))
    return distinct, variant_of_row, np.array(variants)


def _shared(row: Row) -> tuple:
    *context, _ = row["target_lengths"]
    # The source, and the target but its last sentence.
    return row["source_ids"], row["source_lengths"], context, row["target_ids"][: sum(context)]


def _check_shared(row: Row, expected: tuple) -> None:
    if _shared(row) != expected:
        raise UserError(
            "variants of an item differ in more than their last sentence",
            where=f"set {row['set']!r}, item {row['item']}, variant {row['variant']}",
            expected="one source, and one target context",
        )
