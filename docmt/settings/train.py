"""The settings of stage 5, the training of a system."""

from dataclasses import dataclass
from typing import Any, Literal

from docmt.base.checks import (
    Checked,
    at_least,
    beam,
    count,
    count_or_none,
    in_schema,
    need,
    rate,
    setting,
    share,
    whole,
)

Schedule = Literal["inverse_sqrt", "noam", "polynomial", "constant"]  # The name of a schedule of the learning rate.
Precision = Literal["fp32", "bf16"]  # The number format of forward passes in training.
# The remedy where a device does not compute in bf16.
IN_FP32 = "set `precision: fp32` in config.yaml, for every study that does not compare precisions"
GROUPS = ("new", "transferred")
"""The two groups of parameters where training starts from another model (`init_from` or `pretrained`).

`transferred` parameters start from a parameter of that model, and `new` parameters do not.
"""
# The settings that can have another value for each group, such as `lr_new` and `lr_transferred` for `lr`.
GROUP_SETTINGS = ("schedule", "lr", "warmup_updates")

CHANGEABLE = ("batch_tokens", "save_every_updates")
"""The settings that may change within a training, so that no identity has them: how an update is split, which decides
how sums are rounded, and when checkpoints are written."""


@in_schema(items={"minLength": 1})
def need_parts(name: str, value: tuple[str, ...]) -> None:
    """Raise BadValue for an empty name of parameters."""
    need(all(value), name, list(value), "names of parameters, or none at all: []")


