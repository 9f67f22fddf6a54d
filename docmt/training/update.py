"""An update of the weights: its instances, their split into batches that fit a device, and its gradient.

Lengths are numbers of target tokens, including the ends of sentences. The seed, the epoch and `tokens_per_update`
determine the instances of an update; `batch_tokens` and the number of ranks only split the instances into batches. The
gradient of an update is the sum over its batches, as if they were one batch. Losses are label-smoothed.
"""

import heapq
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace

import numpy as np
import pyarrow as pa
from torch import Tensor, nn

from docmt.base.errors import UserError
from docmt.models.transformer import LossTerm
from docmt.nn.rows import Rows
from docmt.nn.streams import Batch
from docmt.training.computing import derived_seed
from docmt.training.losses import smoothed_cross_entropy
from docmt.training.status import BatchLosses, Sums


def target_tokens(rows: Rows) -> np.ndarray:
    """Return the number of decoder outputs of each instance: its words and one end for each sentence, in any frame."""
    return rows.target_words + rows.sentences


def pack(lengths: np.ndarray, budget: int) -> list[slice]:
    """Return consecutive ranges of items whose lengths sum to at most `budget`; a longer item is a range by itself."""
    ends = np.cumsum(lengths)
    ranges, start, done = [], 0, 0
    while start < len(lengths):
        stop = max(int(np.searchsorted(ends, done + budget, side="right")), start + 1)
        ranges.append(slice(start, stop))
        start, done = stop, int(ends[stop - 1])
    return ranges


def epoch_updates(lengths: np.ndarray, tokens_per_update: int, seed: int, epoch: int) -> list[np.ndarray]:
    """Return the instances of each update of an epoch: a permutation of all instances, cut where the budget is full."""
    generator = np.random.Generator(np.random.PCG64(derived_seed(seed, "order", epoch)))
    order = generator.permutation(len(lengths))
    return [order[part] for part in pack(lengths[order], tokens_per_update)]


def micro_batches(
    instances: np.ndarray, lengths: np.ndarray, tokens_per_update: int, batch_tokens: int, ranks: int = 1
) -> list[np.ndarray]:
    """Return an update's instances in parts of nearly equal size and at most `batch_tokens`; each is one batch.

    The number of parts is 1, 2, 4, 8 ... times the odd factor of the number of ranks. It is the smallest such number
    that is at least the number of ranks, at least `tokens_per_update` / `batch_tokens`, and keeps each part within
    `batch_tokens`. So 1, 2, 4 and 8 ranks compute the same parts where `batch_tokens` requires 8 parts or more; they
    only sum the gradients in a different order. Where there are fewer instances than parts, each instance is a part.
    """
    # The odd factor of the number of ranks.
    parts = ranks // (ranks & -ranks)
    while parts < ranks or parts * batch_tokens < tokens_per_update:
        parts *= 2
    tokens = lengths[instances]
    shares = balanced_shares(tokens, parts)
    while parts < len(instances) and max(tokens[share].sum() for share in shares) > batch_tokens:
        parts *= 2
        shares = balanced_shares(tokens, parts)
    return [instances[share] for share in shares if len(share)]


def balanced_shares(lengths: np.ndarray, parts: int) -> list[np.ndarray]:
    """Return the indices of the lengths in `parts` shares of nearly equal sums.

    Items are assigned from the longest to the shortest, each item to the share that has the smallest sum then.
    """
    sums = [(0, part) for part in range(parts)]
    owner = np.empty(len(lengths), dtype=np.int64)
    for number in np.argsort(-lengths, kind="stable"):
        total, part = sums[0]
        owner[number] = part
        heapq.heapreplace(sums, (total + int(lengths[number]), part))
    return [np.flatnonzero(owner == part) for part in range(parts)]


def check_lengths(lengths: np.ndarray, documents: pa.ChunkedArray, batch_tokens: int, where: str) -> None:
    """Raise UserError for the longest instance, if it has more than `batch_tokens` target tokens."""
    longest = int(lengths.argmax())
    if lengths[longest] > batch_tokens:
        raise UserError(
            f"a segment of document {documents[longest].as_py()!r} is longer than a batch",
            where=where,
            found=f"{lengths[longest]} target tokens",
            expected=f"at most train.batch_tokens = {batch_tokens}",
            remedy="raise train.batch_tokens, or cut documents smaller (view: max_tokens)",
        )


def batch_losses(
    model: nn.Module, batch: Batch, smoothing: float, forward_context: Callable[[], AbstractContextManager]
) -> tuple[Tensor, Tensor, dict[str, LossTerm]]:
    """Return three sums in nats: the smoothed loss, the negative log-likelihood, and the model's other losses."""
    with forward_context():
        states, terms = model(batch)
        table, outputs = model.output.weight, states[: len(batch.target_out)]
        loss, nll = smoothed_cross_entropy(outputs, table, batch.target_out, smoothing, model.absent)
    return loss, nll, terms


def accumulate_gradients(
    model: nn.Module,
    batches: Iterable[Batch],
    tokens: int,
    smoothing: float,
    weights: Mapping[str, float],
    forward_context: Callable[[], AbstractContextManager],
) -> Sums:
    """Add the gradient of an update to the parameters, and return the sums over the update's batches.

    The objective of an update is the sum of all its losses divided by `tokens`, the number of its target tokens. The
    model's other losses are sums, for example over chains, and are multiplied by their `weights`.
    """
    losses, sizes = BatchLosses(), Sums()
    for batch in batches:
        loss, nll, terms = batch_losses(model, batch, smoothing, forward_context)
        objective = loss + sum(weights[name] * term.total for name, term in terms.items())
        # The backward pass frees the graph of the batch, so that memory holds one batch at a time.
        (objective / tokens).backward()
        losses.add(loss, nll, terms)
        sizes.source_tokens += len(batch.source.tokens) - batch.source.padding
        sizes.target_tokens += len(batch.target_out)
        for stream in (batch.source, batch.target_in):
            sizes.places += len(stream.tokens)
            sizes.padding += stream.padding
    sums = losses.read()
    return replace(sizes, loss=sums.loss, nll=sums.nll, terms=sums.terms)


def clip_gradients(parameters: Iterable[nn.Parameter], clip_norm: float) -> float:
    """Scale the gradients down to a norm of at most `clip_norm`, unless it is 0; return their norm before that."""
    parameters = [parameter for parameter in parameters if parameter.grad is not None]
    norm = nn.utils.get_total_norm([parameter.grad for parameter in parameters])
    if clip_norm:
        nn.utils.clip_grads_with_norm_(parameters, clip_norm, norm)
    return norm.item()
