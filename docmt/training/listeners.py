"""Who is told how a training goes: the metrics' file, TensorBoard, the terminal or the log."""

from dataclasses import dataclass, field
from typing import Protocol

from docmt.training.status import Validation
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


class Listener(Protocol):
    """Told of each update, of each validation, and of whatever is worth a line."""

    def updated(self, step: Step) -> None: ...

    def validated(self, validation: Validation) -> None: ...

    def note(self, text: str) -> None: ...

    def close(self) -> None: ...


class Listeners:
    """Several listeners as one."""

    def __init__(self, *members: Listener) -> None:
        self.members = members

    def updated(self, step: Step) -> None:
        for member in self.members:
            member.updated(step)

    def validated(self, validation: Validation) -> None:
        for member in self.members:
            member.validated(validation)

    def note(self, text: str) -> None:
        for member in self.members:
            member.note(text)

    def close(self) -> None:
        for member in self.members:
            member.close()


class Meter:
    """Means over the updates since the last reading."""

    def __init__(self) -> None:
        self._steps: list[Step] = []

    def add(self, step: Step) -> None:
        self._steps.append(step)

    def __len__(self) -> int:
        return len(self._steps)

    def read(self) -> tuple[Step, dict[str, float]]:
        """The last update; losses in nats per target token (`Step.counted`), the other losses by the thing (nats a
        chain), mean norm of the gradient, last rates, tokens a second, share of padding, peak memory."""
        steps, self._steps = self._steps, []
        counted, target = (sum(getattr(step, name) for step in steps) for name in ("counted", "target_tokens"))
        seconds = sum(step.seconds for step in steps)
        terms = Terms()
        for step in steps:
            terms.merge(step.terms)
        return steps[-1], {
            "loss": sum(step.loss for step in steps) / counted,
            "nll": sum(step.nll for step in steps) / counted,
            **terms.means(),
            "gradient_norm": sum(step.gradient_norm for step in steps) / len(steps),
            **steps[-1].rates,
            "source_tokens_per_s": sum(step.source_tokens for step in steps) / seconds,
            "target_tokens_per_s": target / seconds,
            "padding_share": sum(step.padding for step in steps) / sum(step.places for step in steps),
            "memory_mib": steps[-1].memory_mib,
        }
