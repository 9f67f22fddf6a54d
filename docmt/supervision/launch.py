"""The launcher of the ranks of a training on this node.

Ranks may be started by torchrun, but it does not do what this launcher does (torch 2.13). It ends with status 1,
whatever the statuses of the ranks are; this launcher ends with that of the rank that caused the failure. It kills other
ranks 30 seconds after a failure, also ones that write stacks or a checkpoint. If it is killed, its ranks run on. They
inherit no open descriptors, by which ranks hold the locks of their GPUs, and a node that is gone ends no other node.

A training on several nodes has a launcher on each node, which Slurm starts (`launch_by_slurm`), and the launchers meet
(`docmt.supervision.meeting`). A signal to one launcher stops all ranks in good order, since the ranks agree to stop.
"""

import math
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from docmt.base.parent import signal_at_parents_end
from docmt.supervision.exit import FAULT, blamed_status, read_exit
from docmt.supervision.node import ON_EACH_NODE, Share, TrainingNode, check_job_of_slurm
from docmt.supervision.stop import SIGNALS, StopRequest

LOOK_S = 0.1
"""Seconds between two checks of the processes."""
ALONE_S = 60.0
"""Seconds that the other ranks have to end by themselves after a rank has failed. A rank that hangs writes its stacks
in this time."""


def launch(ranks: int, stop: StopRequest, end: float = math.inf, inherited: Sequence[int] = ()) -> int:
    """Run the command line of this process once for each rank, and return the exit status: 0 when all ranks ended well.

    `stop` has received signals until this call. Signals that arrive while ranks start are forwarded when all ranks
    exist. A rank receives no signal before its program is ready for signals. Ranks inherit the open descriptors
    `inherited`, such as locks that are to stay until the last rank has ended. `end` is the time of the deadline, by the
    clock of `time.monotonic`.
    """
    return run_ranks(Share(0, ranks, "127.0.0.1", free_port()), ranks, stop, end, inherited=inherited)


def launch_by_slurm(nodes: int, stop: StopRequest, end: float) -> int:
    """Run the command line of this process once on each node of its job of Slurm, and return the exit status.

    Each task may use all cores and GPUs that the job has on the task's node, and ends with the status of the rank that
    failed; the largest one is returned. Raises UserError outside of a job of Slurm, and inside a step.
    """
    check_job_of_slurm(nodes)
    srun = ("srun", "--mpi=none", "--cpu-bind=none", "--kill-on-bad-exit=0", "--ntasks-per-node=1")
    processes: list[subprocess.Popen] = []
    with forwarded_signals(processes):
        processes.append(start({ON_EACH_NODE: "1"}, end, before=(*srun, f"--nodes={nodes}", f"--ntasks={nodes}")))
        if stop.requested:
            os.kill(os.getpid(), signal.SIGTERM)
        return wait(processes)


def launch_on_nodes(node: TrainingNode, ranks: int, stop: StopRequest, end: float, state: Path) -> int:
    """Run this node's share of the ranks of a training, as `launch` does, and return the exit status of all nodes.

    Raises UserError as `Meeting.join` does.
    """
    # The launcher of a training on one node does without torch, whose import takes a second or more.
    from docmt.supervision.meeting import Meeting

    before = read_exit(state)
    with Meeting(node) as meeting:
        share = meeting.join(ranks, free_port, lambda: stop.requested)
        return meeting.end(run_ranks(share, ranks, stop, end, meeting.has_failed), state, before)


def run_ranks(
    share: Share,
    ranks: int,
    stop: StopRequest,
    end: float,
    others_failed: Callable[[], bool] = lambda: False,
    inherited: Sequence[int] = (),
) -> int:
    """Run this node's share of the ranks, and return the exit status of the one to blame.

    For `others_failed` see `wait`, and for the rest see `launch`.
    """
    place = {"WORLD_SIZE": ranks, "LOCAL_WORLD_SIZE": share.count, "MASTER_ADDR": share.host, "MASTER_PORT": share.port}
    processes = []
    # Ranks inherit blocked signals and unblock them in StopRequest, so that no signal is lost while ranks start.
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    with forwarded_signals(processes):
        for here in range(share.count):
            variables = {**place, "RANK": share.first + here, "LOCAL_RANK": here}
            processes.append(start({name: str(value) for name, value in variables.items()}, end, inherited))
        if stop.requested:
            os.kill(os.getpid(), signal.SIGTERM)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        return wait(processes, others_failed)


def start(
    variables: dict[str, str], end: float, inherited: Sequence[int] = (), before: Sequence[str] = ()
) -> subprocess.Popen:
    """Start the command line of this process again, with further variables, the time left, and words before it."""
    left = [] if end == math.inf else ["--deadline-minutes", str(max(end - time.monotonic(), 0) / 60)]
    command = [*before, sys.executable, *sys.orig_argv[1:], *left]
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
