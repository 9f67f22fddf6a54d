"""Work on shards by several processes, its results in the order of the shards: what comes out knows nothing of them."""

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

UNDER_WAY = 2
"""Tasks that wait or are worked on, for each process: what bounds the memory for results."""

Show = Callable[[int, int, int], None]
"""Is told of shards done, shards in all, and sentence pairs done."""

Progress = Callable[[str], AbstractContextManager[Show]]
"""Opens a bar, or whatever shows progress, by the name of what is under way."""


@contextmanager
def silent(name: str) -> Iterator[Show]:
    """Shows nothing."""
    yield lambda done, total, pairs: None


def cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0))


class Done(NamedTuple, Generic[Result]):
    """What became of a shard of so many sentence pairs."""

    result: Result
    pairs: int


@dataclass(frozen=True)
class Workers:
    """So many processes, and what shows how far they are."""

    processes: int = 1
    progress: Progress = silent

    def each(
        self, name: str, make: Callable[[], Callable[[Task], Done[Result]]], tasks: Iterable[Task], total: int
    ) -> Iterator[Result]:
        """`make()(task)` of each of `total` tasks, in order.

        With one process, or one task, all of it happens in this one. `make` is called once in each process, so that it
        may load what is dear. It, the tasks and the results are pickled.
        Raises what the first task that fails raises; UserError where a process was killed.
        """
        pairs = 0
        with self.progress(name) as show:
            for number, done in enumerate(self._each(make, tasks, total), start=1):
                pairs += done.pairs
                yield done.result
                show(number, total, pairs)

    def _each(self, make: Callable[[], Callable], tasks: Iterable, total: int) -> Iterator[Done]:
        processes = min(self.processes, total)
        if processes < 2:
            yield from map(make(), tasks)
            return
        # Children of a server that has no threads: a fork of this process may inherit locks that nobody opens any more.
        pool = ProcessPoolExecutor(processes, get_context("forkserver"), _begin, (make,))
        try:
            yield from _results(pool, tasks, processes * UNDER_WAY)
        except BrokenProcessPool:
            remedy = "it was killed, most likely for lack of memory: take fewer workers, or more memory"
            raise UserError("a worker process is gone", remedy=remedy) from None
        finally:
            pool.shutdown(cancel_futures=True)


ALONE = Workers()


def _results(pool: ProcessPoolExecutor, tasks: Iterable, most: int) -> Iterator[Done]:
    under_way: deque[Future] = deque()
    for task in tasks:
        if len(under_way) == most:
            yield under_way.popleft().result()
        under_way.append(pool.submit(_do, task))
    while under_way:
        yield under_way.popleft().result()


_work: Callable[[Any], Any]


def _begin(make: Callable[[], Callable]) -> None:
    global _work
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started it is interrupted too, and ends it
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.environ["POLARS_MAX_THREADS"] = "1"  # there is a process a core
    _work = make()


def _do(task: Any) -> Any:
    return _work(task)


def _end_with_parent() -> None:
    """A parent that was killed cannot say so, and a worker would wait for its next task for ever."""
    connection.wait([parent_process().sentinel])
    os._exit(1)
