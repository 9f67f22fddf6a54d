"""Score contrastive sets by a trained model: how probable it finds each variant."""

from collections.abc import Sequence

import pyarrow as pa

from docmt.api.model import TrainedModel
from docmt.corpus.inputs import ContrastiveItem
from docmt.corpus.read import contrastive_table
from docmt.decoding.contrastive import scored
from docmt.decoding.translator import Progress, quiet
from docmt.text.encode import contrastive_tokens
from docmt.views.segments import contrastive_segments


def forced_scores(
    model: TrainedModel,
    items: Sequence[ContrastiveItem],
    where: str,
    batch_tokens: int,
    whole: bool = False,
    progress: Progress = quiet,
) -> pa.Table:
    """CONTRASTIVE_SCORES of items, whose context is cut as the model's own test documents.

    `whole`: see `docmt.decoding.contrastive.scored`; `where` stands for the items' files in messages. Raises UserError
    for a sentence without any token, and where the model does not say how documents are cut.
    """
    tokens = contrastive_tokens(contrastive_table(items), model.pipeline.sides, where)
    segments = contrastive_segments(tokens, model.own_cut())
    seen = (
        items[segment["item"]].source[-len(segment["source_lengths"]) :]
        for segment in segments.select(["item", "source_lengths"]).to_pylist()
    )
    return scored(model.network, segments, model.chains(seen), batch_tokens, progress, whole)
