"""What trainings can be told."""

from dataclasses import dataclass
from typing import Any, Literal

from docmt.base.checks import Checked, at_least, beam, count, count_or_none, need, rate, setting, share, whole

Schedule = Literal["inverse_sqrt", "noam", "polynomial", "constant"]
GROUPS = ("new", "transferred")
"""Parameters by what training starts from, `init_from` or `pretrained`: those that it lacks, and those that it has."""
GROUP_SETTINGS = ("schedule", "lr", "warmup_updates")
"""Settings of training that a group may have for itself, as `lr_new` and `lr_transferred`."""


@dataclass(frozen=True)
class TrainConfig(Checked):
    """Stage 5: batches, optimiser, schedule, stop and checkpoint rules."""

    tokens_per_update: int = setting(4096, "target tokens of one update, whatever the number of devices", count)
    batch_tokens: int = setting(4096, "target tokens computed at once on one device (memory, not results)", count)
    label_smoothing: float = setting(0.1, "mass spread evenly over the vocabulary", share)
    beta1: float = setting(0.9, "Adam", share)
    beta2: float = setting(0.98, "Adam", share)
    epsilon: float = setting(1e-8, "Adam", rate)
    weight_decay: float = setting(0.0, "Adam, decoupled", at_least(0))
    clip_norm: float = setting(0.0, "largest norm of the gradient; 0 = not clipped", at_least(0))
    schedule: Schedule = setting(
        "inverse_sqrt",
        "peak `lr` after the warm-up, then by the root; or factor * width^-0.5 * min(n^-0.5, n * warmup^-1.5); or from "
        "the peak to 0 at max_updates; or flat",
    )
    schedule_new: Schedule | None = setting(None, "of parameters that are new (see lr_new); none = schedule")
    schedule_transferred: Schedule | None = setting(
        None, "of parameters that are transferred (see lr_transferred); none = schedule"
    )
    lr: float = setting(5e-4, "peak learning rate (inverse_sqrt, polynomial, constant)", rate)
    lr_new: float | None = setting(None, "of parameters that `init_from` or `pretrained` lacks; none = lr", rate)
    lr_transferred: float | None = setting(
        None, "of parameters transferred from `init_from` or `pretrained`; none = lr", rate
    )
    noam_factor: float = setting(1.0, "factor of the Noam schedule", rate)
    warmup_updates: int = setting(4000, "updates of linear warm-up", whole(0))
    warmup_updates_new: int | None = setting(None, "of parameters that are new; none = warmup_updates", whole(0))
    warmup_updates_transferred: int | None = setting(
        None, "of parameters that are transferred; none = warmup_updates", whole(0)
    )
    decay_power: float = setting(1.0, "power of what is left of the updates (polynomial); 1 = a straight line", rate)
    frozen: tuple[str, ...] = setting(
        (),
        "parameters that are not trained: `transferred`, `new` (see lr_new), or parts by name, such as encoder.0",
    )
    word_dropout: float = setting(0.0, "share of source and target input words replaced by <mask>", share)
    word_dropout_epochs: int | None = setting(
        None, "word dropout ends after so many epochs; none = never", count_or_none
    )
    max_updates: int | None = setting(None, "stop after so many updates; none = no limit", count_or_none)
    max_epochs: int | None = setting(None, "stop after so many passes; none = no limit", count_or_none)
    patience: int | None = setting(
        10, "stop after so many validations without a better one (select_by); none = never", count_or_none
    )
    select_by: Literal["loss", "bleu"] = setting(
        "loss", "which validation is better: by the dev loss, or by the BLEU of dev, which is then translated each time"
    )
    bleu_beam: int = setting(1, "hypotheses kept when dev is translated (select_by: bleu); 1 is greedy", beam)
    validate_every_updates: int | None = setting(None, "none = once an epoch", count_or_none)
    validate_start: bool = setting(False, "also before the first update: the dev loss of what training starts from")
    save_every_updates: int = setting(1000, "checkpoints to resume from", count)
    checkpoint: Literal["best", "last", "average", "average_best"] = setting(
        "best", "which weights the model gets: of the best validation, the last, a mean of the last n, of the best n"
    )
    average: int = setting(5, "n: how many validations' weights are averaged (average, average_best)", beam)
    precision: Literal["auto", "fp32", "bf16"] = setting("auto", "auto = bf16 on GPUs that have it, else fp32")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_rules()
        for group in (None, *GROUPS):
            self._check_schedule(group)
        self._check_frozen()

    def of_group(self, name: str, group: str | None) -> Any:
        """The value of a setting for `new` or for `transferred` parameters: their own, or else that of all."""
        own = getattr(self, f"{name}_{group}") if group else None
        return getattr(self, name) if own is None else own

    def settings_of_group(self, group: str) -> list[str]:
        """Names of the settings that are stated for a group."""
        names = [f"{name}_{group}" for name in GROUP_SETTINGS]
        return [name for name in names if getattr(self, name) is not None]

    def _check_rules(self) -> None:
        need(
            any(rule is not None for rule in (self.max_updates, self.max_epochs, self.patience)),
            "max_updates",
            None,
            "a stop rule: one of max_updates, max_epochs, patience",
        )
        by_bleu = self.select_by == "bleu"
        need(by_bleu or self.bleu_beam == 1, "bleu_beam", self.bleu_beam, "1 where select_by is loss")

    def _check_schedule(self, group: str | None) -> None:
        """Of all parameters, or of a group."""
        schedule, warmup = self.of_group("schedule", group), self.of_group("warmup_updates", group)
        own = self.settings_of_group(group) if group else []
        need(
            schedule != "noam" or f"lr_{group}" not in own,
            f"schedule_{group}" if f"schedule_{group}" in own else "schedule",
            schedule,
            f"inverse_sqrt, polynomial or constant beside lr_{group} (noam has no peak rate to set)",
        )
        need(
            schedule != "constant" or f"warmup_updates_{group}" not in own,
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
        need(all(self.frozen), "frozen", list(self.frozen), "names of parameters, or none at all: []")
        for group in GROUPS:
            for name in self.settings_of_group(group):
                value = getattr(self, name)
                need(group not in self.frozen, name, value, f"none where frozen names {group!r}")
