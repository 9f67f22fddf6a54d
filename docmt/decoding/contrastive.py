"""Forced scores of contrastive variants; the judged sentence is the last of its segment."""

import numpy as np
import pyarrow as pa
import torch
from torch import nn

from docmt.core.documents import CONTRASTIVE_SCORES, CONTRASTIVE_SEGMENTS
from docmt.decoding.batches import token_batches
from docmt.decoding.segments import View
from docmt.decoding.translator import Progress
from docmt.nn.rows import Rows
from docmt.search import forced_scores


def last_sentence_scores(model: nn.Module, rows: Rows, batch_tokens: int, progress: Progress) -> np.ndarray:
    """The log-probability of each instance's last target sentence, its end symbol included; nats, float64.

    Paper: Voita et al. 2019 judge by the sum over the last sentence.
    """
    scores = np.empty(len(rows))
    done = pieces = 0
    for indices in token_batches((rows.source_words + rows.target_words).tolist(), batch_tokens):
        batch = rows.take(indices)
        _, sentences = forced_scores(model, batch)
        scores[indices] = sentences[torch.from_numpy(np.cumsum(batch.sentences) - 1)].numpy()
        done, pieces = done + len(batch), pieces + len(batch.source_ids)
        progress(done, len(rows), pieces)
    return scores


def contrastive_scores(model: nn.Module, view: View, batch_tokens: int, progress: Progress) -> pa.Table:
    """CONTRASTIVE_SCORES of a view's CONTRASTIVE_SEGMENTS, in their order."""
    table, chains = view.read("contrastive.arrow", CONTRASTIVE_SEGMENTS, model)
    scores = last_sentence_scores(model, Rows.from_table(table, chains), batch_tokens, progress)
    kept = table.select([name for name in CONTRASTIVE_SCORES.names if name != "score"])
    return kept.append_column("score", pa.array(scores)).cast(CONTRASTIVE_SCORES)
