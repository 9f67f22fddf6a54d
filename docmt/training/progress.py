"""What a training tells of its progress: the numbers of updates and validations, and the listeners that get them."""

import functools
import math
import resource
import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch
from torch import Tensor

from docmt.base.machine import MIB
from docmt.models.transformer import LossTerm
from docmt.supervision.ranks import Ranks


@dataclass
class Terms:
    """Sums of loss terms by name, and the number of things, such as lexical chains, in each sum."""

    totals: dict[str, float | Tensor] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, totals: Mapping[str, float | Tensor], counts: Mapping[str, int]) -> None:
        """Add sums of other things."""
        for name, total in totals.items():
            self.totals[name] = self.totals.get(name, 0.0) + total
            self.counts[name] = self.counts.get(name, 0) + counts[name]

    def means(self) -> dict[str, float]:
        """Return the mean of each term, for example in nats per chain; a term whose count is 0 is left out."""
        return {name: total / self.counts[name] for name, total in self.totals.items() if self.counts[name]}


COUNTS = ("source_tokens", "target_tokens", "places", "padding")
"""The fields of Sums that are whole numbers."""


@dataclass
class Sums:
    """Sums over the tokens of an update; losses are in nats.

    `loss` is the label-smoothed loss of the translation, `nll` its negative log-likelihood, and `terms` are the model's
    other losses. `places` is the number of rows of the input streams, and `padding` the number of these rows that hold
    no token.
    """

    loss: float | Tensor = 0.0
    nll: float | Tensor = 0.0
    source_tokens: int = 0
    target_tokens: int = 0
    places: int = 0
    padding: int = 0
    terms: Terms = field(default_factory=Terms)

    def add(self, loss: Tensor, nll: Tensor, terms: Mapping[str, LossTerm]) -> None:
        """Add the losses of a batch on their device and in double precision; the host does not wait for them."""
        self.loss, self.nll = self.loss + loss.detach().double(), self.nll + nll.detach().double()
        totals = {name: term.total.detach().double() for name, term in terms.items()}
        self.terms.add(totals, {name: term.count for name, term in terms.items()})

    def over(self, ranks: Ranks, names: Collection[str]) -> "Sums":
        """Return the sums over all ranks; the host waits for the device, unless it has read the sums already.

        `names` are the names of the model's other losses, which a rank without a batch does not know.
        """
        read_from_device([self])
        plain = {name: getattr(self, name) for name in ("loss", "nll", *COUNTS)}
        totals, counts = ([sums.get(name, 0) for name in names] for sums in (self.terms.totals, self.terms.counts))
        # The ranks exchange all numbers at once.
        numbers = iter(ranks.summed([*plain.values(), *totals, *counts]))
        whole = {name: type(value)(next(numbers)) for name, value in plain.items()}
        terms = Terms(*({name: kind(next(numbers)) for name in names} for kind in (float, int)))
        return Sums(**whole, terms=terms)


def read_from_device(sums: Iterable[Sums]) -> None:
    """Replace all tensors of sums by numbers; the host waits for the device once."""
    tensors = [
        (fields, name)
        for some in sums
        for fields in (vars(some), some.terms.totals)
        for name, value in fields.items()
        if isinstance(value, Tensor)
    ]
    if tensors:
        numbers = torch.stack([fields[name].double() for fields, name in tensors]).tolist()
        for (fields, name), number in zip(tensors, numbers, strict=True):
            fields[name] = number


@dataclass(kw_only=True)
class Update(Sums):
    """The numbers of one update: sums over its tokens, the gradient norm, learning rates by name, and seconds."""

    update: int
    epoch: int
    counted: int
    """The number of target tokens by which losses are divided, as on the dev set: words and one end for each sentence,
    in any frame."""
    gradient_norm: float | Tensor
    rates: dict[str, float]
    seconds: float
    memory_mib: float
    """The peak memory of the process so far, in MiB (`peak_memory`)."""


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
        self.terms.add(step.terms.totals, step.terms.counts)
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


class Listener(Protocol):
    """The methods of an object that a training reports its progress to."""

    def updated(self, step: Update) -> None:
        """Take note of an update."""

    def validated(self, validation: Validation) -> None:
        """Take note of a validation."""

    def note(self, text: str) -> None:
        """Take note of a message to the user; it is one line."""

    def close(self) -> None:
        """Close what the listener has opened; this is called after the last report."""


class Listeners:
    """Several listeners that act as one."""

    def __init__(self, *members: Listener) -> None:
        """Combine `members`, which are called in this order."""
        self.members = members

    def _tell(self, method: str, *arguments: object) -> None:
        for member in self.members:
            getattr(member, method)(*arguments)

    updated, validated = functools.partialmethod(_tell, "updated"), functools.partialmethod(_tell, "validated")
    note, close = functools.partialmethod(_tell, "note"), functools.partialmethod(_tell, "close")


EVERY_UPDATES = 20
"""Number of updates between two lines of kind `train`. Before the line of a validation there is also a line for the
updates since the last line."""


class Curves(Listener):
    """A listener that writes means over updates and the results of validations, but no messages to the user."""

    def __init__(self, meter: Meter) -> None:
        """Sum up updates in `meter`, which is part of the status of the training."""
        self.meter = meter

    def updated(self, step: Update) -> None:
        """Add an update to the meter, and write the means after every `EVERY_UPDATES` updates."""
        self.meter.add(step)
        if step.update % EVERY_UPDATES == 0:
            self.write("train", *self.meter.read())

    def validated(self, validation: Validation) -> None:
        """Write the numbers of a validation."""
        self.write("dev", {"update": validation.update, "epoch": validation.epoch}, validation.numbers())

    def write(self, kind: str, place: dict[str, int], numbers: dict[str, float]) -> None:
        """Write numbers by name; `kind` is `train` or `dev`, and `place` has the update and the epoch."""
        raise NotImplementedError


RSS_UNIT = 1 if sys.platform == "darwin" else 1 << 10
"""Number of bytes in the unit in which the operating system reports the resident set of a process."""


def peak_memory(device: torch.device) -> float:
    """Return the peak memory of this process so far, in MiB: allocated on the GPU, or resident on a CPU."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) / MIB
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT / MIB
