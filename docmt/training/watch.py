"""The watch over a job: signals, the clock, memory, and whether there is progress.

The reason why a job ended is written to `exit.json`. A job that makes no progress for a long time, for example because
an exchange between ranks or a file system hangs, is ended, and the stack of each of its threads is written.
"""

import faulthandler
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from docmt.base.errors import INTERRUPTED
from docmt.base.foreign import disk_full, explained
from docmt.nn.streams import Batch
from docmt.training.exit import CLAIM, FAULT, FILE, HANGING, Failure, Reason, forget_exit, write_exit
from docmt.training.failures import out_of_memory_named
from docmt.training.lease import Lease
from docmt.training.pace import JobOptions, Pace, StopRequest, Work

T = TypeVar("T")

WRITING_S = 10.0
"""Seconds after which the watchdog no longer waits for its files, whose file system may be the one that hangs."""
LOOK_S = 5.0
"""The longest time in seconds between two checks of the watchdog."""


class Watch:
    """The state of a job: signals, deadline, lease and progress.

    `update` is the number of updates so far, and `saved` the update of the newest checkpoint, 0 without a checkpoint.
    `stop` is a StopRequest, which may have received signals already.
    """

    def __init__(
        self,
        options: JobOptions | None = None,
        clock: Callable[[], float] = time.monotonic,
        stop: StopRequest | None = None,
    ) -> None:
        """Begin at update 0; `clock` gives seconds."""
        self.stop, self.pace = stop or StopRequest(), Pace(options or JobOptions(), clock)
        self._batch: Batch | None = None
        self._lease: Lease | None = None
        self._clock, self._alive, self._waits = clock, clock(), False
        self.update = self.saved = 0

    def resumed(self, update: int) -> None:
        """Take note that training continues from the checkpoint of `update`."""
        self.update = self.saved = update

    @contextmanager
    def during(self, work: Work, update: int) -> Iterator[None]:
        """Take note that the block computes `update`, or does the validation or checkpoint after `update`.

        Raises Failure where memory runs out in the block.
        """
        self.alive()
        where = f"update {update}" if work == "update" else f"{work} after update {update}"
        self._batch = None
        with out_of_memory_named(where, lambda: self._batch, self.last_checkpoint()), self.pace.timed(work):
            yield
        self.update = update
        self.saved = update if work == "checkpoint" else self.saved
        self.alive()

    def each(self, batches: Iterable[Batch]) -> Iterator[Batch]:
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

    def keep(self, lease: Lease) -> None:
        """Renew `lease` at each sign of life from now on; the loss of the lease is a reason to stop."""
        self._lease = lease

    def alive(self) -> None:
        """Take note of progress; each call is a sign of life."""
        self._alive = self._clock()
        if self._lease:
            self._lease.beat()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Let the block wait for another rank, for any length of time; the other rank's watch checks its progress."""
        self._waits = True
        try:
            yield
        finally:
            self.alive()
            self._waits = False

    def silent_s(self) -> float:
        """Return the seconds since the last progress, or 0 while this rank waits for another rank."""
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
        return Reason.DEADLINE if self.pace.deadline_is_near(ahead) else None

    def reason_to_give_up(self) -> Reason | None:
        """Return a reason to stop for a job that waits to begin, or None.

        The deadline is such a reason only after it has passed, since a job with some time left does at least one
        update. Each call is a sign of life.
        """
        self.alive()
        if self.stop.requested:
            return Reason.STOPPED
        return Reason.DEADLINE if self.pace.is_over() else None

    def last_checkpoint(self) -> str:
        """Return a phrase about the newest checkpoint, for messages."""
        return f"the checkpoint of update {self.saved} stays" if self.saved else "there is no checkpoint yet"


