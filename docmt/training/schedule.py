"""Learning rates as pure functions of the update's number, which counts from 1."""

from docmt.settings.train import OF_GROUPS, TrainConfig


def learning_rate(train: TrainConfig, width: int, update: int, group: str | None = None) -> float:
    """The learning rate of an update, for a group of parameters that has settings of its own (`new`, `taken`) or for
    all; `noam` takes no peak but its factor.

    Paper: Vaswani et al. 2017, eq. 3, for `noam`.
    """
    schedule, peak, warmup = (train.of_group(name, group) for name in OF_GROUPS)
    if schedule == "inverse_sqrt":
        return inverse_sqrt(update, peak, warmup)
    if schedule == "noam":
        return noam(update, train.noam_factor, width, warmup)
    if schedule == "polynomial":
        return polynomial(update, peak, warmup, train.max_updates, train.decay_power)
    return peak


def inverse_sqrt(update: int, peak: float, warmup_updates: int) -> float:
    """Linear from 0 to `peak` at the end of the warm-up, then falling with the root of the update's number.

    Departs: fairseq makes its first update with the rate of update 0, which is 0; here it has that of update 1.
    """
    warmup = max(warmup_updates, 1)
    return peak * min(update / warmup, (warmup / update) ** 0.5)


def polynomial(update: int, peak: float, warmup_updates: int, max_updates: int, power: float) -> float:
    """Linear from 0 to `peak` at the warm-up's end, then to 0 at `max_updates`, in a straight line where `power` is 1.

    Paper: none; the schedule of fairseq that mBART is fine-tuned with. Departs: as `inverse_sqrt`.
    """
    if update < warmup_updates:
        return peak * update / warmup_updates
    left = max(max_updates - update, 0) / (max_updates - warmup_updates)
    return peak * left**power


def noam(update: int, factor: float, width: int, warmup_updates: int) -> float:
    """Highest at the end of the warm-up: factor * (width * warmup)^-0.5."""
    warmup = max(warmup_updates, 1)
    return factor * width**-0.5 * min(update**-0.5, update * warmup**-1.5)
