"""No progress for long: a hung collective or file system. What each thread was doing is written down, and it ends."""

import faulthandler
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from docmt.training.exit import CLAIM, HANGING, Reason, write_exit
from docmt.training.watch import Watch

WRITING_S = 10.0
"""Time for the files, which may stand on the file system that hangs."""
LOOK_S = 5.0
"""The longest time between two looks."""


class Watchdog:
    """A thread that ends the process, with status 70, when `watch` was silent for `minutes`; 0 = never.

    Each rank has its own, so each writes its own stacks, to standard error and as `hang.rank<n>.txt` into the folder.
    While the first one works alone, on a checkpoint or on translations of the dev set, only its own watchdog looks.
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
        """`is_ours`: whether the folder is this training's to write into."""
        self._folder, self._watch, self._limit_s, self._is_ours = folder, watch, 60 * minutes, is_ours
        self._look_s = min(self._limit_s / 10, LOOK_S)
        # The others wait for the rank that hangs; they fail when this one is gone, but are to write their stacks too.
        self._patience_s = 2 * self._look_s if ranks > 1 else 0.0
        self._stacks = folder / f"hang.rank{rank}.txt"
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, name="watchdog", daemon=True)

    def __enter__(self) -> "Watchdog":
        # Ranks waited for each other until now.
        self._watch.alive()
        if self._limit_s:
            self._thread.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self._over.set()

    def _look(self) -> None:
        while not self._over.wait(self._look_s):
            if self._watch.silent_s() > self._limit_s:
                self._end()

    def _end(self) -> None:
        """Standard error first: the files may never be written."""
        update = self._watch.update
        message = (
            f"no progress for {self._limit_s / 60:g} minutes after update {update}\n"
            f"  the stack of every thread stands above and in {self._stacks}\n"
            f"  {self._watch.kept()}"
        )
        faulthandler.dump_traceback(sys.__stderr__, all_threads=True)
        # The screen may be gone; that must not keep the process.
        with suppress(OSError):
            print(f"docmt: {message}", file=sys.__stderr__, flush=True)
        writing = threading.Thread(target=self._write, args=(update, message), daemon=True)
        writing.start()
        writing.join(WRITING_S)
        time.sleep(self._patience_s)
        os._exit(HANGING)

    def _write(self, update: int, message: str) -> None:
        if (self._folder / CLAIM).exists() and self._is_ours():
            with self._stacks.open("w", encoding="utf-8") as stream:
                faulthandler.dump_traceback(stream, all_threads=True)
            write_exit(self._folder, Reason.HUNG, update, message)
