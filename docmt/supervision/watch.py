"""The watch over a training: signals, the clock, memory and progress, and when it stops in good order or saves.

The durations of updates, validations and checkpoints determine when the deadline is near and when a checkpoint is due.
After a signal, the training finishes the present update, or batch of a validation, and writes a checkpoint.
"""

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, TypeVar

from docmt.base.checks import MOST_MINUTES, need
from docmt.supervision.exit import Failure, Reason
from docmt.supervision.lease import Lease
from docmt.supervision.stop import StopRequest

T = TypeVar("T")


@dataclass(frozen=True)
class JobOptions:
    """Options of a job that do not change the result of training, so none of them is a setting of a system.

    Numbers of minutes need not be whole.
    """

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
MARKS = ("can't allocate memory", "out of memory", "ALLOC_FAILED")
"""Parts of messages about a lack of memory. The CPU's allocator, CUDA and its libraries report a lack of memory as a
RuntimeError with such a message."""


class Watch:
    """The state of a training: signals, deadline, lease, durations and progress.

    `update` is the number of updates so far, and `saved` the update of the newest checkpoint, 0 without a checkpoint.
    `stop` is a StopRequest, which may have received signals already. `end` is the time of the deadline, by `clock`,
    which gives seconds.
    """

    def __init__(
        self,
        options: JobOptions | None = None,
        lease: Lease | None = None,
        stop: StopRequest | None = None,
        end: float = math.inf,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin at update 0, without any duration."""
        self.stop, self._lease, self._end, self._clock = stop or StopRequest(), lease, end, clock
        self._options = options or JobOptions()
        self._alive = self._saved = clock()
        self._took: dict[Work, deque[float]] = {work: deque(maxlen=last) for work, last in REMEMBERED.items()}
        self._batch: object = None
        self._waits = False
        self.update = self.saved = 0

    @contextmanager
    def during(self, work: Work, update: int) -> Iterator[None]:
        """Take note that the block computes `update`, or does the validation or checkpoint after `update`.

        Raises Failure where memory runs out in the block.
        """
        self.alive()
        self._batch, began = None, self._alive
        try:
            yield
        except Exception as problem:
            if is_out_of_memory(problem):
                raise self._out_of_memory(problem, work, update) from None
            raise
        self.alive()
        self._took[work].append(self._alive - began)
        self.update = update
        if work == "checkpoint":
            self.saved, self._saved = update, self._alive

    def each(self, batches: Iterable[T]) -> Iterator[T]:
        """Yield the batches of an update; each batch is a sign of life, and a message about lack of memory names it."""
        for batch in batches:
            self._batch = batch
            self.alive()
            yield batch

    def until_asked(self, parts: Iterable[T]) -> Iterator[T]:
        """Yield the parts of a validation, and stop after the first part that ends with a reason to stop.

        Each part is a sign of life.
        """
        for part in parts:
            yield part
            self.alive()
            if self.reason_to_stop(ahead=None):
                break

    def alive(self) -> None:
        """Take note of progress."""
        self._alive = self._clock()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Let the block wait for another process, for any length of time, as no lack of progress."""
        self._waits = True
        try:
            yield
        finally:
            self.alive()
            self._waits = False

    def silent_s(self) -> float:
        """Return the seconds since the last progress, or 0 while this process waits for another one."""
        return 0.0 if self._waits else self._clock() - self._alive

    def reason_to_stop(self, ahead: Work | None) -> Reason | None:
        """Return a reason to stop, or None.

        `ahead` is the next update, validation or checkpoint; it is None within a validation, which may be left
        unfinished. If a call within a validation returns a reason, so does each later call within this validation.
        """
        if self._lease and self._lease.is_lost:
            return Reason.LEASE_LOST
        if self.stop.requested:
            return Reason.STOPPED
        return Reason.DEADLINE if self.deadline_is_near(ahead) else None

    def deadline_is_near(self, ahead: Work | None) -> bool:
        """Return whether the next step `ahead`, or the rest of the present one (None), may leave no checkpoint time.

        The deadline is never near within the first step of a process, so that also jobs that are too short make
        progress. The duration of a checkpoint counts twice, since file systems are slow at times.
        """
        longest = {work: max(seconds, default=0.0) for work, seconds in self._took.items()}
        reserve = longest.get(ahead, 0.0) + 2 * longest["checkpoint"]
        return any(self._took.values()) and self._clock() + reserve >= self._end

    def save_is_due(self, ahead: Work) -> bool:
        """Return whether a checkpoint is due now, before the update or validation `ahead`.

        A checkpoint is due when the minutes between two checkpoints have passed. With a deadline, a checkpoint is also
        due after the first step of a job, to measure the duration of a checkpoint, and before the first validation,
        since the validation may last beyond the deadline.
        """
        unknown = not self._took["checkpoint"] or (ahead == "validation" and not self._took["validation"])
        is_late = self._clock() - self._saved >= 60 * self._options.save_minutes
        return is_late or (unknown and self._end < math.inf)

    def last_checkpoint(self) -> str:
        """Return a phrase about the newest checkpoint, for messages."""
        return f"the checkpoint of update {self.saved} stays" if self.saved else "there is no checkpoint yet"

    def _out_of_memory(self, problem: Exception, work: Work, update: int) -> Failure:
        # The first line of the message is the cause; allocators add lines about their settings.
        cause = (str(problem).strip() or type(problem).__name__).splitlines()[0]
        return Failure(
            Reason.OUT_OF_MEMORY,
            "out of memory",
            where=f"update {update}" if work == "update" else f"{work} after update {update}",
            found=cause if self._batch is None else f"{self._batch}: {cause}",
            remedy="run again, with batches of half the size; where train.batch_tokens is stated, lower it (it only "
            f"splits updates); {self.last_checkpoint()}",
        )


def is_out_of_memory(problem: Exception) -> bool:
    """Return whether an exception is about a lack of memory, on the CPU or on a GPU."""
    is_named = isinstance(problem, RuntimeError) and any(mark in str(problem) for mark in MARKS)
    return is_named or isinstance(problem, MemoryError)
