"""The settings of training."""

from dataclasses import dataclass
from typing import Any, Literal

from docmt.base.checks import Checked, at_least, beam, count, count_or_none, need, rate, setting, share, whole

Schedule = Literal["inverse_sqrt", "noam", "polynomial", "constant"]
"""The name of a schedule of the learning rate."""
GROUPS = ("new", "transferred")
"""The groups of parameters where training starts from `init_from` or `pretrained`: `new` parameters, which the initial
model lacks, and `transferred` parameters, which it has."""
GROUP_SETTINGS = ("schedule", "lr", "warmup_updates")
"""The settings that a group may have for itself, such as `lr_new` and `lr_transferred`."""


@dataclass(frozen=True)
class TrainConfig(Checked):
    """The settings of stage 5: batches, optimiser, schedule, stop rules and checkpoint rules."""

    tokens_per_update: int = setting(4096, "target tokens of one update, on all devices together", count)
    batch_tokens: int = setting(4096, "target tokens computed at once on one device (memory, not results)", count)
    label_smoothing: float = setting(0.1, "probability mass spread evenly over the vocabulary", share)
    beta1: float = setting(0.9, "beta 1 of Adam", share)
    beta2: float = setting(0.98, "beta 2 of Adam", share)
    epsilon: float = setting(1e-8, "epsilon of Adam", rate)
    weight_decay: float = setting(0.0, "decoupled weight decay of Adam", at_least(0))
    clip_norm: float = setting(0.0, "largest norm of the gradient; 0 = not clipped", at_least(0))
    schedule: Schedule = setting(
        "inverse_sqrt",
        "learning rate of update n. inverse_sqrt: peak `lr` after the warm-up, then falling with the inverse "
        "square root of n; noam: factor * width^-0.5 * min(n^-0.5, n * warmup^-1.5); polynomial: from the peak to"
        " 0 at max_updates; constant: `lr`",
    )
    schedule_new: Schedule | None = setting(None, "schedule of new parameters (see lr_new); none = schedule")
    schedule_transferred: Schedule | None = setting(
        None, "schedule of transferred parameters (see lr_transferred); none = schedule"
    )
    lr: float = setting(5e-4, "peak learning rate (inverse_sqrt, polynomial, constant)", rate)
    lr_new: float | None = setting(
        None, "peak learning rate of new parameters, which `init_from` or `pretrained` lacks; none = lr", rate
    )
    lr_transferred: float | None = setting(
        None, "peak learning rate of parameters transferred from `init_from` or `pretrained`; none = lr", rate
    )
    noam_factor: float = setting(1.0, "factor of the Noam schedule", rate)
    warmup_updates: int = setting(4000, "updates of linear warm-up", whole(0))
    warmup_updates_new: int | None = setting(None, "warm-up of new parameters; none = warmup_updates", whole(0))
    warmup_updates_transferred: int | None = setting(
        None, "warm-up of transferred parameters; none = warmup_updates", whole(0)
    )
    decay_power: float = setting(
        1.0, "power of the share of updates that remain (polynomial); 1 = a straight line", rate
    )
    frozen: tuple[str, ...] = setting(
        (),
        "parameters that are not trained: `transferred`, `new` (see lr_new), or parts of the model by name, such "
        "as encoder.0",
    )
    word_dropout: float = setting(0.0, "share of source and target input words replaced by <mask>", share)
    word_dropout_epochs: int | None = setting(
        None, "word dropout ends after this number of epochs; none = never", count_or_none
    )
    max_updates: int | None = setting(None, "stop after this number of updates; none = no limit", count_or_none)
    max_epochs: int | None = setting(None, "stop after this number of epochs; none = no limit", count_or_none)
    patience: int | None = setting(
        10, "stop after this number of validations without an improvement (select_by); none = never", count_or_none
    )
    select_by: Literal["loss", "bleu"] = setting(
        "loss", "measure of a validation: the dev loss, or the BLEU of dev, which is then translated at each validation"
    )
    bleu_beam: int = setting(1, "hypotheses kept when dev is translated (select_by: bleu); 1 is greedy", beam)
    validate_every_updates: int | None = setting(
        None, "updates between validations; none = one validation for each epoch", count_or_none
    )
    validate_start: bool = setting(False, "validate before the first update too: the dev loss of the initial model")
    save_every_updates: int = setting(1000, "updates between checkpoints from which training can resume", count)
    checkpoint: Literal["best", "last", "average", "average_best"] = setting(
        "best",
        "weights of the final model: of the best validation, of the last one, the mean of the last n, or of the best n",
    )
    average: int = setting(5, "n: number of validations whose weights are averaged (average, average_best)", beam)
    precision: Literal["auto", "fp32", "bf16"] = setting("auto", "auto = bf16 on GPUs that have it, else fp32")

    def __post_init__(self) -> None:
        """Check that fields do not contradict each other."""
        super().__post_init__()
        self._check_rules()
        for group in (None, *GROUPS):
            self._check_schedule(group)
        self._check_frozen()

    def of_group(self, name: str, group: str | None) -> Any:
        """Return a setting for `new` or `transferred` parameters: the group's value, or else that of all parameters."""
        value = getattr(self, f"{name}_{group}") if group else None
        return getattr(self, name) if value is None else value

    def settings_of_group(self, group: str) -> list[str]:
        """Return the names of the settings that are stated for a group."""
        names = [f"{name}_{group}" for name in GROUP_SETTINGS]
        return [name for name in names if getattr(self, name) is not None]

    def _check_rules(self) -> None:
        """Check that there is a stop rule, and that `bleu_beam` has a use."""
        need(
            any(rule is not None for rule in (self.max_updates, self.max_epochs, self.patience)),
            "max_updates",
            None,
            "a stop rule: one of max_updates, max_epochs, patience",
        )
        by_bleu = self.select_by == "bleu"
        need(by_bleu or self.bleu_beam == 1, "bleu_beam", self.bleu_beam, "1 where select_by is loss")

    def _check_schedule(self, group: str | None) -> None:
        """Check the schedule of a group, or of all parameters where `group` is none."""
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
        """Check the names of frozen parameters; a frozen group has no settings."""
        need(all(self.frozen), "frozen", list(self.frozen), "names of parameters, or none at all: []")
        for group in GROUPS:
            for name in self.settings_of_group(group):
                value = getattr(self, name)
                need(group not in self.frozen, name, value, f"none where frozen names {group!r}")
