"""When training ends."""

from docmt.settings.train import TrainConfig
from docmt.training.selection import best
from docmt.training.status import Status


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
