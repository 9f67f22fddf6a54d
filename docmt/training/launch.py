"""The ranks of a training on this node, started as torchrun starts them.

Torchrun does as well, but for two things: it ends with status 1 whatever the ranks ended with, and SIGUSR1 ends it
without a word to them. Here signals that ask to stop are handed on, and the exit status is that of the rank to blame.
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
ALONE_S = 60.0
"""What the others have to end by themselves after one failed; a rank that hangs writes its stacks meanwhile."""


def launch(ranks: int, stop: StopRequest) -> int:
    """Run this process's own command line once a rank; the exit status, 0 when all ended well.

    `stop` has heard signals until now. Those that come while ranks start wait until all are there; a rank hears none
    before its own program does.
    """
    shared = {"WORLD_SIZE": ranks, "LOCAL_WORLD_SIZE": ranks, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port()}
    command = [sys.executable, *sys.orig_argv[1:]]
    processes = []
    # Ranks whose launcher was killed outright would go on without anybody to tell how they end.
    die_with_parent = partial(signal_at_parents_end, signal.SIGKILL)
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    with forwarded_signals(processes):
        for rank in range(ranks):
            own = {name: str(value) for name, value in {**shared, "RANK": rank, "LOCAL_RANK": rank}.items()}
            processes.append(subprocess.Popen(command, env={**os.environ, **own}, preexec_fn=die_with_parent))
        if stop.requested:
            os.kill(os.getpid(), signal.SIGTERM)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        return wait(processes)


def wait(processes: Sequence[subprocess.Popen]) -> int:
    """Until all have ended, or some have not long after one failed: those are killed. The exit status of all."""
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
    """The status of the rank to blame: ranks that fail because another is gone end as after any unexpected error."""
    failed = [status for status in statuses if status]
    blamed = next((status for status in failed if status != FAULT), FAULT if failed else 0)
    # A process that a signal ended has its negative number; shells say 128 + it.
    return 128 - blamed if blamed < 0 else blamed


@contextmanager
def forwarded_signals(processes: Sequence[subprocess.Popen]) -> Iterator[None]:
    """Within the block, signals that ask to stop go to the processes.

    As SIGTERM instead of SIGINT: the terminal sends Ctrl-C to all of them itself, and twice would be at once.
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
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
