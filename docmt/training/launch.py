"""The ranks of a training on this node, started in the way of torchrun.

There are two differences to torchrun. torchrun ends with status 1, whatever the statuses of the ranks, while this
launcher ends with the status of the rank to blame. SIGUSR1 ends torchrun without a word to the ranks, while this
launcher forwards all signals that ask a training to stop.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from docmt.base.parent import signal_at_parents_end
from docmt.training.exit import FAULT
from docmt.training.pace import SIGNALS, StopRequest

LOOK_S = 0.1
"""Seconds between two looks at the processes."""
ALONE_S = 60.0
"""Seconds that the other ranks have to end by themselves after one failed. A rank that hangs writes its stacks in this
time."""


def launch(ranks: int, stop: StopRequest) -> int:
    """Run the command line of this process once for each rank, and return the exit status: 0 when all ranks ended well.

    `stop` has received signals until now. Signals that arrive while ranks start wait until all ranks exist. A rank
    receives no signal before its own program is ready for it.
    """
    shared = {"WORLD_SIZE": ranks, "LOCAL_WORLD_SIZE": ranks, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port()}
    command = [sys.executable, *sys.orig_argv[1:]]
    processes = []
    # Ranks of a launcher that was killed outright would run on, with no process that reports their status.
    die_with_parent = partial(signal_at_parents_end, signal.SIGKILL)
    # Ranks inherit blocked signals and unblock them in StopRequest, so that none is lost while they start.
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    with forwarded_signals(processes):
        for rank in range(ranks):
            rank_variables = {name: str(value) for name, value in {**shared, "RANK": rank, "LOCAL_RANK": rank}.items()}
            processes.append(
                subprocess.Popen(command, env={**os.environ, **rank_variables}, preexec_fn=die_with_parent)
            )
        if stop.requested:
            os.kill(os.getpid(), signal.SIGTERM)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        return wait(processes)


def wait(processes: Sequence[subprocess.Popen]) -> int:
    """Wait until all processes have ended and return their common exit status.

    The processes that still run `ALONE_S` seconds after one failed are killed.
    """
    alone = None
    while len(ended := [process.returncode for process in processes if process.poll() is not None]) < len(processes):
        if any(ended):
            alone = alone or time.monotonic()
        if alone and time.monotonic() - alone > ALONE_S:
            for process in processes:
                process.kill()
            break
        time.sleep(LOOK_S)
    return blamed_status(ended)


def blamed_status(statuses: Iterable[int]) -> int:
    """Return the status of the rank to blame, in the form of a shell.

    Ranks that fail because another rank is gone end with the status of any unexpected error (`FAULT`), so another
    status comes first.
    """
    failed = [status for status in statuses if status]
    blamed = next((status for status in failed if status != FAULT), FAULT if failed else 0)
    # A process that a signal ended has its negative number; shells say 128 + it.
    return 128 - blamed if blamed < 0 else blamed


@contextmanager
def forwarded_signals(processes: Sequence[subprocess.Popen]) -> Iterator[None]:
    """Forward signals that ask to stop to the processes while the block runs.

    SIGINT is forwarded as SIGTERM: a terminal sends Ctrl-C to all processes itself, and a second SIGINT would end them
    at once.
    """

    def hand_on(number: int, frame: object) -> None:
        for process in processes:
            process.send_signal(signal.SIGTERM if number == signal.SIGINT else number)

    before = {number: signal.signal(number, hand_on) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def free_port() -> int:
    """Return a TCP port of this machine that no process uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
