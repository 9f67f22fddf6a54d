"""One update: gradients over its micro-batches, as if they were one batch."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from torch import nn

from docmt.nn.streams import Batch
from docmt.training.loss import smoothed_cross_entropy


@dataclass
class Sums:
    """Over the tokens of an update; losses in nats."""

    loss: float = 0.0
    nll: float = 0.0
    source_tokens: int = 0
    target_tokens: int = 0


def accumulate_gradients(
    model: nn.Module,
    batches: Iterable[Batch],
    tokens: int,
    smoothing: float,
    computing: Callable[[], AbstractContextManager],
) -> Sums:
    """Add the gradient of the loss summed over all batches, divided by `tokens`: the target tokens of the update."""
    sums = Sums()
    for batch in batches:
        with computing():
            logits = model.logits(model.decode(batch.target_in, model.encode(batch.source)))
        loss, nll = smoothed_cross_entropy(logits, batch.target_out, smoothing)
        (loss / tokens).backward()
        sums.loss += loss.item()
        sums.nll += nll.item()
        sums.source_tokens += len(batch.source.tokens)
        sums.target_tokens += len(batch.target_out)
    return sums


def clip_gradients(parameters: Iterable[nn.Parameter], clip_norm: float) -> float:
    """Scale the gradients down to `clip_norm`, unless it is 0; returns their norm before."""
    parameters = [parameter for parameter in parameters if parameter.grad is not None]
    norm = nn.utils.get_total_norm([parameter.grad for parameter in parameters])
    if clip_norm:
        nn.utils.clip_grads_with_norm_(parameters, clip_norm, norm)
    return norm.item()
