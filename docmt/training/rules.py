"""When training ends, and which weights the model then gets, by the validations so far."""

import math
from collections.abc import Sequence

from torch import Tensor

from docmt.settings.train import TrainConfig
from docmt.training.status import Status, Validation

Weights = dict[str, Tensor]


def by_merit(train: TrainConfig, history: Sequence[Validation]) -> list[Validation]:
    """The best validation first: by the dev loss, or by BLEU (`select_by`); the earlier of equals."""

    def badness(validation: Validation) -> float:
        value = validation.loss if train.select_by == "loss" else -validation.bleu
        return math.inf if math.isnan(value) else value

    return sorted(history, key=badness)


def best(train: TrainConfig, history: Sequence[Validation]) -> Validation:
    return by_merit(train, history)[0]


def chosen_updates(train: TrainConfig, history: Sequence[Validation]) -> list[int]:
    """The updates whose weights make the model, as far as is known; none for `last`, which takes the present ones."""
    if train.checkpoint == "last" or not history:
        return []
    if train.checkpoint == "average":
        # What training starts from (validate_start) is no part of what it made.
        return [validation.update for validation in history[-train.average :] if validation.update > 0]
    count = 1 if train.checkpoint == "best" else train.average
    return sorted(validation.update for validation in by_merit(train, history)[:count])


def mean(weights: Sequence[Weights]) -> Weights:
    """The mean of several models' weights; of one, that one to the bit."""
    total = {name: tensor.clone() for name, tensor in weights[0].items()}
    for other in weights[1:]:
        for name, tensor in other.items():
            total[name] += tensor
    return {name: tensor / len(weights) for name, tensor in total.items()}


def stop_reason(train: TrainConfig, status: Status) -> str | None:
    """Which stop rule holds, in words; none while training goes on."""
    if train.max_updates is not None and status.update >= train.max_updates:
        return f"max_updates {train.max_updates} reached"
    if train.max_epochs is not None and status.epoch >= train.max_epochs:
        return f"max_epochs {train.max_epochs} reached"
    if train.patience is not None and validations_since_best(train, status) >= train.patience:
        measure = "loss" if train.select_by == "loss" else "BLEU"
        return f"no better dev {measure} in {train.patience} validations"
    return None


def validations_since_best(train: TrainConfig, status: Status) -> int:
    if not status.history:
        return 0
    return len(status.history) - 1 - status.history.index(best(train, status.history))
