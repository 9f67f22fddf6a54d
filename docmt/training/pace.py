"""The options of a job, and the rules for when it stops in good order: after a signal, or near the deadline.

The durations of updates, validations and checkpoints also determine when a checkpoint is due. After SIGTERM, SIGUSR1 or
Ctrl-C, the job finishes the present update and writes a checkpoint.
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
    """Options of a job that do not change the result of training, so none of them is a setting of a system.

    Minutes may be fractions.
    """

    deadline_minutes: float | None = None
    """Time that the job may take, from `began` on; None means that there is no limit."""
    hang_minutes: float = 30.0
    """The job ends when it made no progress, not even a batch of an update or of dev, for this time; 0 = never."""
    save_minutes: float = 30.0
    """Longest time between two checkpoints, beside the checkpoints of `train.save_every_updates`."""
    checkpoints: int = 2
    """Number of checkpoints in the folder: the newest one, and others in case it is damaged; at least 2."""
    set_aside: bool = False
    """Rename a state folder of other settings and train from the start, where the job would be refused otherwise."""
    deterministic: bool = False
    """See `docmt.training.computing`."""
    compiled: bool | None = None
    """See `docmt.training.computing`; None means that updates are compiled on CUDA."""
    began: float = field(default_factory=time.monotonic)
    """The start of the job, by the clock of `time.monotonic`."""


Work = Literal["update", "validation", "checkpoint"]
"""A part of a training after which it may stop."""

REMEMBERED: dict[Work, int] = {"update": 100, "validation": 3, "checkpoint": 1}
"""Number of the last works of each kind whose duration counts: the long first update, which compiles the model, is
forgotten at some point."""


class Pace:
    """The seconds that the last updates, validations and checkpoints took."""

    def __init__(self, options: JobOptions, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin without any duration; `clock` gives seconds."""
        minutes = options.deadline_minutes
        self._end = None if minutes is None else options.began + 60 * minutes
        self._save_s, self._clock, self._saved = 60 * options.save_minutes, clock, clock()
        self._took: dict[Work, deque[float]] = {work: deque(maxlen=last) for work, last in REMEMBERED.items()}

    @contextmanager
    def timed(self, work: Work) -> Iterator[None]:
        """Measure the duration of the block, which is a work of this kind."""
        began = self._clock()
        yield
        now = self._clock()
        self._took[work].append(now - began)
        if work == "checkpoint":
            self._saved = now

    def save_is_due(self, ahead: Work) -> bool:
        """Return whether a checkpoint is due now, between two works, of which `ahead` is the next.

        A checkpoint is due when the minutes between two checkpoints have passed. With a deadline it is due also after
        the first work, in order to measure the duration of a checkpoint, and before the first validation, since nobody
        knows whether the deadline will fall into it.
        """
        unknown = not self._took["checkpoint"] or (ahead == "validation" and not self._took["validation"])
        return (self._end is not None and unknown) or self._clock() - self._saved >= self._save_s

    def deadline_is_near(self, ahead: Work | None) -> bool:
        """Return whether the next work, or the rest of the present one (None), might leave no time for a checkpoint.

        It is never near within the first work of a process, so that jobs that are too short make progress all the same.
        """
        if self._end is None or not any(self._took.values()):
            return False
        return self._clock() + self._reserve(ahead) >= self._end

    def is_over(self) -> bool:
        """Return whether the deadline has passed."""
        return self._end is not None and self._clock() >= self._end

    def _reserve(self, ahead: Work | None) -> float:
        """Return the seconds to reserve for the next work and a checkpoint.

        The duration of a checkpoint counts twice, since file systems are slow at times.
        """
        longest = {work: max(seconds, default=0.0) for work, seconds in self._took.items()}
        return longest.get(ahead, 0.0) + 2 * longest["checkpoint"]


SIGNALS = (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT)
"""Signals that ask a training to stop: a cluster sends the first before it kills, and the second where it is asked to
(`sbatch --signal=USR1@300`); the third is Ctrl-C."""
AGAIN_S = 1.0
"""Seconds after which a second SIGINT counts: before that it may be a copy of the first, which comes from the terminal
and from the parent process as well."""


class StopRequest:
    """A context in which a signal sets `requested` to its name instead of ending the process; a second SIGINT ends it.

    It may be entered again within its own block. Signals that arrived while signals were blocked, as they are while
    ranks start, are received on entering.
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
        """Restore the handlers that were there before."""
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
        # Only a flag: the training reads it at points where it can write a checkpoint.
        self.requested = signal.Signals(number).name
