"""The lease of a job's folder: one process at a time does the job, on this machine or another one; others wait."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from docmt.training.exit import Failure, Reason
from docmt.training.lease import BEAT_S, LOOK_S, Lease


@contextmanager
def leased(folder: Path, is_done: Callable[[], bool], note: Callable[[str], None]) -> Iterator[bool]:
    """Take the lease of a folder for the block, or wait for who has it; `note` tells a person about the wait."""
    lease, has_told = Lease(folder), False
    while True:
        try:
            lease.take(lambda: None, note, lambda: None)
            break
        except Failure as problem:
            if problem.reason is not Reason.IN_USE:
                raise
            if not has_told:
                note(f"docmt: another process does this job: {problem.found}")
                has_told = True
            time.sleep(LOOK_S)
        if is_done():
            # Another process has done the job meanwhile.
            yield False
            return
    with lease, _beating(lease):
        yield True


@contextmanager
def _beating(lease: Lease) -> Iterator[None]:
    over = threading.Event()

    def beat() -> None:
        while not over.wait(BEAT_S):
            lease.beat()

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
