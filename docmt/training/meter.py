"""What an update tells of itself, and means over several of them."""

from dataclasses import dataclass, field
from typing import Any

from docmt.training.terms import Terms


@dataclass(frozen=True)
class Step:
    """One update: sums over its target tokens, the gradient's norm, the rates by the group's name."""

    update: int
    epoch: int
    loss: float
    nll: float
    source_tokens: int
    target_tokens: int
    counted: int
    """What losses are divided by, as on dev: target words and one end a sentence, whatever the frame predicts."""
    gradient_norm: float
    rates: dict[str, float]
    seconds: float
    places: int
    """Of the source and target input streams: rows that the layers compute."""
    padding: int
    """Those of them that hold no token."""
    memory_mib: float
    """See `docmt.training.usage.peak_memory`."""
    terms: Terms = field(default_factory=Terms)


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
