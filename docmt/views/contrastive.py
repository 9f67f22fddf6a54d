"""Contrastive items as segments: each variant with as much context as a cut lets a model see."""

from itertools import chain
from typing import Any

import pyarrow as pa

from docmt.base.columns import CONTRASTIVE_SEGMENTS
from docmt.settings.data import CutConfig
from docmt.views.cuts import FRAME, visible_from


def contrastive_segments(items: pa.Table, cut: CutConfig) -> pa.Table:
    """One row a variant, the judged sentence last; rows of an item stand together, in the order of its variants.

    All variants of an item get the same context: what fits beside the longest of them. Otherwise a variant's
    length would decide what it is judged by.
    """
    rows = [row for item in items.to_pylist() for row in _variants(item, cut)]
    return pa.Table.from_pylist(rows, CONTRASTIVE_SEGMENTS)


def _variants(item: dict[str, Any], cut: CutConfig) -> list[dict[str, Any]]:
    longest = max(item["variant_ids"], key=len)
    pairs = zip(item["source_ids"], [*item["target_context_ids"], longest], strict=True)
    first = visible_from([max(len(source), len(target)) + FRAME for source, target in pairs], cut)
    return [_row(item, number, first) for number in range(len(item["variant_ids"]))]


def _row(item: dict[str, Any], variant: int, first: int) -> dict[str, Any]:
    source = item["source_ids"][first:]
    target = [*item["target_context_ids"][first:], item["variant_ids"][variant]]
    return {
        **{name: item[name] for name in ("set", "item", "distance")},
        "variant": variant,
        "correct": variant == item["correct"],
        "source_ids": list(chain.from_iterable(source)),
        "source_lengths": [len(sentence) for sentence in source],
        "target_ids": list(chain.from_iterable(target)),
        "target_lengths": [len(sentence) for sentence in target],
    }
