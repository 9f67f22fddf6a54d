"""What a validation measures on the dev set: losses, and a score of its translations for stop and checkpoint rules."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager

import numpy as np
import torch
from torch import nn

from docmt.models.transformer import Transformer
from docmt.nn.noise import document_keys
from docmt.nn.rows import Rows
from docmt.nn.streams import frame_batch
from docmt.search import beam_search
from docmt.settings.decode import DecodeConfig
from docmt.settings.train import TrainConfig
from docmt.training.batches import packed, target_tokens
from docmt.training.ranks import Ranks
from docmt.training.update import Sums, batch_losses

NOISE = 0
"""The seed of what a model draws here."""


@torch.no_grad()
def dev_losses(
    model: nn.Module,
    dev: Rows,
    batch_tokens: int,
    smoothing: float,
    device: torch.device,
    computing: Callable[[], AbstractContextManager],
    ranks: Ranks,
    watched: Callable[[Iterable[slice]], Iterable[slice]] = iter,
) -> tuple[float, float, dict[str, float]]:
    """Smoothed loss and exact negative log-likelihood, in nats per target token; the model's other losses by the thing.

    Instances are taken in their order, and words predicted as in decoding. Each rank takes some of the batches; these
    are the same for any number of ranks, and so are the sums, which double precision has room for. A model that samples
    draws the same each time. `watched` hands a rank's batches on; where it leaves some out the numbers say nothing.
    """
    model.eval()
    lengths = target_tokens(dev)
    own = Sums()
    for part in watched(ranks.own(packed(lengths, batch_tokens))):
        instances = np.arange(part.start, part.stop)
        batch = frame_batch(dev.take(instances), model.config.frame).keyed(document_keys(NOISE, instances)).to(device)
        loss, nll, terms = batch_losses(model, batch, smoothing, computing)
        own.loss, own.nll = own.loss + loss.item(), own.nll + nll.item()
        own.terms.add(terms)
    model.train()
    sums, tokens = own.over(ranks, model.term_weights(1)), int(lengths.sum())
    return sums.loss / tokens, sums.nll / tokens, sums.terms.means()


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
