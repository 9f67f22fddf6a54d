"""What a job looks at beside its updates: signals, the clock, memory, and its own progress."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType

from docmt.nn.streams import Batch
from docmt.training.exit import Reason
from docmt.training.memory import BatchUnderWay
from docmt.training.options import JobOptions
from docmt.training.pace import Pace, Work
from docmt.training.signals import StopRequest


class Watch:
    """`update` is how many updates were made, `saved` that of the newest checkpoint; it hears signals while entered."""

    def __init__(self, options: JobOptions | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stop, self._pace, self._batch = StopRequest(), Pace(options or JobOptions(), clock), BatchUnderWay()
        self._clock, self._alive = clock, clock()
        self.update = self.saved = 0

    def __enter__(self) -> "Watch":
        self._stop.__enter__()
        return self

    def __exit__(self, kind: type | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self._stop.__exit__(kind, value, trace)

    def resumed(self, update: int) -> None:
        """A training stands at this update, by its checkpoint."""
        self.update = self.saved = update

    @contextmanager
    def during(self, work: Work, update: int) -> Iterator[None]:
        """Work on, or after, this update. Raises Failure where memory runs out within."""
        self.alive()
        where = f"update {update}" if work == "update" else f"{work} after update {update}"
        with self._batch.blamed(where, self.kept()), self._pace.timed(work):
            yield
        self.update = update
        self.saved = update if work == "checkpoint" else self.saved
        self.alive()

    def each(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """The batches of an update; each is a sign of life, and known to the message if memory runs out."""
        for batch in self._batch.each(batches):
            self.alive()
            yield batch

    def alive(self) -> None:
        """There is progress."""
        self._alive = self._clock()

    def silent_s(self) -> float:
        """Seconds without progress."""
        return self._clock() - self._alive

    def save_is_due(self) -> bool:
        return self._pace.save_is_due()

    def reason_to_stop(self) -> Reason | None:
        if self._stop.requested:
            return Reason.STOPPED
        return Reason.DEADLINE if self._pace.deadline_is_near() else None

    def kept(self) -> str:
        """What there is to go on from, for messages."""
        return f"the checkpoint of update {self.saved} stays" if self.saved else "there is no checkpoint yet"
