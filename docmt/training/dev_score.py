"""A score of the translations of the dev set, for stop and checkpoint rules."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from docmt.models.transformer import Transformer
from docmt.nn.rows import Rows
from docmt.search import beam_search
from docmt.settings.decode import DecodeConfig
from docmt.settings.train import TrainConfig
from docmt.training.batches import packed

Sentences = list[list[int]]
"""Ids of the sentences of an instance, without special symbols."""
Score = Callable[[Sequence[Sentences], Sequence[Sentences]], float]
"""From translations of all instances and their references to a number; the higher the better.

The command line hands one over, since training imports no scoring.
"""


def dev_score(
    model: Transformer,
    dev: Rows,
    train: TrainConfig,
    score: Score,
    watched: Callable[[Iterable[slice]], Iterable[slice]] = iter,
) -> float | None:
    """Translate every instance by the shared search, its limits and penalty being the defaults, and score them.

    `watched` hands the batches on, since translating may take longer than anything else between two updates; None
    where it leaves some out.
    """
    config = DecodeConfig(beam=train.bleu_beam, batch_tokens=train.batch_tokens)
    model.eval()
    found: list[Sentences] = []
    for part in watched(packed(dev.source_words, config.batch_tokens)):
        instances = dev.take(range(part.start, part.stop))
        found += [translations[0].sentences for translations in beam_search(model, instances, config)]
    model.train()
    return score(found, references(dev)) if len(found) == len(dev) else None


def references(rows: Rows) -> list[Sentences]:
    """The target sentences of each instance."""
    flat = iter(np.split(rows.target_ids, np.cumsum(rows.target_lengths)[:-1]))
    return [[next(flat).tolist() for _ in range(count)] for count in rows.sentences]
