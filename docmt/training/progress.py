"""Progress in a log file: a line a minute, and one at each validation."""

import time
from collections.abc import Callable

from docmt.training.meter import Meter, Step
from docmt.training.status import Validation

EVERY_S = 60.0


class LogLines:
    """Writes plain lines by `write`; `clock` gives seconds."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._write, self._clock = write, clock
        self._meter, self._last = Meter(), clock()

    def updated(self, step: Step) -> None:
        self._meter.add(step)
        if self._clock() - self._last >= EVERY_S:
            self._last = self._clock()
            self._write(f"update {step.update}, epoch {step.epoch + 1}: {in_words(self._meter.read()[1])}")

    def validated(self, validation: Validation) -> None:
        self._write(dev_line(validation))

    def note(self, text: str) -> None:
        self._write(text)

    def close(self) -> None:
        """Nothing is open."""


def in_words(means: dict[str, float]) -> str:
    rates = " ".join(f"{name} {value:.3g}" for name, value in means.items() if name.startswith("lr"))
    return (
        f"loss {means['loss']:.3f}, nll {means['nll']:.3f}, gradient {means['gradient_norm']:.2f}, {rates}, "
        f"{means['source_tokens_per_s']:,.0f} / {means['target_tokens_per_s']:,.0f} source / target tokens a second"
    )


def dev_line(validation: Validation) -> str:
    terms = "".join(f", {name} {value:.4f}" for name, value in validation.terms.items())
    bleu = "" if validation.bleu is None else f", BLEU {validation.bleu:.2f}"
    return (
        f"update {validation.update}, epoch {validation.epoch + 1}: dev loss {validation.loss:.4f}, "
        f"nll {validation.nll:.4f}, perplexity {validation.perplexity:.2f}{bleu}{terms}"
    )
