"""Which weights the model gets at the end, and so which must be kept until then."""

from collections.abc import Sequence

from torch import Tensor

from docmt.core.config import TrainConfig
from docmt.training.status import Validation

Weights = dict[str, Tensor]


def best(history: Sequence[Validation]) -> Validation:
    """The validation of the lowest dev loss, the earliest of equals."""
    return min(history, key=lambda validation: validation.loss)


def wanted(train: TrainConfig, history: Sequence[Validation]) -> list[int]:
    """The updates whose weights make the model, as far as is known; none for `last`, which takes the present ones."""
    if train.checkpoint == "last" or not history:
        return []
    if train.checkpoint == "best":
        return [best(history).update]
    return [validation.update for validation in history[-train.average :]]


def mean(weights: Sequence[Weights]) -> Weights:
    """The mean of several models' weights; of one, that one to the bit."""
    total = {name: tensor.clone() for name, tensor in weights[0].items()}
    for other in weights[1:]:
        for name, tensor in other.items():
            total[name] += tensor
    return {name: tensor / len(weights) for name, tensor in total.items()}
