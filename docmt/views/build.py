"""The stage: from a corpus's tokens to the segments of one view."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from docmt.core.artifacts import write_json
from docmt.core.config import SPLITS, CutConfig, ViewConfig
from docmt.core.documents import CONTRASTIVE_TOKENS, TOKENS, read_arrow, write_arrow
from docmt.views.contrastive import contrastive_segments
from docmt.views.copies import with_copies
from docmt.views.cuts import count_over_long, cut_documents, sentence_costs
from docmt.views.segments import Sentences, segments_table, sentences_of

NEEDED = pa.schema([TOKENS.field(name) for name in ("split", "document", "sentence", "source_ids", "target_ids")])


@dataclass(frozen=True)
class ViewsSettings:
    """The stage's `settings.json`. `version`: of the stage's code, in docmt.core.versions."""

    version: int
    view: ViewConfig


def build_view(settings: ViewsSettings, tokens: Path, output: Path) -> None:
    """Write train.arrow (by the view's training cut), dev.arrow and test.arrow (by its test cut), and card.json.

    A corpus with contrastive sets gets contrastive.arrow too, by the test cut. A split that the corpus lacks is an
    empty table. Raises UserError where sentences are out of order.
    """
    file = tokens / "tokens.arrow"
    rows = read_arrow(file, NEEDED)
    cards = {}
    for split in SPLITS:
        cut = settings.view.train if split == "train" else settings.view.test
        sentences = sentences_of(rows.filter(pc.equal(rows["split"], split)), f"{file}: {split}")
        table, cards[split] = _cut_split(sentences, cut)
        write_arrow(output / f"{split}.arrow", table)
    variants = _contrastive(tokens / "contrastive.arrow", settings.view.test, output / "contrastive.arrow")
    write_json(output / "card.json", {"view": settings.view.name, "splits": cards, "contrastive_variants": variants})


def _cut_split(sentences: Sentences, cut: CutConfig) -> tuple[pa.Table, dict[str, Any]]:
    costs = sentence_costs(sentences.source.lengths, sentences.target.lengths)
    filled = sentences if cut.partial_copy is None else with_copies(sentences, cut.window - 1, cut.partial_copy)
    table = segments_table(filled, cut_documents(filled.documents, costs, cut))
    card = {
        "cut": cut.name,
        "documents": len(sentences.names),
        "sentences": len(sentences),
        "over_long_sentences": count_over_long(costs, cut),
        "segments": len(table),
        "sentences_in_segments": _total(pc.list_value_length(table["source_lengths"])),
    }
    for side in ("source", "target"):
        pieces = pc.list_value_length(table[f"{side}_ids"])
        card[side] = {"pieces": _total(pieces), "longest": pc.max(pieces).as_py() or 0}
    return table, card


def _total(counts: pa.ChunkedArray) -> int:
    return int(np.sum(counts.to_numpy(), dtype=np.int64))


def _contrastive(items: Path, cut: CutConfig, output: Path) -> int | None:
    """How many variants were written; None, and no file, for a corpus without contrastive sets."""
    if not items.exists():
        output.unlink(missing_ok=True)
        return None
    table = contrastive_segments(read_arrow(items, CONTRASTIVE_TOKENS), cut)
    write_arrow(output, table)
    return len(table)
