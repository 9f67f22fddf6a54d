"""Adam, with a learning rate for parameters taken from an initial model and one for new ones; frozen ones have none."""

from collections.abc import Collection

import torch
from torch import nn

from docmt.core.config import TrainConfig
from docmt.training.schedule import learning_rate


def build_optimiser(model: nn.Module, train: TrainConfig, taken: Collection[str] = ()) -> torch.optim.AdamW:
    """Adam over all parameters that are trained; those named in `taken` have `lr_taken`, the others `lr_new`, where
    these are set.

    Weight decay is decoupled (Loshchilov and Hutter 2019); at 0, the default, this is plain Adam.
    """
    peaks = {"lr": train.lr}
    if taken:
        peaks = {"lr_new": train.lr_new or train.lr, "lr_taken": train.lr_taken or train.lr}
    members: dict[str, list[nn.Parameter]] = {name: [] for name in peaks}
    for name, parameter in model.named_parameters():
        if not parameter.requires_grad:
            continue
        members[("lr_taken" if name in taken else "lr_new") if taken else "lr"].append(parameter)
    groups = [{"params": members[name], "name": name, "peak": peak} for name, peak in peaks.items() if members[name]]
    return torch.optim.AdamW(
        groups,
        lr=0.0,
        betas=(train.beta1, train.beta2),
        eps=train.epsilon,
        weight_decay=train.weight_decay,
        fused=True,
    )


def set_learning_rates(optimiser: torch.optim.Optimizer, train: TrainConfig, width: int, update: int) -> dict:
    """Give each group the rate of this update; returns the rates by the group's name."""
    for group in optimiser.param_groups:
        group["lr"] = learning_rate(train, width, update, group["peak"])
    return {group["name"]: group["lr"] for group in optimiser.param_groups}
