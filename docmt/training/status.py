"""How far a training has come: all of it that is no tensor, as it stands in a checkpoint."""

import math
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Validation:
    """Losses on the dev set, in nats per target token."""

    update: int
    epoch: int
    loss: float
    """Label-smoothed: what patience and `checkpoint: best` go by."""
    nll: float
    terms: dict[str, float] = field(default_factory=dict)
    """The model's other losses, by the thing: nats a chain, for example."""

    @property
    def perplexity(self) -> float:
        return math.exp(self.nll)

    def numbers(self) -> dict[str, float]:
        """By the names that they have in files."""
        return {"loss": self.loss, "nll": self.nll, **self.terms, "perplexity": self.perplexity}


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

    def to_plain(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> "Status":
        return cls(**{**plain, "history": [Validation(**entry) for entry in plain["history"]]})
