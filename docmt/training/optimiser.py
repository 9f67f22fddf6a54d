"""Adam, with a schedule for parameters taken from an initial model and one for new ones; frozen ones have none."""

from collections.abc import Collection

import torch
from torch import nn

from docmt.settings.train import GROUPS, TrainConfig
from docmt.training.schedule import learning_rate


def build_optimiser(model: nn.Module, train: TrainConfig, taken: Collection[str] = ()) -> torch.optim.AdamW:
    """Adam over all parameters that are trained: those named in `taken` as one group and the others, which are new, as
    another, where any are taken.

    Weight decay is decoupled (Loshchilov and Hutter 2019); at 0, the default, this is plain Adam.
    """
    members: dict[str | None, list[nn.Parameter]] = {group: [] for group in (GROUPS if taken else (None,))}
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            members[("taken" if name in taken else "new") if taken else None].append(parameter)
    groups = [
        {"params": parameters, "name": f"lr_{group}" if group else "lr", "group": group}
        for group, parameters in members.items()
        if parameters
    ]
    return torch.optim.AdamW(
        groups,
        lr=0.0,
        betas=(train.beta1, train.beta2),
        eps=train.epsilon,
        weight_decay=train.weight_decay,
        fused=True,
    )


def set_learning_rates(optimiser: torch.optim.Optimizer, train: TrainConfig, width: int, update: int) -> dict:
    """Give each group the rate of this update; returns the rates by the group's name: `lr`, or `lr_new`, `lr_taken`."""
    for group in optimiser.param_groups:
        group["lr"] = learning_rate(train, width, update, group["group"])
    return {group["name"]: group["lr"] for group in optimiser.param_groups}
