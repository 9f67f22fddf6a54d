"""The losses of a batch and the gradient of an update; above all smoothed cross-entropy over the vocabulary.

The table of logits has a column for each piece and is the largest tensor of a training. It is computed in parts of some
rows, and each part gives its share of the loss and of the gradient before the next part is computed. So memory never
holds the whole table, and the backward pass only scales the gradient.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from docmt.models.transformer import LossTerm
from docmt.nn.onednn import linear, sum_of_products
from docmt.nn.shapes import Float, Logits, Numbers, States, Tensor, Tokens
from docmt.nn.streams import Batch
from docmt.training.computing import ForwardContext
from docmt.training.progress import Sums

MOST_ROWS = 1024
"""The largest number of rows of a part. The gradient of the output embeddings is added up once a part, so that parts of
few rows take more time (benchmarks/training.md)."""
MOST_LOGITS = 1 << 25
"""The largest number of logits of a part: with a large vocabulary, a part has fewer rows."""

OutputTable = Float[Tensor, "V D"]
"""The output embeddings, a row for each piece."""


def smoothed_cross_entropy(
    states: States, table: OutputTable, target: Tokens, smoothing: float, absent: Numbers | None = None
) -> tuple[Tensor, Tensor]:
    """Return the smoothed loss and the exact negative log-likelihood, both summed over the tokens, in nats.

    The logits are the products of `states` and the rows of `table`; the pieces `absent` have the probability 0. A
    probability mass of `smoothing` is spread evenly over all other pieces, including the right piece. No gradient flows
    through the negative log-likelihood. Under autocast, products are in its number type. Distributions are in fp32, or
    in fp64 for states in fp64, and the two sums in double precision, so that a loss of the dev set or of an update
    hardly depends on the split into batches.

    Paper: Szegedy et al. 2016, section 7; the form of fairseq 0.9.
    """
    return _SmoothedCrossEntropy.apply(states, table, target, smoothing, absent, torch.is_grad_enabled())


def batch_losses(
    model: nn.Module, batch: Batch, smoothing: float, forward_context: ForwardContext
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
    forward_context: ForwardContext,
) -> Sums:
    """Add the gradient of an update to the parameters, and return the sums over the update's batches.

    The objective of an update is the sum of all its losses divided by `tokens`, the number of its target tokens. The
    model's other losses are sums, for example over chains, and are multiplied by their `weights`. The gradient is the
    sum over the batches, as if they were one batch.
    """
    sums = Sums()
    for batch in batches:
        loss, nll, terms = batch_losses(model, batch, smoothing, forward_context)
        objective = loss + sum(weights[name] * term.total for name, term in terms.items())
        # The backward pass frees the graph of the batch, so that memory holds one batch at a time.
        (objective / tokens).backward()
        sums.add(loss, nll, terms)
        sums.source_tokens += len(batch.source.tokens) - batch.source.padding
        sums.target_tokens += len(batch.target_out)
        for stream in (batch.source, batch.target_in):
            sums.places += len(stream.tokens)
            sums.padding += stream.padding
    return sums


@dataclass(frozen=True)
class _Vocabulary:
    """The output embeddings in the number type of products, and their `mean` over the `known` pieces."""

    table: OutputTable
    mean: Tensor
    known: int
    absent: Numbers | None

    @classmethod
    def of(cls, table: OutputTable, absent: Numbers | None, number_type: torch.dtype) -> "_Vocabulary":
        total, known = table.sum(0), len(table)
        if absent is not None:
            total, known = total - table.index_select(0, absent).sum(0), known - len(absent)
        return cls(table.to(number_type), total / known, known, absent)

    def logits(self, rows: States) -> Logits:
        """Return the logits of some rows, in fp32 or fp64."""
        logits = linear(rows, self.table)
        logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
        return logits if self.absent is None else logits.index_fill_(1, self.absent, -torch.inf)


@contextmanager
def _without_autocast(device: str) -> Iterator[torch.dtype | None]:
    """Stop autocast on a type of devices, and yield its number type; None where it was not enabled."""
    if not torch.amp.is_autocast_available(device) or not torch.is_autocast_enabled(device):
        yield None
        return
    with torch.autocast(device, enabled=False):
        yield torch.get_autocast_dtype(device)


class _Sums:
    """The sums over the parts: of the two losses, and of the gradients of states and table where they are needed."""

    def __init__(self, states: States, table: OutputTable, of_states: bool, of_table: bool) -> None:
        self.nll = self.of_all_pieces = torch.zeros((), dtype=torch.float64, device=states.device)
        self.of_states = torch.empty_like(states) if of_states else None
        self.of_table = torch.zeros_like(table) if of_table else None

    def add(self, vocabulary: _Vocabulary, states: States, target: Tokens, smoothing: float, part: slice) -> None:
        """Add the rows `part`."""
        rows, right = states[part].to(vocabulary.table.dtype), target[part, None]
        logits = vocabulary.logits(rows)
        probabilities = logits.softmax(-1)
        # The largest probability is exact, so that the logarithm of the normaliser costs no further exponentials.
        normalisers = logits.amax(-1) - probabilities.amax(-1).log()
        self.nll = self.nll + (normalisers - logits.gather(1, right)[:, 0]).sum(dtype=torch.float64)
        mean_logits = states[part].to(vocabulary.mean.dtype) @ vocabulary.mean
        self.of_all_pieces = self.of_all_pieces + (normalisers - mean_logits).sum(dtype=torch.float64)
        if self.of_states is None and self.of_table is None:
            return
        gradient = probabilities.scatter_add_(1, right, probabilities.new_full(right.shape, smoothing - 1))
        gradient = gradient.to(rows.dtype)
        if self.of_states is not None:
            self.of_states[part] = linear(gradient, vocabulary.table.t()) - smoothing * vocabulary.mean
        if self.of_table is not None:
            self.of_table += sum_of_products(gradient, rows)

    def finish(self, states: States, smoothing: float, known: int, absent: Numbers | None) -> None:
        """Subtract the share of all pieces from the gradient of the table; absent pieces have no gradient."""
        if self.of_table is not None:
            self.of_table -= states.sum(0) * (smoothing / known)
            if absent is not None:
                self.of_table.index_fill_(0, absent, 0)


class _SmoothedCrossEntropy(torch.autograd.Function):
    """Smoothed cross-entropy, whose forward pass computes the gradient too.

    The gradient of a row of logits is softmax - (1 - smoothing) * [right piece] - smoothing / known pieces. The last
    term is the same in each row, so that it is subtracted from the results and not from the table.
    """

    @staticmethod
    def forward(
        ctx: Any,
        states: States,
        table: OutputTable,
        target: Tokens,
        smoothing: float,
        absent: Numbers | None,
        has_gradient: bool,
    ) -> tuple[Tensor, Tensor]:
        """Return the loss and the negative log-likelihood; the gradient is computed where `has_gradient` is true."""
        sums = _Sums(states, table, *(has_gradient and is_needed for is_needed in ctx.needs_input_grad[:2]))
        step = max(1, min(MOST_ROWS, MOST_LOGITS // len(table)))
        with _without_autocast(states.device.type) as number_type:
            vocabulary = _Vocabulary.of(table, absent, number_type or states.dtype)
            for start in range(0, len(states), step):
                sums.add(vocabulary, states, target, smoothing, slice(start, start + step))
            sums.finish(states, smoothing, vocabulary.known, absent)
        ctx.save_for_backward(sums.of_states, sums.of_table)
        ctx.mark_non_differentiable(sums.nll)
        return (1 - smoothing) * sums.nll + smoothing * sums.of_all_pieces, sums.nll

    @staticmethod
    def backward(ctx: Any, gradient: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradients of the states and of the table."""
        scaled = (None if part is None else part * gradient.to(part.dtype) for part in ctx.saved_tensors)
        return *scaled, None, None, None, None
