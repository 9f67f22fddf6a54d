"""The ranks: the processes that share a training, one for each device, and what they tell each other.

The ranks are on one or several nodes. On each node torchrun, or `docmt.supervision.launch`, starts those of the node:

    torchrun --nproc-per-node 4 -m docmt.cli.main job FOLDER

They are numbered by environment variables: `RANK` and `WORLD_SIZE` over all nodes, `LOCAL_RANK` and `LOCAL_WORLD_SIZE`
on a node. All ranks have the same model at all times: each rank computes its batches of an update, gradients and losses
are summed over all ranks once for each update, and all ranks take the same step. Only the first rank writes files and
prints messages. The other ranks read what it has written only when it has told them the name of the file, since a file
system of several nodes may show a new file late (`docmt.training.checkpoint`).
"""

import os
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import timedelta
from typing import TypeVar

import torch
from torch import distributed

from docmt.base.errors import UserError
from docmt.base.gpus import VISIBLE
from docmt.supervision.exit import FAULT, Failure, Reason

T = TypeVar("T")

EXCHANGE = timedelta(days=365)
"""The longest time of one exchange between ranks, which is as good as no limit; torch's default is half an hour for
gloo. The other ranks wait for the first rank while it translates the dev set, and watchdogs end a job that hangs."""


class Ranks:
    """The ranks of a training that has one process; `SeveralRanks` is for several processes."""

    number, count = 0, 1

    @property
    def is_first(self) -> bool:
        """True for the first rank, which alone writes files."""
        return self.number == 0

    def share(self, parts: Sequence[T]) -> Sequence[T]:
        """Return the parts that this rank computes: every `count`-th part, beginning with its own number."""
        return parts[self.number :: self.count]

    def summed(self, numbers: Sequence[float]) -> list[float]:
        """Return the sum of each number over all ranks, in double precision."""
        return list(numbers)

    def add_up(self, x: torch.Tensor) -> None:
        """Replace a tensor, which has the same size on all ranks, by the sum over all ranks."""

    def any_of(self, value: T | None) -> T | None:
        """Return the value of the first rank whose value is not None."""
        return value

    def from_first(self, make: Callable[[], T]) -> T:
        """Call `make` on the first rank alone, and return its result on all ranks.

        Where `make` fails, the other ranks raise Failure with the same reason.
        """
        return make()


class SeveralRanks(Ranks):
    """This process among several ranks.

    Numbers, and objects that are no tensors, are exchanged on the CPU. The other ranks enter the context `waiting`
    while they wait for the first rank, which works alone in `from_first`.
    """

    def __init__(self, waiting: Callable[[], AbstractContextManager]) -> None:
        """Open a process group without a time limit."""
        self.number, self.count = distributed.get_rank(), distributed.get_world_size()
        self._group = distributed.new_group(timeout=EXCHANGE)
        self._waiting = nullcontext if self.is_first else waiting

    def summed(self, numbers: Sequence[float]) -> list[float]:
        """Return the sum of each number over all ranks, by one exchange on the CPU."""
        total = torch.tensor(numbers, dtype=torch.float64)
        self.add_up(total)
        return total.tolist()

    def add_up(self, x: torch.Tensor) -> None:
        """Replace a tensor by the sum over all ranks, by one exchange on its device."""
        distributed.all_reduce(x, group=self._group)

    def any_of(self, value: T | None) -> T | None:
        """Gather the values of all ranks, and return the first value that is not None."""
        values: list[T | None] = [None] * self.count
        distributed.all_gather_object(values, value, group=self._group)
        return next((value for value in values if value is not None), None)

    def from_first(self, make: Callable[[], T]) -> T:
        """Call `make` on the first rank alone, and broadcast its result, or the reason of its failure."""
        sent: list = [None, None]
        try:
            if self.is_first:
                sent = [None, make()]
        except Exception as problem:
            sent = [(getattr(problem, "reason", Reason.ERROR), str(problem), getattr(problem, "status", FAULT)), None]
            raise
        finally:
            # The exchange also takes place after a failure, since the other ranks wait in it.
            with self._waiting():
                distributed.broadcast_object_list(sent, group=self._group)
        failure, result = sent
        if failure is not None:
            reason, message, status = failure
            what, where = "the first process of the training cannot go on", f"rank {self.number}"
            raise Failure(reason, what, where=where, found=message, status=status)
        return result


@contextmanager
def joined(device: torch.device, waiting: Callable[[], AbstractContextManager] = nullcontext) -> Iterator[Ranks]:
    """Join the ranks that torchrun started, each on its own GPU or on the CPU; without torchrun this process is alone.

    The other ranks enter the context `waiting` while they wait for the first rank.

    Raises UserError where a node has more ranks than GPUs.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        yield Ranks()
        return
    if device.type == "cuda":
        count = int(os.environ["LOCAL_WORLD_SIZE"])
        if torch.cuda.device_count() < count:
            hidden = f" ({VISIBLE}={os.environ[VISIBLE]})" if VISIBLE in os.environ else ""
            raise UserError(
                "each process of a training needs a GPU of its own",
                where=f"torchrun on {socket.gethostname()}",
                found=f"{count} ranks, {torch.cuda.device_count()} GPUs{hidden}",
                remedy="torchrun --nproc-per-node <GPUs>",
            )
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    distributed.init_process_group("cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo")
    yield SeveralRanks(waiting)
    # The group stays after an exception, since other ranks may be waiting in an exchange that this rank has left.
    distributed.destroy_process_group()
