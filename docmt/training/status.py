"""How far a training has come: all of it that is no tensor, as it stands in a checkpoint."""

import math
from dataclasses import asdict, dataclass, field
from typing import Any

from docmt.training.meter import Meter

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
    """Of attention, by its kind, in bits; see `docmt.training.entropy`."""

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
