"""The best continuations of the hypotheses of each instance, without a search in the whole vocabulary.

The pieces are cut into blocks. The W best continuations are in the W blocks that have the best maxima, so that all
other blocks are only read once, for their maxima.

Axes: B instances, K hypotheses of each instance (the beam), V target vocabulary, M blocks, W candidates.
"""

import torch
from torch import Tensor

from docmt.search.hypotheses import DEAD, Candidates

BLOCK = 64
"""The number of pieces of a block: with fewer there are more maxima, with more there are more pieces to choose from."""


def best_continuations(log_probabilities: Tensor, scores: Tensor, count: int) -> Candidates:
    """Return the `count` best continuations of each instance.

    `log_probabilities` (B, K, V) are those of the next outputs, and `scores` (B, K) are those of the hypotheses, in
    float64. A continuation whose score is not a number has the score of a dead slot.
    """
    vocabulary, maxima = log_probabilities.shape[-1], block_maxima(log_probabilities)
    blocks = _best(scores[..., None] + maxima.double(), min(count, maxima[0].numel())).indices
    origins = blocks // maxima.shape[-1]
    pieces = (blocks % maxima.shape[-1] * BLOCK)[..., None] + torch.arange(BLOCK, device=blocks.device)
    # The last block may be shorter: its places after the last piece are barred.
    is_piece, pieces = pieces < vocabulary, pieces.clamp(max=vocabulary - 1)
    places = (origins[..., None] * vocabulary + pieces).flatten(1)
    totals = log_probabilities.flatten(1).gather(1, places).double()
    totals += scores.gather(1, origins).repeat_interleave(BLOCK, dim=1)
    chosen_scores, chosen = _best(totals.masked_fill_(~is_piece.flatten(1), DEAD), count)
    return Candidates(chosen_scores, origins.gather(1, chosen // BLOCK), pieces.flatten(1).gather(1, chosen))


def block_maxima(log_probabilities: Tensor) -> Tensor:
    """Return the largest log-probability of each block of pieces (B, K, M)."""
    whole = log_probabilities.shape[-1] // BLOCK * BLOCK
    blocks, rest = log_probabilities.split((whole, log_probabilities.shape[-1] - whole), dim=-1)
    maxima = blocks.unflatten(-1, (-1, BLOCK)).amax(-1) if whole else blocks
    return torch.cat((maxima, rest.amax(-1, keepdim=True)), dim=-1) if rest.shape[-1] else maxima


def _best(scores: Tensor, count: int) -> torch.return_types.topk:
    # A score that is NaN becomes that of a dead slot: otherwise topk would rank it above every number.
    return scores.nan_to_num(nan=DEAD, neginf=DEAD).flatten(1).topk(count)
