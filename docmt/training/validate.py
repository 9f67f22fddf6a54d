"""Losses on the dev set."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import torch
from torch import nn

from docmt.nn.rows import Rows
from docmt.nn.streams import frame_batch
from docmt.training.batches import packed, target_tokens
from docmt.training.loss import smoothed_cross_entropy
from docmt.training.terms import Terms


@torch.no_grad()
def dev_losses(
    model: nn.Module,
    dev: Rows,
    batch_tokens: int,
    smoothing: float,
    device: torch.device,
    computing: Callable[[], AbstractContextManager],
) -> tuple[float, float, dict[str, float]]:
    """Smoothed loss and exact negative log-likelihood, in nats per target token; the model's other losses by the thing.

    Instances are taken in their order, and words predicted as in decoding.
    """
    model.eval()
    lengths = target_tokens(dev)
    loss_sum, nll_sum, terms = 0.0, 0.0, Terms()
    for part in packed(lengths, batch_tokens):
        batch = frame_batch(dev.take(range(part.start, part.stop)), model.config.frame).to(device)
        with computing():
            states, more = model(batch)
            logits = model.logits(states)
        loss, nll = smoothed_cross_entropy(logits, batch.target_out, smoothing)
        loss_sum, nll_sum = loss_sum + loss.item(), nll_sum + nll.item()
        terms.add(more)
    model.train()
    tokens = int(lengths.sum())
    return loss_sum / tokens, nll_sum / tokens, terms.means()
