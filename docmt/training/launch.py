"""The launcher of the ranks of a training on this node, which works like torchrun.

There are two differences from torchrun. torchrun ends with status 1, whatever the statuses of the ranks are; this
launcher ends with the status of the rank that caused the failure. SIGUSR1 ends torchrun without a signal to the ranks;
this launcher forwards all signals that ask a training to stop.
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
"""Seconds between two checks of the processes."""
ALONE_S = 60.0
"""Seconds that the other ranks have to end by themselves after a rank has failed. A rank that hangs writes its stacks
in this time."""


def launch(ranks: int, stop: StopRequest, inherited: Sequence[int] = ()) -> int:
    """Run the command line of this process once for each rank, and return the exit status: 0 when all ranks ended well.

    `stop` has received signals until this call. Signals that arrive while ranks start are forwarded when all ranks
    exist. A rank receives no signal before its program is ready for signals. Ranks inherit the open descriptors
    `inherited`, such as locks that are to stay until the last rank has ended.
    """
    shared = {"WORLD_SIZE": ranks, "LOCAL_WORLD_SIZE": ranks, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port()}
    command = [sys.executable, *sys.orig_argv[1:]]
    processes = []
    # Without this, ranks would run on after SIGKILL of the launcher, and no process would report their status.
    die_with_parent = partial(signal_at_parents_end, signal.SIGKILL)
    # Ranks inherit blocked signals and unblock them in StopRequest, so that no signal is lost while ranks start.
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    with forwarded_signals(processes):
        for rank in range(ranks):
            rank_variables = {name: str(value) for name, value in {**shared, "RANK": rank, "LOCAL_RANK": rank}.items()}
            processes.append(
                subprocess.Popen(
                    command, env={**os.environ, **rank_variables}, preexec_fn=die_with_parent, pass_fds=inherited
                )
            )
        if stop.requested:
            os.kill(os.getpid(), signal.SIGTERM)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        return wait(processes)


def wait(processes: Sequence[subprocess.Popen]) -> int:
    """Wait until all processes have ended, and return the exit status of `blamed_status`.

    Processes that still run `ALONE_S` seconds after one of them has failed are killed.
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
    """Return the exit status of the rank that caused a failure, in the form of a shell; 0 where no rank failed.

    Ranks that fail because another rank is gone end with the status `FAULT`, so any other status takes precedence.
    """
    failed = [status for status in statuses if status]
    blamed = next((status for status in failed if status != FAULT), FAULT if failed else 0)
    # The status of a process that a signal ended is minus the signal's number here, and 128 plus the number in shells.
    return 128 - blamed if blamed < 0 else blamed


@contextmanager
def forwarded_signals(processes: Sequence[subprocess.Popen]) -> Iterator[None]:
    """Forward the signals in `SIGNALS` to the processes while the block runs.

    SIGINT is forwarded as SIGTERM: for Ctrl-C, the terminal itself sends SIGINT to all processes, and a second SIGINT
    would end a process at once.
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
