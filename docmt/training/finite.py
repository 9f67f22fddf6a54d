"""Losses, gradients and weights that are no numbers end a training, before they reach a checkpoint."""

import math
from collections.abc import Mapping

from torch import Tensor

from docmt.training.exit import Failure, Reason


def check_update(update: int, loss: float, norm: float, rates: Mapping[str, float], kept: str) -> None:
    """Raises Failure unless an update's loss and gradient norm are finite; `kept` says what there is to go on from."""
    if not (math.isfinite(loss) and math.isfinite(norm)):
        what = "loss" if not math.isfinite(loss) else "gradient"
        refuse(what, update, f"loss {loss}, gradient norm {norm}, {in_words(rates)}", kept)


def check_weights(update: int, weights: Mapping[str, Tensor], kept: str) -> None:
    """Raises Failure for weights that are not finite, as a step that is far too long can make of a finite gradient."""
    if bad := [name for name, tensor in weights.items() if not tensor.isfinite().all()]:
        refuse("step", update, f"weights that are not finite: {', '.join(bad[:3])}", kept)


def refuse(what: str, update: int, found: str, kept: str) -> None:
    """Raises Failure."""
    raise Failure(
        Reason.NOT_FINITE,
        f"the {what} is not finite",
        where=f"update {update}",
        found=found,
        remedy=f"lower train.lr or set train.clip_norm; {kept}",
    )


def in_words(rates: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {rate:.3g}" for name, rate in rates.items())
