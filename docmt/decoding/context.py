"""Forced scores of the reference after contexts of several sizes, from which CXMI is computed."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from torch import nn

from docmt.base.columns import CONTEXT_SCORES
from docmt.decoding.contrastive import batch_scores
from docmt.decoding.translator import Progress, quiet
from docmt.nn.rows import Rows


@dataclass(frozen=True)
class ContextSettings:
    """The content of the `job.json` of the step `context`; `version` is the version of the step."""

    version: int
    context: int
    batch_tokens: int | None


def score_contexts(
    model: nn.Module,
    segments: pa.Table,
    chains: pa.Table | None,
    batch_tokens: int | None,
    progress: Progress = quiet,
) -> pa.Table:
    """Return the table CONTEXT_SCORES, a row for each row of `segments` (SEGMENTS), of which the last sentence counts.

    `chains` has the lexical chains of the segments (SEGMENT_CHAINS), where the model reads them.
    """
    rows = Rows.from_table(segments, chains)
    # A segment is an item of one variant: its target is the reference.
    scores = batch_scores(model, rows, np.ones(len(rows), np.int64), batch_tokens, progress)
    context = rows.sentences - 1
    columns = {
        "document": segments["document"],
        "sentence": pc.add(segments["first"], pa.array(context)),
        "context": context,
        **scores,
    }
    return pa.table([columns[name] for name in CONTEXT_SCORES.names], CONTEXT_SCORES.names).cast(CONTEXT_SCORES)
