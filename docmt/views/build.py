"""The stage: from a corpus's tokens to the segments of one view."""

from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from docmt.base.artifacts import write_json
from docmt.base.columns import CONTRASTIVE_TOKENS, SEGMENTS, read_arrow, write_arrow
from docmt.base.errors import UserError
from docmt.base.names import SPLITS
from docmt.base.shards import ArrowShards, Counts, add_counts, arrow_writer
from docmt.base.workers import ALONE, Workers
from docmt.settings.data import CutConfig, ViewConfig
from docmt.views.contrastive import contrastive_segments
from docmt.views.selection import draw
from docmt.views.shards import NEEDED, CutShard, RankShard, cut_of


@dataclass(frozen=True)
class ViewsSettings:
    """The stage's `settings.json`. `version`: of the stage's code, in docmt.plan.versions."""

    version: int
    view: ViewConfig


def build_view(settings: ViewsSettings, tokens: Path, output: Path, workers: Workers = ALONE) -> None:
    """Write train.arrow (by the view's training cut), dev.arrow and test.arrow (by its test cut), and card.json.

    Of each shard of tokens that has sentences of a split, the split's table has a shard. A corpus with contrastive sets
    gets contrastive.arrow too, by the test cut. A split that the corpus lacks is an empty table. Raises UserError where
    sentences are out of order, where every training document is too short, and for fewer segments than are drawn.
    """
    view, file = settings.view, tokens / "tokens.arrow"
    tasks = list(enumerate(_drawn(view, file, workers)))
    counts: Counts = {}
    with ExitStack() as stack:
        writers = {split: stack.enter_context(arrow_writer(output / f"{split}.arrow", SEGMENTS)) for split in SPLITS}
        for tables, found in workers.each("cutting documents", partial(CutShard, view, file), tasks, len(tasks)):
            for split, segments in tables.items():
                writers[split].write_batch(segments)
            counts = add_counts(counts, found)
        _check_kept(counts.get("train", {}), view.train, file)
    variants = _contrastive(tokens / "contrastive.arrow", view.test, output / "contrastive.arrow")
    cards = {split: _card(counts.get(split, {}), cut_of(view, split)) for split in SPLITS}
    write_json(output / "card.json", {"view": view.name, "splits": cards, "contrastive_variants": variants})


def _drawn(view: ViewConfig, file: Path, workers: Workers) -> list[np.ndarray | None]:
    """For each shard the numbers of its training segments that are drawn; none where all are kept."""
    total = len(ArrowShards(file, NEEDED))
    if view.train.sample is None:
        return [None] * total
    found = workers.each("drawing segments", partial(RankShard, view.train, file), range(total), total)
    return draw(view.train.sample, found, f"{file}: train")


def _check_kept(counts: dict[str, int], cut: CutConfig, file: Path) -> None:
    left_out = counts.get("documents_left_out", 0)
    if left_out and left_out == counts["documents"] + left_out:
        what, expected = "every training document is too short", f"some that {cut.name} keeps"
        raise UserError(what, where=f"{file}: train", found=f"{left_out} documents", expected=expected)


def _card(counts: dict[str, int], cut: CutConfig) -> dict[str, Any]:
    """`documents` and `sentences` are those that were cut; `left_out` are documents that were too short, with their
    sentences, and segments that were not drawn. `over_long_sentences` is None where no budget is cut by.
    """
    card = {name: counts.get(name, 0) for name in ("documents", "sentences", "segments", "sentences_in_segments")}
    left_out = {name: counts.get(f"{name}_left_out", 0) for name in ("documents", "sentences", "segments")}
    sides = {
        side: {name: counts.get(f"{side}_{name}", 0) for name in ("pieces", "longest")} for side in ("source", "target")
    }
    over_long = None if cut.max_tokens is None else counts.get("over_long_sentences", 0)
    return {"cut": cut.name, **card, "left_out": left_out, "over_long_sentences": over_long, **sides}


def _contrastive(items: Path, cut: CutConfig, output: Path) -> int | None:
    """How many variants were written; None, and no file, for a corpus without contrastive sets."""
    if not items.exists():
        output.unlink(missing_ok=True)
        return None
    table = contrastive_segments(read_arrow(items, CONTRASTIVE_TOKENS), cut)
    write_arrow(output, table)
    return len(table)
