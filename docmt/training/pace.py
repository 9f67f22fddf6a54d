"""The options of a job, and the rules for when the job stops in good order: after a signal, or near the deadline.

The durations of updates, validations and checkpoints determine when the deadline is near and when a checkpoint is due.
After SIGTERM, SIGUSR1 or Ctrl-C, the job finishes the present update, or batch of a validation, and writes a
checkpoint.
"""

import signal
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Literal

from docmt.base.checks import MOST_MINUTES, need


@dataclass(frozen=True)
class JobOptions:
    """Options of a job that do not change the result of training, so none of them is a setting of a system.

    Numbers of minutes need not be whole.
    """

    deadline_minutes: float | None = None
    """Minutes that the job may take, from `began` on; None means that there is no limit."""
    hang_minutes: float = 30.0
    """Minutes without progress, such as a batch of an update or of the dev set, until the job is ended; 0 = never."""
    save_minutes: float = 30.0
    """Longest time between two checkpoints in minutes, beside the checkpoints of `train.save_every_updates`."""
    checkpoints: int = 2
    """Number of checkpoints in the state folder: the newest one, and others in case it is damaged; at least 2."""
    deterministic: bool = False
    """Whether only algorithms are used whose results repeat to the bit (`docmt.training.computing.repeatable`)."""
    compiled: bool = False
    """Whether parts of updates are compiled (`docmt.training.computing`)."""
    began: float = field(default_factory=time.monotonic)
    """The start of the job, by the clock of `time.monotonic`."""

    def __post_init__(self) -> None:
        """Raise BadValue for a number out of range."""
        for name, value in (("hang_minutes", self.hang_minutes), ("save_minutes", self.save_minutes)):
            need(0 <= value <= MOST_MINUTES, name, value, f"0 to {MOST_MINUTES:,}")
        need(self.checkpoints >= 2, "checkpoints", self.checkpoints, "at least 2")


Work = Literal["update", "validation", "checkpoint"]
"""A step of a training, after which the training may stop."""

REMEMBERED: dict[Work, int] = {"update": 100, "validation": 3, "checkpoint": 1}
"""Number of the last updates, validations and checkpoints whose durations count. So the long first update, which
compiles the model, no longer counts after 100 updates."""


class Pace:
    """The durations of the last updates, validations and checkpoints in seconds, and the rules that depend on them."""

    def __init__(self, options: JobOptions, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin without any duration; `clock` gives seconds."""
        minutes = options.deadline_minutes
        self._end = None if minutes is None else options.began + 60 * minutes
        self._save_s, self._clock, self._saved = 60 * options.save_minutes, clock, clock()
        self._took: dict[Work, deque[float]] = {work: deque(maxlen=last) for work, last in REMEMBERED.items()}

    @contextmanager
    def timed(self, work: Work) -> Iterator[None]:
        """Measure the duration of the block, which is an update, a validation or a checkpoint, as `work` says."""
        began = self._clock()
        yield
        now = self._clock()
        self._took[work].append(now - began)
        if work == "checkpoint":
            self._saved = now

    def save_is_due(self, ahead: Work) -> bool:
        """Return whether a checkpoint is due now, before the update or validation `ahead`.

        A checkpoint is due when the minutes between two checkpoints have passed. With a deadline, a checkpoint is also
        due after the first step of a job, to measure the duration of a checkpoint, and before the first validation,
        since the validation may last beyond the deadline.
        """
        unknown = not self._took["checkpoint"] or (ahead == "validation" and not self._took["validation"])
        return (self._end is not None and unknown) or self._clock() - self._saved >= self._save_s

    def deadline_is_near(self, ahead: Work | None) -> bool:
        """Return whether the next step `ahead`, or the rest of the present one (None), may leave no checkpoint time.

        The deadline is never near within the first step of a process, so that also jobs that are too short make
        progress.
        """
        if self._end is None or not any(self._took.values()):
            return False
        return self._clock() + self._reserve(ahead) >= self._end

    def is_over(self) -> bool:
        """Return whether the deadline has passed."""
        return self._end is not None and self._clock() >= self._end

    def _reserve(self, ahead: Work | None) -> float:
        """Return the seconds to reserve for the next step and a checkpoint.

        The duration of a checkpoint counts twice, since file systems are slow at times.
        """
        longest = {work: max(seconds, default=0.0) for work, seconds in self._took.items()}
        return longest.get(ahead, 0.0) + 2 * longest["checkpoint"]


SIGNALS = (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT)
"""Signals that ask a training to stop: a cluster sends SIGTERM before it kills a job, and SIGUSR1 where the user has
asked for it (`sbatch --signal=USR1@300`); a terminal sends SIGINT for Ctrl-C."""
AGAIN_S = 1.0
"""Seconds after which a second SIGINT counts: an earlier one may be a copy, since the terminal and the parent process
may both send the same SIGINT."""


class StopRequest:
    """A context in which a signal sets `requested` to its name; only a second SIGINT ends the process.

    The context may be entered again within its own block. Signals are blocked while ranks start; signals that arrived
    in that time are received on entering.
    """

    def __init__(self) -> None:
        """Begin without any request."""
        self.requested: str | None = None
        self._interrupted: float | None = None
        self._before: list[dict] = []

    def __enter__(self) -> "StopRequest":
        """Replace the handlers of `SIGNALS` and receive signals."""
        self._before.append({number: signal.signal(number, self._note) for number in SIGNALS})
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        return self

    def __exit__(self, *problem: object) -> None:
        """Restore the handlers that the signals had before the block."""
        for number, handler in self._before.pop().items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        """Record the signal, or raise KeyboardInterrupt at a second SIGINT.

        Further SIGINTs are then ignored, so that they do not disturb the clean-up.
        """
        if number == signal.SIGINT:
            now = time.monotonic()
            if self._interrupted is not None and now - self._interrupted >= AGAIN_S:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
                raise KeyboardInterrupt
            self._interrupted = self._interrupted or now
        # The handler only sets a flag, which the training reads at points where it can write a checkpoint.
        self.requested = signal.Signals(number).name
