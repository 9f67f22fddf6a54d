"""The progress of a training: the numbers of its updates and validations, which its checkpoints contain."""

import math
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import torch
from torch import Tensor

from docmt.models.transformer import LossTerm
from docmt.nn.device import download
from docmt.training.ranks import Ranks


@dataclass
class Terms:
    """Sums of loss terms by name, and the number of things, such as lexical chains, in each sum."""

    totals: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, terms: Mapping[str, LossTerm]) -> None:
        """Add the terms of a batch."""
        for name, term in terms.items():
            self._add(name, term.total.item(), term.count)

    def merge(self, other: "Terms") -> None:
        """Add the sums of other terms."""
        for name, total in other.totals.items():
            self._add(name, total, other.counts[name])

    def means(self) -> dict[str, float]:
        """Return the mean of each term, for example in nats per chain; a term whose count is 0 is left out."""
        return {name: total / self.counts[name] for name, total in self.totals.items() if self.counts[name]}

    def _add(self, name: str, total: float, count: int) -> None:
        self.totals[name] = self.totals.get(name, 0.0) + total
        self.counts[name] = self.counts.get(name, 0) + count


@dataclass
class Sums:
    """Sums over the tokens of an update; losses are in nats.

    `loss` is the label-smoothed loss of the translation, `nll` its negative log-likelihood, and `terms` are the model's
    other losses. `places` is the number of rows of the input streams, and `padding` the number of these rows that hold
    no token, which is 0 unless parts of the model are compiled.
    """

    loss: float = 0.0
    nll: float = 0.0
    source_tokens: int = 0
    target_tokens: int = 0
    places: int = 0
    padding: int = 0
    terms: Terms = field(default_factory=Terms)

    def over(self, ranks: Ranks, names: Collection[str]) -> "Sums":
        """Return the sums over all ranks.

        `names` are the names of the model's other losses, which a rank without a batch does not know.
        """
        plain = {name: value for name, value in vars(self).items() if name != "terms"}
        totals, counts = ([sums.get(name, 0) for name in names] for sums in (self.terms.totals, self.terms.counts))
        # The ranks exchange all numbers at once.
        numbers = iter(ranks.summed([*plain.values(), *totals, *counts]))
        whole = {name: type(value)(next(numbers)) for name, value in plain.items()}
        terms = Terms(*({name: kind(next(numbers)) for name in names} for kind in (float, int)))
        return Sums(**whole, terms=terms)


class BatchLosses:
    """The sums of the losses of several batches, on the device and in double precision.

    The host waits for the device once, in `read`, and not after each batch.
    """

    def __init__(self) -> None:
        """Begin without a batch."""
        self._totals: dict[str, Tensor] = {}
        self._counts: dict[str, int] = {}

    def add(self, loss: Tensor, nll: Tensor, terms: Mapping[str, LossTerm]) -> None:
        """Add the losses of a batch."""
        batch = {"loss": loss, "nll": nll} | {f"terms.{name}": term.total for name, term in terms.items()}
        for name, total in batch.items():
            self._totals[name] = self._totals.get(name, 0.0) + total.detach().double()
        for name, term in terms.items():
            self._counts[name] = self._counts.get(name, 0) + term.count

    def read(self) -> Sums:
        """Return the sums over the batches, without their numbers of tokens."""
        values = download(torch.stack([*self._totals.values()])).tolist() if self._totals else []
        totals = dict(zip(self._totals, values, strict=True))
        terms = Terms({name: totals[f"terms.{name}"] for name in self._counts}, self._counts)
        return Sums(totals.get("loss", 0.0), totals.get("nll", 0.0), terms=terms)


@dataclass(kw_only=True)
class Update(Sums):
    """The numbers of one update: sums over its tokens, the gradient norm, learning rates by name, and seconds."""

    update: int
    epoch: int
    counted: int
    """The number of target tokens by which losses are divided, as on the dev set: words and one end for each sentence,
    in any frame."""
    gradient_norm: float
    rates: dict[str, float]
    seconds: float
    memory_mib: float
    """The peak memory of the process so far, in MiB (`docmt.training.computing.peak_memory`)."""


SUMMED = ("loss", "nll", "source_tokens", "target_tokens", "counted", "gradient_norm", "seconds", "places", "padding")
"""Fields of an Update that a Meter sums up."""
LAST = ("update", "epoch", "rates", "memory_mib")
"""Fields of an Update of which a Meter has the value of the last update."""


