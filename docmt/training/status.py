"""The status of a training, and the rules that read it: when training stops, and which weights the model gets."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from torch import Tensor

from docmt.settings.train import TrainConfig
from docmt.training.progress import Meter, Validation

Weights = dict[str, Tensor]
"""The values of a model's parameters by name."""


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


def by_merit(train: TrainConfig, history: Sequence[Validation]) -> list[Validation]:
    """Return the validations from the best to the worst, by the loss or the BLEU of the dev set (`select_by`).

    Of equal validations the earlier is better. A loss or BLEU that is not a number is the worst.
    """

    def badness(validation: Validation) -> float:
        value = validation.loss if train.select_by == "loss" else -validation.bleu
        # NaN compares as neither smaller nor larger, so a list with NaN could be sorted in any order.
        return math.inf if math.isnan(value) else value

    return sorted(history, key=badness)


def best(train: TrainConfig, history: Sequence[Validation]) -> Validation:
    """Return the best validation."""
    return by_merit(train, history)[0]


def chosen_updates(train: TrainConfig, history: Sequence[Validation]) -> list[int]:
    """Return the updates whose weights the checkpoint rule chooses if training ends now.

    The list is empty for the checkpoint rule `last`, for which the model gets its present weights. The validation
    before the first update (`validate_start`) may be the best one, so that a training that only makes its initial model
    worse gives this model. A mean leaves it out, since its weights are no result of training.
    """
    if train.checkpoint == "last" or not history:
        return []
    if train.checkpoint == "best":
        return [best(train, history).update]
    trained = [validation for validation in history if validation.update > 0]
    order = trained[::-1] if train.checkpoint == "average" else by_merit(train, trained)
    return sorted(validation.update for validation in order[: train.average])


def mean(weights: Sequence[Weights]) -> Weights:
    """Return the mean of the weights of several models; the mean of a single model is bit-identical to its weights."""
    total = {name: tensor.clone() for name, tensor in weights[0].items()}
    for other in weights[1:]:
        for name, tensor in other.items():
            total[name] += tensor
    return {name: tensor / len(weights) for name, tensor in total.items()}


def stop_reason(train: TrainConfig, status: Status) -> str | None:
    """Return a phrase that names the stop rule that holds, or None where training continues."""
    if train.max_updates is not None and status.update >= train.max_updates:
        return f"max_updates {train.max_updates} reached"
    if train.max_epochs is not None and status.epoch >= train.max_epochs:
        return f"max_epochs {train.max_epochs} reached"
    if train.patience is not None and validations_since_best(train, status) >= train.patience:
        measure = "loss" if train.select_by == "loss" else "BLEU"
        return f"no better dev {measure} in {train.patience} validations"
    return None


def validations_since_best(train: TrainConfig, status: Status) -> int:
    """Return the number of validations after the best one."""
    if not status.history:
        return 0
    return len(status.history) - 1 - status.history.index(best(train, status.history))
