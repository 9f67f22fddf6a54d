"""The Adam optimiser and its schedules: one for transferred parameters and one for new ones.

Frozen parameters have no schedule. Learning rates are pure functions of the number of the update, which counts from 1.
"""

from collections.abc import Collection

import torch
from torch import nn

from docmt.settings.train import GROUP_SETTINGS, GROUPS, TrainConfig


def learning_rate(train: TrainConfig, width: int, update: int, group: str | None = None) -> float:
    """Return the learning rate of an update for a group of parameters, or for all parameters where `group` is None.

    The groups `new` and `transferred` may have settings of their own. The schedule `noam` has a factor instead of a
    peak rate.

    Paper: Vaswani et al. 2017, eq. 3, for `noam`.
    """
    schedule, peak, warmup = (train.of_group(name, group) for name in GROUP_SETTINGS)
    if schedule == "inverse_sqrt":
        return inverse_sqrt(update, peak, warmup)
    if schedule == "noam":
        return noam(update, train.noam_factor, width, warmup)
    if schedule == "polynomial":
        return polynomial(update, peak, warmup, train.max_updates, train.decay_power)
    return peak


def inverse_sqrt(update: int, peak: float, warmup_updates: int) -> float:
    """Return a rate that rises linearly to `peak` in the warm-up, and then falls with the inverse root of `update`.

    Departs: fairseq makes its first update with the rate of update 0, which is 0; in docmt the first update has the
    rate of update 1.
    """
    warmup = max(warmup_updates, 1)
    return peak * min(update / warmup, (warmup / update) ** 0.5)


def polynomial(update: int, peak: float, warmup_updates: int, max_updates: int, power: float) -> float:
    """Return a rate that rises linearly to `peak` at the end of the warm-up, and then falls to 0 at `max_updates`.

    The rate falls in a straight line where `power` is 1.

    Paper: none; this is the schedule of fairseq with which mBART is fine-tuned. Departs: the first update has the rate
    of update 1 instead of 0, as in `inverse_sqrt`.
    """
    if update < warmup_updates:
        return peak * update / warmup_updates
    left = max(max_updates - update, 0) / (max_updates - warmup_updates)
    return peak * left**power


def noam(update: int, factor: float, width: int, warmup_updates: int) -> float:
    """Return a rate that rises to factor * (width * warmup)^-0.5 in the warm-up, then falls with the inverse root."""
    warmup = max(warmup_updates, 1)
    return factor * width**-0.5 * min(update**-0.5, update * warmup**-1.5)


def build_optimiser(model: nn.Module, train: TrainConfig, transferred: Collection[str] = ()) -> torch.optim.AdamW:
    """Return Adam over all parameters that are trained, in one group or in two.

    Where `transferred` has names, the parameters with these names form one group, and the other parameters, which are
    new, form another group.

    Weight decay is decoupled (Loshchilov and Hutter 2019); with a decay of 0, the default, the optimiser is plain Adam.
    """
    members: dict[str | None, list[nn.Parameter]] = {group: [] for group in (GROUPS if transferred else (None,))}
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            members[("transferred" if name in transferred else "new") if transferred else None].append(parameter)
    groups = [
        {"params": parameters, "name": f"lr_{group}" if group else "lr", "group": group}
        for group, parameters in members.items()
        if parameters
    ]
    # The learning rate is 0 here, since `set_learning_rates` sets the rate before each update.
    return torch.optim.AdamW(
        groups,
        lr=0.0,
        betas=(train.beta1, train.beta2),
        eps=train.epsilon,
        weight_decay=train.weight_decay,
        fused=True,
    )


def set_learning_rates(optimiser: torch.optim.Optimizer, train: TrainConfig, width: int, update: int) -> dict:
    """Set the learning rates of `update`; return them by name: `lr`, or `lr_new` and `lr_transferred`."""
    for group in optimiser.param_groups:
        group["lr"] = learning_rate(train, width, update, group["group"])
    return {group["name"]: group["lr"] for group in optimiser.param_groups}
