"""Losses on the dev set."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import torch
from torch import nn

from docmt.nn.rows import Rows
from docmt.nn.streams import frame_batch
from docmt.training.batches import packed, target_tokens
from docmt.training.loss import smoothed_cross_entropy


@torch.no_grad()
def dev_losses(
    model: nn.Module,
    dev: Rows,
    batch_tokens: int,
    smoothing: float,
    device: torch.device,
    computing: Callable[[], AbstractContextManager],
) -> tuple[float, float]:
    """Smoothed loss and exact negative log-likelihood, in nats per target token; instances in their order."""
    model.eval()
    lengths = target_tokens(dev)
    loss_sum, nll_sum = 0.0, 0.0
    for part in packed(lengths, batch_tokens):
        batch = frame_batch(dev.take(range(part.start, part.stop)), model.config.frame).to(device)
        with computing():
            logits = model.logits(model.decode(batch.target_in, model.encode(batch.source)))
        loss, nll = smoothed_cross_entropy(logits, batch.target_out, smoothing)
        loss_sum, nll_sum = loss_sum + loss.item(), nll_sum + nll.item()
    model.train()
    tokens = int(lengths.sum())
    return loss_sum / tokens, nll_sum / tokens
