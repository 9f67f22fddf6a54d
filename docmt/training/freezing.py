"""Parameters that a training leaves as they are: they get no gradient, and the optimiser keeps nothing for them."""

from collections.abc import Sequence

from torch import nn

from docmt.base.errors import UserError, nearest
from docmt.models.pretrained import Start


def freeze(model: nn.Module, frozen: Sequence[str], start: Start) -> list[str]:
    """Freeze what `train.frozen` names; returns the parameters' names.

    `taken` and `new`: as `start` has them; else a part of the model by its dotted name, such as `encoder`, `decoder.0`
    or `source_embedding.weight`. Tied weights are one parameter, which has the first of its names.

    Raises UserError for a name that no parameter has, and where nothing is left to train.
    """
    parameters = dict(model.named_parameters())
    chosen = {name for part in frozen for name in _members(part, list(parameters), start)}
    if len(chosen) == len(parameters):
        raise UserError("no parameter is left to train", where="train.frozen", found=", ".join(frozen))
    for name in chosen:
        parameters[name].requires_grad_(False)
    return [name for name in parameters if name in chosen]


def _members(part: str, names: list[str], start: Start) -> Sequence[str]:
    by_start = {"taken": start.taken, "new": start.new}
    members = by_start.get(part, [name for name in names if f"{name}.".startswith(f"{part}.")])
    if not members:
        like_it = {".".join(name.split(".")[: part.count(".") + 1]) for name in names}
        remedy = "every parameter was taken" if part in by_start else nearest(part, like_it)
        raise UserError("no parameter has this name", where="train.frozen", found=part, remedy=remedy)
    return members
