"""Work on shards in several processes, with results in the order of the shards.

The results do not depend on the number of processes.
"""

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from multiprocessing import connection, get_context, parent_process
from typing import Any, Generic, NamedTuple, TypeVar

from docmt.base.errors import UserError

Task = TypeVar("Task")
Result = TypeVar("Result")

# The largest number of tasks for each process that wait, run or have finished; it limits the memory for results.
UNDER_WAY = 2

# A function of the number of finished shards, the number of all shards, and the number of finished sentence pairs.
Show = Callable[[int, int, int], None]

# A function that opens a progress bar, or another display, by the name of the work.
Progress = Callable[[str], AbstractContextManager[Show]]


@contextmanager
def silent(name: str) -> Iterator[Show]:
    """Open a display of progress that shows nothing."""
    yield lambda done, total, pairs: None


def cores() -> int:
    """Return the number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0))


class Done(NamedTuple, Generic[Result]):
    """The result of a shard, and the number of its sentence pairs."""

    result: Result
    pairs: int


@dataclass(frozen=True)
class Workers:
    """A number of processes, and the display of their progress."""

    processes: int = 1
    progress: Progress = silent

    def each(
        self, name: str, make: Callable[[], Callable[[Task], Done[Result]]], tasks: Iterable[Task], total: int
    ) -> Iterator[Result]:
        """Yield `make()(task)` for each of the `total` tasks, in order.

        `make` is called once in each process, where it may load data that takes long to load. With one process, or one
        task, everything runs in the calling process; otherwise `make`, the tasks and the results are pickled. Raises
        the exception of the first task that fails, and UserError where a process was killed.
        """
        pairs = 0
        with self.progress(name) as show:
            for number, done in enumerate(self._each(make, tasks, total), start=1):
                pairs += done.pairs
                yield done.result
                show(number, total, pairs)

    def _each(self, make: Callable[[], Callable], tasks: Iterable, total: int) -> Iterator[Done]:
        """Yield the finished tasks in order, without progress."""
        processes = min(self.processes, total)
        if processes < 2:
            yield from map(make(), tasks)
            return
        # A fork of this process could inherit locks of threads, which no thread would release in the fork. Workers are
        # children of the fork server, which has no threads.
        pool = ProcessPoolExecutor(processes, get_context("forkserver"), _begin, (make,))
        try:
            yield from _results(pool, tasks, processes * UNDER_WAY)
        except BrokenProcessPool:
            remedy = "it was killed, most likely for lack of memory: take fewer workers, or more memory"
            raise UserError("a worker process has ended", remedy=remedy) from None
        finally:
            pool.shutdown(cancel_futures=True)


ALONE = Workers()  # Workers that run all tasks in the calling process and display no progress.


def _results(pool: ProcessPoolExecutor, tasks: Iterable, most: int) -> Iterator[Done]:
    """Submit tasks and yield their results in order; at most `most` tasks wait, run or have finished at a time."""
    under_way: deque[Future] = deque()
    for task in tasks:
        if len(under_way) == most:
            yield under_way.popleft().result()
        under_way.append(pool.submit(_do, task))
    while under_way:
        yield under_way.popleft().result()


_work: Callable[[Any], Any]  # The function of a worker process that is called for each task; `_begin` sets it.


def _begin(make: Callable[[], Callable]) -> None:
    global _work
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent too, which ends its workers
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.environ["POLARS_MAX_THREADS"] = "1"  # other processes use the other cores
    _work = make()


def _do(task: Any) -> Any:
    return _work(task)


def _end_with_parent() -> None:
    """Wait for the end of the parent, then end this worker, which would otherwise wait for its next task for ever."""
    connection.wait([parent_process().sentinel])
    os._exit(1)
