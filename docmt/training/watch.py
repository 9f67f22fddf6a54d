"""What a job looks at beside its updates: signals, the clock, memory, and its own progress."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from docmt.nn.streams import Batch
from docmt.training.exit import Reason
from docmt.training.failures import out_of_memory_named
from docmt.training.lease import Lease
from docmt.training.pace import JobOptions, Pace, Work
from docmt.training.signals import StopRequest

T = TypeVar("T")


class Watch:
    """`update` is how many updates were made, `saved` that of the newest checkpoint; it hears signals while entered.

    `stop` has heard them until then, where it is given.
    """

    def __init__(
        self,
        options: JobOptions | None = None,
        clock: Callable[[], float] = time.monotonic,
        stop: StopRequest | None = None,
    ) -> None:
        self._stop, self.pace = stop or StopRequest(), Pace(options or JobOptions(), clock)
        self._batch: Batch | None = None
        self._lease: Lease | None = None
        self._clock, self._alive, self._waits = clock, clock(), False
        self.update = self.saved = 0

    def __enter__(self) -> "Watch":
        self._stop.__enter__()
        return self

    def __exit__(self, *problem: object) -> None:
        self._stop.__exit__(*problem)

    def resumed(self, update: int) -> None:
        """A training stands at this update, by its checkpoint."""
        self.update = self.saved = update

    @contextmanager
    def during(self, work: Work, update: int) -> Iterator[None]:
        """Work on, or after, this update. Raises Failure where memory runs out within."""
        self.alive()
        where = f"update {update}" if work == "update" else f"{work} after update {update}"
        self._batch = None
        with out_of_memory_named(where, lambda: self._batch, self.kept()), self.pace.timed(work):
            yield
        self.update = update
        self.saved = update if work == "checkpoint" else self.saved
        self.alive()

    def each(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """The batches of an update; each is a sign of life, and known to the message if memory runs out."""
        for batch in batches:
            self._batch = batch
            self.alive()
            yield batch

    def until_asked(self, parts: Iterable[T]) -> Iterator[T]:
        """The parts of a validation; each is a sign of life, and the first to end with a reason to stop is the last."""
        for part in parts:
            yield part
            self.alive()
            if self.reason_to_stop(ahead=None):
                break

    def keep(self, lease: Lease) -> None:
        """Each sign of life renews the lease, and its loss is a reason to stop."""
        self._lease = lease

    def alive(self) -> None:
        """There is progress."""
        self._alive = self._clock()
        if self._lease:
            self._lease.beat()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Another rank works, for as long as it takes: its own watch says whether there is progress."""
        self._waits = True
        try:
            yield
        finally:
            self.alive()
            self._waits = False

    def silent_s(self) -> float:
        """Seconds without progress."""
        return 0.0 if self._waits else self._clock() - self._alive

    def reason_to_stop(self, ahead: Work | None) -> Reason | None:
        """`ahead` is the work that comes next; none within one that may be left unfinished. A reason stays one."""
        if self._lease and self._lease.is_lost:
            return Reason.LEASE_LOST
        if self._stop.requested:
            return Reason.STOPPED
        return Reason.DEADLINE if self.pace.deadline_is_near(ahead) else None

    def reason_to_give_up(self) -> Reason | None:
        """Of a job that waits to begin, which is a sign of life: it has not even time for one update."""
        self.alive()
        if self._stop.requested:
            return Reason.STOPPED
        return Reason.DEADLINE if self.pace.is_over() else None

    def kept(self) -> str:
        """What there is to go on from, for messages."""
        return f"the checkpoint of update {self.saved} stays" if self.saved else "there is no checkpoint yet"
