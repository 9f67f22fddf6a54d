"""Work for the tests of workers: worker processes find it by the name of this module, on the tests' path."""

import os
import signal
import time
from functools import partial

from docmt.base.errors import UserError
from docmt.base.workers import Done


def slow_first() -> "partial[Done]":
    return partial(_after, os.getpid())


def _after(maker: int, number: int) -> Done:
    """Later tasks are done sooner; who made the work tells that it was made once a process."""
    time.sleep(0.02 * (3 - number % 4))
    return Done((number, maker == os.getpid()), 10)


def failing():
    def work(number: int) -> Done:
        if number >= 2:
            raise UserError("no good", where=f"task {number}", remedy="another")
        return Done(number, 1)

    return work


def killed():
    return lambda number: os.kill(os.getpid(), signal.SIGKILL)