@dataclass(frozen=True)
class TrainConfig(Checked):
    """The settings of training: batches, optimiser, schedule, stop rules and checkpoint rules."""

    tokens_per_update: int = setting(
        4096, "largest number of target tokens of one update, summed over all devices", count
    )
    batch_tokens: int | None = setting(
        None,
        "largest number of target tokens that one device computes at once; it changes memory, not results; none = as "
        "large as the update and the memory of a GPU allow, 4,096 on a CPU",
        count_or_none,
    )
    label_smoothing: float = setting(
        0.1, "probability mass that label smoothing spreads evenly over the vocabulary", share
    )
    beta1: float = setting(0.9, "beta 1 of Adam", share)
    beta2: float = setting(0.98, "beta 2 of Adam", share)
    epsilon: float = setting(1e-8, "epsilon of Adam", rate)
    weight_decay: float = setting(0.0, "weight decay of Adam, decoupled from the gradient", at_least(0))
    clip_norm: float = setting(
        0.0,
        "largest norm of the gradient of an update; a larger gradient is scaled to this norm; 0 = no limit",
        at_least(0),
    )
    schedule: Schedule = setting(
        "inverse_sqrt",
        "learning rate of update n. inverse_sqrt: `lr` at the end of the warm-up, then proportional to n^-0.5; noam: "
        "factor * width^-0.5 * min(n^-0.5, n * warmup^-1.5); polynomial: `lr` at the end of the warm-up, then falling "
        "to 0 at max_updates; constant: `lr`",
    )
    schedule_new: Schedule | None = setting(None, "schedule of new parameters (see lr_new); none = schedule")
    schedule_transferred: Schedule | None = setting(
        None, "schedule of transferred parameters (see lr_transferred); none = schedule"
    )
    lr: float = setting(5e-4, "peak learning rate (inverse_sqrt, polynomial, constant)", rate)
    lr_new: float | None = setting(
        None,
        "peak learning rate of new parameters, which get no value from `init_from` or `pretrained`; none = lr",
        rate,
    )
    lr_transferred: float | None = setting(
        None, "peak learning rate of parameters transferred from `init_from` or `pretrained`; none = lr", rate
    )
    noam_factor: float = setting(1.0, "factor of the Noam schedule", rate)
    warmup_updates: int = setting(
        4000, "updates of warm-up, in which the learning rate rises from 0 in a straight line", whole(0)
    )
    warmup_updates_new: int | None = setting(
        None, "updates of warm-up of new parameters (see lr_new); none = warmup_updates", whole(0)
    )
    warmup_updates_transferred: int | None = setting(
        None, "updates of warm-up of transferred parameters (see lr_transferred); none = warmup_updates", whole(0)
    )
    decay_power: float = setting(
        1.0,
        "p: the polynomial learning rate is lr * (share of the updates after the warm-up that remain)^p; 1 = a "
        "straight line",
        rate,
    )
    frozen: tuple[str, ...] = setting(
        (),
        "parameters that are not trained: `transferred`, `new` (see lr_new), or parts of the model by name, such "
        "as encoder.0",
        need_parts,
    )
    word_dropout: float = setting(
        0.0, "share of the pieces of the source and of the decoder's input that are replaced by <mask>", share
    )
    word_dropout_epochs: int | None = setting(
        None, "word dropout ends after this number of epochs; none = never", count_or_none
    )
    max_updates: int | None = setting(None, "stop after this number of updates; none = no limit", count_or_none)
    max_epochs: int | None = setting(None, "stop after this number of epochs; none = no limit", count_or_none)
    patience: int | None = setting(
        10, "stop after this number of validations without an improvement of `select_by`; none = never", count_or_none
    )
    select_by: Literal["loss", "bleu"] = setting(
        "loss",
        "measure that decides which validation is better: the dev loss, or the BLEU of the dev split, which each "
        "validation then translates",
    )
    bleu_beam: int = setting(1, "beam that translates the dev split (select_by: bleu); 1 is greedy search", beam)
    validate_every_updates: int | None = setting(
        None, "updates between two validations; none = one validation after each epoch", count_or_none
    )
    validate_start: bool = setting(False, "validate the initial model too, before the first update")
    save_every_updates: int = setting(1000, "updates between two checkpoints from which training can continue", count)
    checkpoint: Literal["best", "last", "average", "average_best"] = setting(
        "best",
        "weights of the final model. best, last: those at the best or the last validation; average, average_best: the "
        "mean of those at the last n or the best n validations after the first update",
    )
    average: int = setting(5, "n: number of validations whose weights are averaged (average, average_best)", beam)
    precision: Precision = setting(
        "fp32", "number format of forward passes in training. bf16: for GPUs and CPUs that compute in it"
    )

    def __post_init__(self) -> None:
        """Raise BadValue where a value is not allowed, or where two settings contradict each other."""
        super().__post_init__()
        self._check_rules()
        for group in (None, *GROUPS):
            self._check_schedule(group)
        self._check_frozen()

    def of_group(self, name: str, group: str | None) -> Any:
        """Return the setting `name` for a group of parameters: the group's value, or else that of all parameters."""
        value = getattr(self, f"{name}_{group}") if group else None
        return getattr(self, name) if value is None else value

    def settings_of_group(self, group: str) -> list[str]:
        """Return the names of the settings that have a value for a group, such as `lr_new`."""
        names = [f"{name}_{group}" for name in GROUP_SETTINGS]
        return [name for name in names if getattr(self, name) is not None]

    def _check_rules(self) -> None:
        """Raise BadValue where no setting ends training, or `bleu_beam` is set and validations do not translate."""
        need(
            any(rule is not None for rule in (self.max_updates, self.max_epochs, self.patience)),
            "max_updates",
            None,
            "a stop rule: one of max_updates, max_epochs, patience",
        )
        by_bleu = self.select_by == "bleu"
        need(by_bleu or self.bleu_beam == 1, "bleu_beam", self.bleu_beam, "1 where select_by is loss")

    def _check_schedule(self, group: str | None) -> None:
        """Raise BadValue for contradictions in the schedule of a group; None is the schedule of all parameters."""
        schedule, warmup = self.of_group("schedule", group), self.of_group("warmup_updates", group)
        stated = self.settings_of_group(group) if group else []
        need(
            schedule != "noam" or f"lr_{group}" not in stated,
            f"schedule_{group}" if f"schedule_{group}" in stated else "schedule",
            schedule,
            f"inverse_sqrt, polynomial or constant beside lr_{group} (noam has no peak rate to set)",
        )
        need(
            schedule != "constant" or f"warmup_updates_{group}" not in stated,
            f"warmup_updates_{group}",
            warmup,
            "none where the schedule is constant",
        )
        need(
            schedule != "polynomial" or (self.max_updates or 0) > warmup,
            "max_updates",
            self.max_updates,
            f"more than warmup_updates {warmup} (polynomial falls from the warm-up's end to 0 there)",
        )

    def _check_frozen(self) -> None:
        """Raise BadValue for settings of a group that is frozen."""
        for group in GROUPS:
            for name in self.settings_of_group(group):
                value = getattr(self, name)
                need(group not in self.frozen, name, value, f"none where frozen names {group!r}")
