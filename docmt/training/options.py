"""How a job runs: nothing here changes what is trained, so none of it is a setting of a system."""

import time
from dataclasses import dataclass, field


@dataclass(frozen=True)
class JobOptions:
    """Minutes may be fractions."""

    deadline_minutes: float | None = None
    """From `began` on: what the job may take; none = as long as it needs."""
    hang_minutes: float = 30.0
    """The job ends when it made no progress for so long, be it by a batch of an update or of dev; 0 = never."""
    save_minutes: float = 30.0
    """A checkpoint at least so often, beside those of `train.save_every_updates`."""
    checkpoints: int = 2
    """How many are kept: the newest, and others for the case that it is damaged; at least 2."""
    set_aside: bool = False
    """Put a state of other settings beside and train from the start, where it would be refused."""
    deterministic: bool = False
    """See `docmt.training.repeatable`."""
    compiled: bool | None = None
    """See `docmt.training.compiling`; none = on CUDA."""
    began: float = field(default_factory=time.monotonic)
    """When the job began, by the clock of `time.monotonic`."""
