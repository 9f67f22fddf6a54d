"""How a job runs, and when it stops in good order: a signal asks for it, or the deadline is near.

How long its parts take also says when a checkpoint is due. SIGTERM, SIGUSR1 and Ctrl-C let the update finish and a
checkpoint be written.
"""

import signal
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Literal


@dataclass(frozen=True)
class JobOptions:
    """Nothing here changes what is trained, so none of it is a setting of a system. Minutes may be fractions."""

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
    """See `docmt.training.computing`."""
    compiled: bool | None = None
    """See `docmt.training.computing`; none = on CUDA."""
    began: float = field(default_factory=time.monotonic)
    """When the job began, by the clock of `time.monotonic`."""


Work = Literal["update", "validation", "checkpoint"]

REMEMBERED: dict[Work, int] = {"update": 100, "validation": 3, "checkpoint": 1}
"""How many of the last ones count: a first update that compiles the model is not held against the last."""


class Pace:
    """Seconds of the last updates, validations and checkpoints, by `clock`."""

    def __init__(self, options: JobOptions, clock: Callable[[], float] = time.monotonic) -> None:
        minutes = options.deadline_minutes
        self._end = None if minutes is None else options.began + 60 * minutes
        self._save_s, self._clock, self._saved = 60 * options.save_minutes, clock, clock()
        self._took: dict[Work, deque[float]] = {work: deque(maxlen=last) for work, last in REMEMBERED.items()}

    @contextmanager
    def timed(self, work: Work) -> Iterator[None]:
        began = self._clock()
        yield
        now = self._clock()
        self._took[work].append(now - began)
        if work == "checkpoint":
            self._saved = now

    def save_is_due(self, ahead: Work) -> bool:
        """Between two works, of which `ahead` is the next: after the minutes between two checkpoints.

        With a deadline also after the first work, to know how long a checkpoint takes, and before the first validation,
        of which nobody knows whether the deadline falls into it.
        """
        unknown = not self._took["checkpoint"] or (ahead == "validation" and not self._took["validation"])
        return (self._end is not None and unknown) or self._clock() - self._saved >= self._save_s

    def deadline_is_near(self, ahead: Work | None) -> bool:
        """Whether the next work, or what is left of the present one (None), might leave no time for a checkpoint.

        Never within the first work of a process: so jobs that are too short get on all the same.
        """
        if self._end is None or not any(self._took.values()):
            return False
        return self._clock() + self._reserve(ahead) >= self._end

    def is_over(self) -> bool:
        """Whether the deadline has come."""
        return self._end is not None and self._clock() >= self._end

    def _reserve(self, ahead: Work | None) -> float:
        """The checkpoint's time counts twice, since file systems are slow at times."""
        longest = {work: max(seconds, default=0.0) for work, seconds in self._took.items()}
        return longest.get(ahead, 0.0) + 2 * longest["checkpoint"]


SIGNALS = (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT)
"""What a cluster sends before it kills; the second where it is asked to (`sbatch --signal=USR1@300`); Ctrl-C."""
AGAIN_S = 1.0
"""A second SIGINT counts after so long: the first may come from the terminal and from the parent process as well."""


class StopRequest:
    """While entered, a signal sets `requested` to its name instead of ending the process; a second SIGINT ends it.

    It may be entered again within. What came while signals were blocked, as of ranks that start, is heard on entering.
    """

    def __init__(self) -> None:
        self.requested: str | None = None
        self._interrupted: float | None = None
        self._before: list[dict] = []

    def __enter__(self) -> "StopRequest":
        self._before.append({number: signal.signal(number, self._note) for number in SIGNALS})
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        return self

    def __exit__(self, *problem: object) -> None:
        for number, handler in self._before.pop().items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        """Raises KeyboardInterrupt at a second SIGINT; nothing disturbs what then cleans up."""
        if number == signal.SIGINT:
            now = time.monotonic()
            if self._interrupted is not None and now - self._interrupted >= AGAIN_S:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
                raise KeyboardInterrupt
            self._interrupted = self._interrupted or now
        self.requested = signal.Signals(number).name
