"""The Adam optimiser, its schedules, and what happens to gradients before its step: sums over ranks, and clipping.

There is a schedule for transferred parameters and one for new ones; frozen parameters have none.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial

import torch
from torch import Tensor, nn

from docmt.settings.train import GROUP_SETTINGS, GROUPS, TrainConfig
from docmt.supervision.exit import Failure, Reason
from docmt.supervision.ranks import Ranks
from docmt.training.progress import Update

Schedule = Callable[[int], float]
"""The learning rate as a function of the number of the update, which counts from 1."""


def schedule_of(train: TrainConfig, width: int, group: str | None = None) -> Schedule:
    """Return the schedule of a group of parameters, or of all parameters where `group` is None.

    The groups `new` and `transferred` may have settings of their own. The schedule `noam` has a factor instead of a
    peak rate, and depends on the `width` of the model.

    Paper: Vaswani et al. 2017, eq. 3, for `noam`.
    """
    schedule, peak, warmup = (train.of_group(name, group) for name in GROUP_SETTINGS)
    if schedule == "inverse_sqrt":
        return partial(inverse_sqrt, peak=peak, warmup_updates=warmup)
    if schedule == "noam":
        return partial(noam, factor=train.noam_factor, width=width, warmup_updates=warmup)
    if schedule == "polynomial":
        more = {"max_updates": train.max_updates, "power": train.decay_power}
        return partial(polynomial, peak=peak, warmup_updates=warmup, **more)
    return lambda update: peak


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


def schedules_of(optimiser: torch.optim.Optimizer, train: TrainConfig, width: int) -> list[Schedule]:
    """Return the schedule of each group of parameters of the optimiser."""
    return [schedule_of(train, width, group["group"]) for group in optimiser.param_groups]


def set_learning_rates(optimiser: torch.optim.Optimizer, schedules: Sequence[Schedule], update: int) -> dict:
    """Set the learning rates of `update`; return them by name: `lr`, or `lr_new` and `lr_transferred`."""
    for group, schedule in zip(optimiser.param_groups, schedules, strict=True):
        group["lr"] = schedule(update)
    return {group["name"]: group["lr"] for group in optimiser.param_groups}


def sum_gradients(parameters: Iterable[nn.Parameter], ranks: Ranks) -> None:
    """Give each parameter the sum of its gradients on all ranks, or None where no rank has a gradient.

    All gradients are exchanged at once, as one flat tensor. This is data parallelism without `DistributedDataParallel`,
    which expects that all ranks have the same number of batches and use the same parameters. In docmt the number of
    instances differs between updates, a rank may have no instance of an update, and parameters of lexical chains have
    no gradient in a batch without chains.
    """
    if ranks.count == 1:
        return
    parameters = [parameter for parameter in parameters if parameter.requires_grad]
    # All ranks must exchange tensors of the same size, though a rank may lack gradients that other ranks have.
    holders = ranks.summed([parameter.grad is not None for parameter in parameters])
    with_gradient = [parameter for parameter, count in zip(parameters, holders, strict=True) if count]
    flat = torch.cat([(torch.zeros_like(p) if p.grad is None else p.grad).flatten() for p in with_gradient])
    ranks.add_up(flat)
    for parameter, total in zip(with_gradient, flat.split([p.numel() for p in with_gradient]), strict=True):
        parameter.grad = total.view_as(parameter)


def clip_gradients(parameters: Iterable[nn.Parameter], clip_norm: float) -> Tensor:
    """Scale the gradients down to a norm of at most `clip_norm`, unless it is 0; return their norm before that.

    The norm stays on its device, so that the host does not wait for it.
    """
    parameters = [parameter for parameter in parameters if parameter.grad is not None]
    norm = nn.utils.get_total_norm([parameter.grad for parameter in parameters])
    if clip_norm:
        nn.utils.clip_grads_with_norm_(parameters, clip_norm, norm)
    return norm


def check_update(step: Update, last_checkpoint: str) -> None:
    """Raise Failure unless the loss and the gradient norm of an update are finite.

    `last_checkpoint` is a phrase about the newest checkpoint.
    """
    loss, norm = step.loss / step.counted, step.gradient_norm
    if not (math.isfinite(loss) and math.isfinite(norm)):
        what = "loss" if not math.isfinite(loss) else "gradient"
        rates_text = ", ".join(f"{name} {rate:.3g}" for name, rate in step.rates.items())
        refuse_not_finite(what, step.update, f"loss {loss}, gradient norm {norm}, {rates_text}", last_checkpoint)


def check_weights(update: int, weights: Mapping[str, Tensor], last_checkpoint: str) -> None:
    """Raise Failure for weights that are not finite; a finite gradient can cause them by far too long a step."""
    if bad := [name for name, tensor in weights.items() if not tensor.isfinite().all()]:
        refuse_not_finite("step", update, f"weights that are not finite: {', '.join(bad[:3])}", last_checkpoint)


def refuse_not_finite(what: str, update: int, values: str, last_checkpoint: str) -> None:
    """Raise Failure for a loss, a gradient or a step (`what`) that is not finite."""
    raise Failure(
        Reason.NOT_FINITE,
        f"the {what} is not finite",
        where=f"update {update}",
        found=values,
        remedy=f"lower train.lr or set train.clip_norm; {last_checkpoint}",
    )
