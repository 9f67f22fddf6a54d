"""The GPUs of a job on this machine: no two jobs share one, whoever has started them.

Snakemake's local executor counts GPUs and assigns none, so that all jobs would compute on the first one. On a cluster
the scheduler assigns GPUs, and no lock is needed.

The lock of a GPU is an address of a socket without a file (the abstract addresses of Linux), which one process of the
machine can have. It has it by an open descriptor, which its children can inherit. The system frees the address when the
last of these processes has ended, in whatever way, so that no lock is ever left behind.
"""

import errno
import math
import os
import random
import socket
import time
from collections.abc import Iterable, Sequence

from docmt.base.errors import TRY_AGAIN, UserError
from docmt.base.gpus import VISIBLE, Gpu, visible_gpus
from docmt.base.names import DeviceName
from docmt.base.screen import say
from docmt.supervision.stop import StopRequest

ON_CLUSTER = "DOCMT_ON_CLUSTER"  # The environment variable that is 1 in jobs on a cluster.
LOOK_S = 0.2  # The mean number of seconds between two attempts to get GPUs that are in use.


Locks = dict[Gpu, int]  # GPUs whose locks this process holds, each with the open descriptor by which it holds the lock.


def release(locks: Locks) -> None:
    """Release the locks of GPUs, unless a child has inherited them."""
    for descriptor in locks.values():
        os.close(descriptor)


def lock_gpus(gpus: Sequence[Gpu], count: int) -> Locks | None:
    """Return `count` of the GPUs with their locks, the earlier ones first, or None where fewer of them are free."""
    locks: Locks = {}
    for gpu in gpus:
        if len(locks) < count and (lock := _lock(gpu)) is not None:
            locks[gpu] = lock
    if len(locks) < count:
        # No process waits while it holds a lock, so that no two can block each other.
        release(locks)
        return None
    return locks


def _lock(gpu: Gpu) -> int | None:
    """Lock a GPU; return an open descriptor, or None where another process holds the lock."""
    lock = socket.socket(socket.AF_UNIX)
    try:
        lock.bind(f"\0docmt-{gpu.key}")
    except OSError as problem:
        lock.close()
        if problem.errno != errno.EADDRINUSE:
            raise
        return None
    return lock.detach()


def take_gpus(
    device: DeviceName,
    count: int = 1,
    stop: StopRequest | None = None,
    end: float = math.inf,
) -> tuple[int, ...]:
    """Take `count` GPUs for this job until its process ends, before torch looks for any; wait until they are free.

    The job sees only these GPUs (CUDA_VISIBLE_DEVICES). The result has the descriptors of their locks, which children
    that compute on the GPUs have to inherit. None is taken on a cluster, with the device `cpu`, on a machine without
    GPUs for torch, and by the ranks of a training, which have those of their launcher or, with torchrun, of the user.

    Raises UserError where the machine has fewer GPUs, and, with the status 75, where a signal or the deadline `end`, by
    the clock of `time.monotonic`, ends the wait.
    """
    if device == "cpu" or os.environ.get(ON_CLUSTER) or "RANK" in os.environ:
        return ()
    gpus = visible_gpus()
    if not gpus:
        return ()
    if count > len(gpus):
        raise UserError(
            "each process of a training needs a GPU of its own",
            where=VISIBLE if VISIBLE in os.environ else "--ranks",
            found=f"{count} ranks, {len(gpus)} GPUs ({_names(gpus)})",
            remedy="take fewer ranks (`gpu` of the workflow), or --device cpu",
        )
    with stop or StopRequest() as stopped:
        held = wait_for_gpus(gpus, count, stopped, end)
    # CUDA numbers GPUs as nvidia-smi does only with this order.
    os.environ |= {VISIBLE: ",".join(gpu.name for gpu in held), "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
    say(f"docmt: computes on GPU {_names(held)}")
    return tuple(held.values())


def wait_for_gpus(gpus: Sequence[Gpu], count: int, stop: StopRequest, end: float) -> Locks:
    """Return `count` of the GPUs with their locks, as soon as so many are free; a line says that this job waits.

    Raises UserError with the status 75 where a signal or the deadline comes first.
    """
    has_told = False
    while (held := lock_gpus(gpus, count)) is None:
        ended = stop.requested or ("the deadline" if time.monotonic() >= end else None)
        if ended:
            raise UserError(
                f"{ended} ended the wait of this job for a GPU",
                found="nothing was changed",
                remedy="run again",
                status=TRY_AGAIN,
            )
        if not has_told:
            say(f"docmt: waits for {count} of {len(gpus)} GPUs, which are in use")
            has_told = True
        # Jobs that have got in each other's way do not try again at the same time.
        time.sleep(random.uniform(0.5, 1.5) * LOOK_S)
    return held


def _names(gpus: Iterable[Gpu]) -> str:
    return ", ".join(gpu.name for gpu in gpus)
