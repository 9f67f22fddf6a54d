"""How far a training has come: all of it that is no tensor, as it stands in a checkpoint, and what updates tell."""

import math
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from torch import Tensor

from docmt.models.transformer import LossTerm
from docmt.training.ranks import Ranks


@dataclass
class Terms:
    """Sums of loss terms, and over how many things they are."""

    totals: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, terms: Mapping[str, LossTerm]) -> None:
        for name, term in terms.items():
            self._add(name, term.total.item(), term.count)

    def merge(self, other: "Terms") -> None:
        for name, total in other.totals.items():
            self._add(name, total, other.counts[name])

    def means(self) -> dict[str, float]:
        """Each term by the thing, such as nats a chain; a term that met none is left out."""
        return {name: total / self.counts[name] for name, total in self.totals.items() if self.counts[name]}

    def _add(self, name: str, total: float, count: int) -> None:
        self.totals[name] = self.totals.get(name, 0.0) + total
        self.counts[name] = self.counts.get(name, 0) + count


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

    def add(self, loss: Tensor, nll: Tensor, terms: Mapping[str, LossTerm]) -> None:
        self.loss += loss.item()
        self.nll += nll.item()
        self.terms.add(terms)


@dataclass(kw_only=True)
class Step(Sums):
    """One update: sums over its target tokens, the gradient's norm, the rates by the group's name."""

    update: int
    epoch: int
    counted: int
    """What losses are divided by, as on dev: target words and one end a sentence, whatever the frame predicts."""
    gradient_norm: float
    rates: dict[str, float]
    seconds: float
    memory_mib: float
    """See `docmt.training.computing.peak_memory`."""


SUMMED = ("loss", "nll", "source_tokens", "target_tokens", "counted", "gradient_norm", "seconds", "places", "padding")
LAST = ("update", "epoch", "rates", "memory_mib")


@dataclass
class Meter:
    """Sums over the updates since the last reading, and what the last update says beside.

    Checkpoints hold it, so that a training that goes on sums up what one never stopped does, in the same order.
    """

    updates: int = 0
    sums: dict[str, float] = field(default_factory=dict)
    terms: Terms = field(default_factory=Terms)
    last: dict[str, Any] = field(default_factory=dict)

    def add(self, step: Step) -> None:
        self.updates += 1
        self.sums = {name: self.sums.get(name, 0) + getattr(step, name) for name in SUMMED}
        self.terms.merge(step.terms)
        self.last = {name: getattr(step, name) for name in LAST}

    def read(self) -> tuple[dict[str, int], dict[str, float]]:
        """The last update and its epoch; losses in nats per target token (`Step.counted`), the other losses by the
        thing (nats a chain), mean norm of the gradient, last rates, tokens a second, share of padding, peak memory."""
        sums, last, terms, updates = self.sums, self.last, self.terms, self.updates
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
        return cls(**{**plain, "terms": Terms(**plain["terms"])})


MOST_PERPLEXITY = 1e300
"""Near the largest number that there is."""


@dataclass(frozen=True)
class Validation:
    """How the model does on the dev set; losses in nats per target token."""

    update: int
    epoch: int
    loss: float
    """Label-smoothed: what stop and checkpoint rules go by, unless by BLEU."""
    nll: float
    terms: dict[str, float] = field(default_factory=dict)
    """The model's other losses, by the thing: nats a chain, for example."""
    bleu: float | None = None
    """From 0 to 100; none where the rules go by the loss."""
    entropy: dict[str, float] = field(default_factory=dict)
    """Of attention, by its kind, in bits; see `docmt.training.validate`."""

    @property
    def perplexity(self) -> float:
        """At most MOST_PERPLEXITY: a training that goes astray has a loss to tell of still."""
        return min(math.exp(min(self.nll, math.log(MOST_PERPLEXITY))), MOST_PERPLEXITY)

    def numbers(self) -> dict[str, float]:
        """By the names that they have in files."""
        bleu = {} if self.bleu is None else {"bleu": self.bleu}
        entropy = {f"entropy.{kind}": bits for kind, bits in self.entropy.items()}
        return {"loss": self.loss, "nll": self.nll, **self.terms, "perplexity": self.perplexity, **bleu, **entropy}


@dataclass
class Status:
    """Updates count from 1, so `update` is also how many were made; epochs count from 0."""

    update: int = 0
    epoch: int = 0
    position: int = 0
    """Updates of this epoch that were made."""
    source_tokens: int = 0
    target_tokens: int = 0
    train_s: float = 0.0
    """Seconds in updates alone: what rates are counted by."""
    wall_s: float = 0.0
    """Seconds in all, over all runs up to their last checkpoints."""
    history: list[Validation] = field(default_factory=list)
    weights: dict[int, str] = field(default_factory=dict)
    """Files of the weights that were kept at validations, by update."""
    row: Meter = field(default_factory=Meter)
    """Since the last line of metrics.jsonl."""
    event: Meter = field(default_factory=Meter)
    """Since the last event of TensorBoard."""

    @property
    def validated(self) -> int:
        """The update that the last validation was of, 0 for the start; -1 before the first."""
        return self.history[-1].update if self.history else -1

    def to_plain(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> "Status":
        meters = {name: Meter.from_plain(plain[name]) for name in ("row", "event")}
        return cls(**{**plain, **meters, "history": [Validation(**entry) for entry in plain["history"]]})
