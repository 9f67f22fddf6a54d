"""The end of a training that fails or hangs: its reason is written to `exit.json`.

A job that makes no progress for a long time, for example because an exchange between ranks or a file system hangs, is
ended, and the stack of each of its threads is written.
"""

import faulthandler
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from docmt.base.errors import INTERRUPTED
from docmt.base.foreign import disk_full, explained
from docmt.supervision.exit import CLAIM, FAULT, FILE, HANGING, Reason, forget_exit, write_exit
from docmt.supervision.watch import Watch

WRITING_S = 10.0
"""Seconds after which the watchdog no longer waits for its files, whose file system may be the one that hangs."""
LOOK_S = 5.0
"""The longest time in seconds between two checks of the watchdog."""


@contextmanager
def recorded(folder: Path, watch: Watch, is_ours: Callable[[], bool]) -> Iterator[None]:
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
            reason, message, status = why(problem)
            write_exit(folder, reason, watch.update, message, status)
        raise problem


def content(folder: Path) -> bytes | None:
    """Return the bytes of the file `exit.json` in a folder, or None where there is none."""
    return (folder / FILE).read_bytes() if (folder / FILE).exists() else None


def why(problem: BaseException) -> tuple[Reason, str, int]:
    """Return the reason, the message and the exit status of an exception that ends a training."""
    if isinstance(problem, KeyboardInterrupt):
        return Reason.STOPPED, str(problem), INTERRUPTED
    explanation = explained(problem)
    if explanation is None:
        return Reason.ERROR, f"{type(problem).__name__}: {problem}", FAULT
    reason = Reason.DISK_FULL if disk_full(problem) else Reason.ERROR
    return getattr(explanation, "reason", reason), str(explanation), explanation.status


class Watchdog:
    """A thread that ends the process with status 70 when `watch` saw no progress for `minutes`; 0 means never.

    Each rank has a watchdog, which writes the stacks of the rank's threads to standard error and to `hang.rank<n>.txt`
    in the folder. While the first rank works alone, on a checkpoint or on translations of the dev set, only the
    watchdog of the first rank is active.
    """

    def __init__(
        self, folder: Path, minutes: float, watch: Watch, rank: int, ranks: int, is_ours: Callable[[], bool]
    ) -> None:
        """Prepare the thread; `is_ours` returns whether this training may write into the folder."""
        self._folder, self._watch, self._limit_s, self._is_ours = folder, watch, 60 * minutes, is_ours
        self._look_s = min(self._limit_s / 10, LOOK_S)
        # The other ranks fail when the rank that hangs is gone. These seconds let their watchdogs write stacks first.
        self._patience_s = 2 * self._look_s if ranks > 1 else 0.0
        self._stacks = folder / f"hang.rank{rank}.txt"
        self._over = threading.Event()

    def __enter__(self) -> None:
        """Start the thread."""
        # Ranks may have waited for each other until now; that wait is no lack of progress.
        self._watch.alive()
        if self._limit_s:
            threading.Thread(target=self._look, name="watchdog", daemon=True).start()

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
