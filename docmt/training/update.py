"""One update: gradients over its micro-batches, as if they were one batch."""

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from torch import Tensor, nn

from docmt.models.transformer import LossTerm
from docmt.nn.streams import Batch
from docmt.training.loss import smoothed_cross_entropy
from docmt.training.ranks import Ranks
from docmt.training.terms import Terms


@dataclass
class Sums:
    """Over the tokens of an update; losses in nats. `loss` is that of the translation, `terms` are the others.

    `places` are the rows of the input streams, `padding` those that hold no token: none, unless parts are compiled.
    """

    loss: float = 0.0
    nll: float = 0.0
    source_tokens: int = 0
    target_tokens: int = 0
    places: int = 0
    padding: int = 0
    terms: Terms = field(default_factory=Terms)

    def over(self, ranks: Ranks, names: Collection[str]) -> "Sums":
        """Summed over all ranks; `names` are those of the terms, which a rank without a batch does not know."""
        plain = {name: value for name, value in vars(self).items() if name != "terms"}
        totals, counts = ([sums.get(name, 0) for name in names] for sums in (self.terms.totals, self.terms.counts))
        numbers = iter(ranks.summed([*plain.values(), *totals, *counts]))
        whole = {name: type(value)(next(numbers)) for name, value in plain.items()}
        terms = Terms(*({name: kind(next(numbers)) for name in names} for kind in (float, int)))
        return Sums(**whole, terms=terms)


def batch_losses(
    model: nn.Module, batch: Batch, smoothing: float, computing: Callable[[], AbstractContextManager]
) -> tuple[Tensor, Tensor, dict[str, LossTerm]]:
    """The smoothed loss, the exact negative log-likelihood, and the model's other losses: sums, in nats."""
    with computing():
        states, terms = model(batch)
        logits = model.logits(states[: len(batch.target_out)])
    return *smoothed_cross_entropy(logits, batch.target_out, smoothing), terms


def accumulate_gradients(
    model: nn.Module,
    batches: Iterable[Batch],
    tokens: int,
    smoothing: float,
    weights: Mapping[str, float],
    computing: Callable[[], AbstractContextManager],
) -> Sums:
    """Add the gradient of the loss summed over all batches, divided by `tokens`: the target tokens of the update.

    The model's other losses are sums too, over chains for example, and count by their `weights`: so the objective of
    an update is its sum of all losses over its number of target tokens.
    """
    sums = Sums()
    for batch in batches:
        loss, nll, terms = batch_losses(model, batch, smoothing, computing)
        objective = loss + sum(weights[name] * term.total for name, term in terms.items())
        (objective / tokens).backward()
        sums.loss += loss.item()
        sums.nll += nll.item()
        sums.terms.add(terms)
        sums.source_tokens += len(batch.source.tokens) - batch.source.padding
        sums.target_tokens += len(batch.target_out)
        for stream in (batch.source, batch.target_in):
            sums.places += len(stream.tokens)
            sums.padding += stream.padding
    return sums


def clip_gradients(parameters: Iterable[nn.Parameter], clip_norm: float) -> float:
    """Scale the gradients down to `clip_norm`, unless it is 0; returns their norm before."""
    parameters = [parameter for parameter in parameters if parameter.grad is not None]
    norm = nn.utils.get_total_norm([parameter.grad for parameter in parameters])
    if clip_norm:
        nn.utils.clip_grads_with_norm_(parameters, clip_norm, norm)
    return norm.item()