@dataclass
class Meter:
    """Sums over the updates since the last call of `read`, and values of the last update.

    Checkpoints contain the meters, so that a resumed training sums up the same numbers in the same order as a training
    that never stopped.
    """

    updates: int = 0
    sums: dict[str, float] = field(default_factory=dict)
    terms: Terms = field(default_factory=Terms)
    last: dict[str, Any] = field(default_factory=dict)

    def add(self, step: Update) -> None:
        """Add an update."""
        self.updates += 1
        self.sums = {name: self.sums.get(name, 0) + getattr(step, name) for name in SUMMED}
        self.terms.merge(step.terms)
        self.last = {name: getattr(step, name) for name in LAST}

    def read(self) -> tuple[dict[str, int], dict[str, float]]:
        """Return the last update and its epoch, and the numbers of the updates since the last call; reset the meter.

        Loss and negative log-likelihood are in nats per target token (`Update.counted`); other losses of the model
        are means per thing, such as nats per chain. The other numbers are the mean norm of the gradient, the last
        learning rates, tokens per second, the share of padding, and peak memory in MiB.
        """
        sums, last, terms, updates = self.sums, self.last, self.terms, self.updates
        # The meter is reset in place, since the status and a listener share this object.
        vars(self).update(vars(Meter()))
        return {name: last[name] for name in ("update", "epoch")}, {
            "loss": sums["loss"] / sums["counted"],
            "nll": sums["nll"] / sums["counted"],
            **terms.means(),
            "gradient_norm": sums["gradient_norm"] / updates,
            **last["rates"],
            "source_tokens_per_s": sums["source_tokens"] / sums["seconds"],
            "target_tokens_per_s": sums["target_tokens"] / sums["seconds"],
            "padding_share": sums["padding"] / sums["places"],
            "memory_mib": last["memory_mib"],
        }

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> "Meter":
        """Return the meter from a dictionary that `dataclasses.asdict` has returned for it."""
        return cls(**{**plain, "terms": Terms(**plain["terms"])})


MOST_PERPLEXITY = 1e300
"""The highest perplexity that is reported: near the largest floating-point number."""


@dataclass(frozen=True)
class Validation:
    """The results of a validation on the dev set; `loss` and `nll` are in nats per target token."""

    update: int
    epoch: int
    loss: float
    """The label-smoothed loss, which the stop rule and the checkpoint rule use unless `select_by` is `bleu`."""
    nll: float
    """The negative log-likelihood without smoothing."""
    terms: dict[str, float] = field(default_factory=dict)
    """Means of the model's other losses, for example in nats per chain."""
    bleu: float | None = None
    """BLEU from 0 to 100; None unless `select_by` is `bleu`."""
    entropy: dict[str, float] = field(default_factory=dict)
    """Entropy of attention in bits, by kind of attention (`docmt.training.validate`)."""

    @property
    def perplexity(self) -> float:
        """The perplexity, at most MOST_PERPLEXITY, so that it is a number also where training diverges."""
        return min(math.exp(min(self.nll, math.log(MOST_PERPLEXITY))), MOST_PERPLEXITY)

    def numbers(self) -> dict[str, float]:
        """Return the numbers of the validation by the names that they have in metrics.jsonl."""
        bleu = {} if self.bleu is None else {"bleu": self.bleu}
        entropy = {f"entropy.{kind}": bits for kind, bits in self.entropy.items()}
        return {"loss": self.loss, "nll": self.nll, **self.terms, "perplexity": self.perplexity, **bleu, **entropy}


@dataclass
class Status:
    """The progress of a training.

    Updates count from 1, so `update` is also the number of updates so far. Epochs count from 0.
    """

    update: int = 0
    epoch: int = 0
    position: int = 0
    """Number of updates so far in this epoch."""
    source_tokens: int = 0
    target_tokens: int = 0
    train_s: float = 0.0
    """Seconds of all updates, without validations and checkpoints; the base of tokens per second."""
    wall_s: float = 0.0
    """Seconds of the training in total: the sum over all jobs, each up to its last checkpoint."""
    history: list[Validation] = field(default_factory=list)
    """All validations so far."""
    weights: dict[int, str] = field(default_factory=dict)
    """Names of the files with the weights that the checkpoint rule may choose, by update."""
    lines: list[str] = field(default_factory=list)
    """The lines of metrics.jsonl so far. They are part of each checkpoint, so that a line that was damaged or lost
    meanwhile does not become part of the results."""
    row: Meter = field(default_factory=Meter)
    """Sums over the updates since the last line of metrics.jsonl."""
    event: Meter = field(default_factory=Meter)
    """Sums over the updates since the last event of TensorBoard."""

    @property
    def validated(self) -> int:
        """The update of the last validation: 0 for a validation before the first update, -1 without any validation."""
        return self.history[-1].update if self.history else -1

    def to_plain(self) -> dict[str, Any]:
        """Return the status as a dictionary, for a checkpoint."""
        return asdict(self)

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> "Status":
        """Return the status from a dictionary that `to_plain` has returned for it."""
        meters = {name: Meter.from_plain(plain[name]) for name in ("row", "event")}
        return cls(**{**plain, **meters, "history": [Validation(**entry) for entry in plain["history"]]})