@contextmanager
def recorded(folder: Path, watch: Watch, is_ours: Callable[[], bool] = lambda: True) -> Iterator[None]:
    """Write the reason of an exception that ends the block to `exit.json`, in place of the record of an earlier job.

    Nothing is written where the folder is no state, or where `is_ours` returns False. The exception is raised again; a
    KeyboardInterrupt then has a message.
    """
    earlier = content(folder)
    try:
        yield
    except (Exception, KeyboardInterrupt) as problem:
        if isinstance(problem, KeyboardInterrupt):
            problem = KeyboardInterrupt(f"interrupted again, so the training ended at once; {watch.last_checkpoint()}")
        if (folder / CLAIM).exists() and is_ours():
            # A file that has not changed is of an earlier job; a changed file is of another rank of this job.
            if content(folder) == earlier:
                forget_exit(folder)
            write_exit(folder, *exit_fields(problem, watch.update))
        raise problem


def exit_fields(problem: BaseException, update: int) -> tuple[Reason, int, str, int]:
    """Return the arguments of `write_exit` for an exception: reason, update, message and exit status."""
    if isinstance(problem, KeyboardInterrupt):
        return Reason.STOPPED, update, str(problem), INTERRUPTED
    explanation = explained(problem)
    if explanation is None:
        return Reason.ERROR, update, f"{type(problem).__name__}: {problem}", FAULT
    reason = Reason.DISK_FULL if disk_full(problem) else Reason.ERROR
    return (
        explanation.reason if isinstance(explanation, Failure) else reason,
        update,
        str(explanation),
        explanation.status,
    )


def content(folder: Path) -> bytes | None:
    """Return the bytes of the file `exit.json` in a folder, or None where there is none."""
    return (folder / FILE).read_bytes() if (folder / FILE).exists() else None


class Watchdog:
    """A thread that ends the process with status 70 when `watch` saw no progress for `minutes`; 0 means never.

    Each rank has a watchdog, which writes the stacks of the rank's threads to standard error and to `hang.rank<n>.txt`
    in the folder. While the first rank works alone, on a checkpoint or on translations of the dev set, only the
    watchdog of the first rank is active.
    """

    def __init__(
        self,
        folder: Path,
        minutes: float,
        watch: Watch,
        rank: int = 0,
        ranks: int = 1,
        is_ours: Callable[[], bool] = lambda: True,
    ) -> None:
        """Prepare the thread; `is_ours` returns whether this training may write into the folder."""
        self._folder, self._watch, self._limit_s, self._is_ours = folder, watch, 60 * minutes, is_ours
        self._look_s = min(self._limit_s / 10, LOOK_S)
        # The other ranks fail when the rank that hangs is gone. These seconds let their watchdogs write stacks first.
        self._patience_s = 2 * self._look_s if ranks > 1 else 0.0
        self._stacks = folder / f"hang.rank{rank}.txt"
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, name="watchdog", daemon=True)

    def __enter__(self) -> "Watchdog":
        """Start the thread."""
        # Ranks may have waited for each other until now; that wait is no lack of progress.
        self._watch.alive()
        if self._limit_s:
            self._thread.start()
        return self

    def __exit__(self, *problem: object) -> None:
        """Let the thread end."""
        self._over.set()

    def _look(self) -> None:
        while not self._over.wait(self._look_s):
            if self._watch.silent_s() > self._limit_s:
                self._end()

    def _end(self) -> None:
        """Write the message and the stacks, and end the process.

        The stacks go to standard error first, since writing the files may never end.
        """
        update = self._watch.update
        message = (
            f"no progress for {self._limit_s / 60:g} minutes after update {update}\n"
            f"  the stack of every thread is above and in {self._stacks}\n"
            f"  {self._watch.last_checkpoint()}"
        )
        faulthandler.dump_traceback(sys.__stderr__, all_threads=True)
        # The terminal may be closed; the process must end all the same.
        with suppress(OSError):
            print(f"docmt: {message}", file=sys.__stderr__, flush=True)
        # A thread writes the files, since the file system may be the cause of the hang.
        writing = threading.Thread(target=self._write, args=(update, message), daemon=True)
        writing.start()
        writing.join(WRITING_S)
        time.sleep(self._patience_s)
        # sys.exit would end only the thread of the watchdog.
        os._exit(HANGING)

    def _write(self, update: int, message: str) -> None:
        if (self._folder / CLAIM).exists() and self._is_ours():
            with self._stacks.open("w", encoding="utf-8") as stream:
                faulthandler.dump_traceback(stream, all_threads=True)
            write_exit(self._folder, Reason.HUNG, update, message)
