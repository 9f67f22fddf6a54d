"""Forced scores of contrastive variants; the judged sentence is the last of its segment."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np
import pyarrow as pa
from torch import nn

from docmt.base.columns import CONTRASTIVE_SCORES
from docmt.base.errors import UserError
from docmt.base.runs import spans, starts
from docmt.decoding.translator import Progress, quiet, token_batches
from docmt.nn.rows import Rows
from docmt.search.forced import variant_scores

Row = dict[str, Any]


def score_variants(
    model: nn.Module,
    table: pa.Table,
    chains: pa.Table | None,
    batch_tokens: int,
    progress: Progress = quiet,
    whole: bool = False,
) -> pa.Table:
    """CONTRASTIVE_SCORES of CONTRASTIVE_SEGMENTS, in their order, and, where the model reads them, their chains.

    `whole`: of the whole target; else nothing is said of the sentences before the last.

    Variants of an item that have the same ids, as two words give that are both unknown, are computed once: so their
    scores are equal to the last bit, and a tie is seen. Raises UserError where the rows of an item do not share their
    source and their target but for its last sentence.
    """
    distinct, own, variants = distinct_variants(table.to_pylist())
    rows = Rows.from_table(table, chains).take(distinct)
    found = batch_scores(model, rows, variants, batch_tokens, progress, whole)
    of_rows = {name: values[own] for name, values in found.items()}
    columns = {
        name: table[name] if name in table.column_names else of_rows.get(name, pa.nulls(len(table)))
        for name in CONTRASTIVE_SCORES.names
    }
    return pa.table(columns).cast(CONTRASTIVE_SCORES)


def batch_scores(
    model: nn.Module,
    rows: Rows,
    variants: np.ndarray,
    batch_tokens: int,
    progress: Progress = quiet,
    whole: bool = False,
) -> dict[str, np.ndarray]:
    """What `variant_scores` gives, batch by batch; an item is never cut, since its rows share what is computed.

    `variants`: how many consecutive rows each item has.
    """
    columns: defaultdict[str, np.ndarray] = defaultdict(lambda: np.empty(len(rows)))
    first = starts(variants)
    sizes = rows.source_words[first] + np.add.reduceat(rows.target_words, first)
    done = pieces = 0
    for indices in token_batches(sizes.tolist(), batch_tokens):
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
    """The first row of each different variant; which of these each row is; how many of them each item has."""
    distinct, own, variants = [], [], []
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
            own.append(known[target])
        variants.append(len(known))
    return distinct, own, np.array(variants)


def _shared(row: Row) -> tuple:
    """The source, and the target without its last sentence."""
    *context, _ = row["target_lengths"]
    return row["source_ids"], row["source_lengths"], context, row["target_ids"][: sum(context)]


def _check_shared(row: Row, expected: tuple) -> None:
    if _shared(row) != expected:
        raise UserError(
            "variants of an item differ in more than their last sentence",
            where=f"set {row['set']!r}, item {row['item']}, variant {row['variant']}",
            expected="one source, and one target context",
        )
