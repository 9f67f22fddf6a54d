"""The launcher of the ranks of a training on this node, which works like torchrun.

There are two differences from torchrun. torchrun ends with status 1, whatever the statuses of the ranks are; this
launcher ends with the status of the rank that caused the failure. SIGUSR1 ends torchrun without a signal to the ranks;
this launcher forwards all signals that ask a training to stop.

A training on several nodes has a launcher on each node, which Slurm starts (`launch_by_slurm`), and the launchers meet
(`docmt.supervision.meeting`). A signal to one launcher stops all ranks in good order, since the ranks agree to stop.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from docmt.base.parent import signal_at_parents_end
from docmt.supervision.exit import FAULT, read_exit
from docmt.supervision.node import ON_EACH_NODE, TrainingNode, check_job_of_slurm
from docmt.supervision.stop import SIGNALS, StopRequest

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
    return run_ranks(range(ranks), ranks, ("127.0.0.1", free_port()), stop, inherited=inherited)


def launch_by_slurm(nodes: int, stop: StopRequest) -> int:
    """Run the command line of this process once on each node of its job of Slurm, and return the exit status.

    Each task may use all cores and GPUs that the job has on the task's node, and ends with the status of the rank that
    failed; the largest one is returned. Raises UserError outside of a job of Slurm, and inside a step.
    """
    check_job_of_slurm(nodes)
    options = ("--mpi=none", "--cpu-bind=none", "--kill-on-bad-exit=0", "--ntasks-per-node=1")
    processes: list[subprocess.Popen] = []
    with forwarded_signals(processes):
        processes.append(start({ON_EACH_NODE: "1"}, before=("srun", *options, f"--nodes={nodes}", f"--ntasks={nodes}")))
        if stop.requested:
            os.kill(os.getpid(), signal.SIGTERM)
        return wait(processes)


def launch_on_nodes(node: TrainingNode, ranks: int, stop: StopRequest, state: Path, minutes: float | None) -> int:
    """Run this node's share of the ranks of a training, as `launch` does, and return the exit status of all nodes.

    `minutes` is the time until the deadline, or None; the time in which nodes wait for each other is part of it.

    Raises UserError as `Meeting.join` does.
    """
    # The launcher of a training on one node does without torch, whose import takes a second or more.
    from docmt.supervision.meeting import Meeting

    began, before = time.monotonic(), read_exit(state)
    with Meeting(node, blamed_status) as meeting:
        share = meeting.join(ranks, free_port, lambda: stop.requested)
        numbers = range(share.first, share.first + share.count)
        left = [] if minutes is None else ["--deadline-minutes", str(max(minutes - (time.monotonic() - began) / 60, 0))]
        status = run_ranks(numbers, ranks, (node.host, share.port), stop, meeting.has_failed, left)
        return meeting.end(status, state, before)


def run_ranks(
    numbers: Sequence[int],
    count: int,
    address: tuple[str, int],
    stop: StopRequest,
    others_failed: Callable[[], bool] = lambda: False,
    options: Sequence[str] = (),
    inherited: Sequence[int] = (),
) -> int:
    """Run the ranks with these numbers out of `count` ranks, and return the exit status of the one to blame.

    The first rank listens at `address`. `options` are added to the command line. For `others_failed` see `wait`, and
    for `inherited` see `launch`.
    """
    shared = {"WORLD_SIZE": count, "LOCAL_WORLD_SIZE": len(numbers)}
    shared |= {"MASTER_ADDR": address[0], "MASTER_PORT": address[1]}
    processes = []
    # Ranks inherit blocked signals and unblock them in StopRequest, so that no signal is lost while ranks start.
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    with forwarded_signals(processes):
        for here, number in enumerate(numbers):
            rank_variables = {**shared, "RANK": number, "LOCAL_RANK": here}
            processes.append(start({name: str(value) for name, value in rank_variables.items()}, options, inherited))
        if stop.requested:
            os.kill(os.getpid(), signal.SIGTERM)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        return wait(processes, others_failed)


def start(
    variables: dict[str, str], options: Sequence[str] = (), inherited: Sequence[int] = (), before: Sequence[str] = ()
) -> subprocess.Popen:
    """Start the command line of this process again with further variables, options after it, and words before it."""
    command = [*before, sys.executable, *sys.orig_argv[1:], *options]
    # Without this, ranks would run on after SIGKILL of the launcher, and no process would report their status.
    die_with_parent = partial(signal_at_parents_end, signal.SIGKILL)
    return subprocess.Popen(command, env={**os.environ, **variables}, preexec_fn=die_with_parent, pass_fds=inherited)


def wait(processes: Sequence[subprocess.Popen], others_failed: Callable[[], bool] = lambda: False) -> int:
    """Wait until all processes have ended, and return the exit status of `blamed_status`.

    Processes that still run `ALONE_S` seconds after one of them has failed are killed; so are they `ALONE_S` seconds
    after `others_failed` has first returned that a process elsewhere has failed. It is called again and again.
    """
    alone = None
    while len(ended := [process.returncode for process in processes if process.poll() is not None]) < len(processes):
        if others_failed() or any(ended):
            alone = alone or time.monotonic()
        if alone and time.monotonic() - alone > ALONE_S:
            for process in processes:
                process.kill()
            return blamed_status([*ended, FAULT])
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
    """Return a TCP port that no process of this machine uses now, at any of its addresses."""
    with socket.socket() as probe:
        probe.bind(("", 0))
        return probe.getsockname()[1]
