"""The processes that share a training, one a device, and all that they do together.

    torchrun --nproc-per-node 4 -m docmt.cli.main train ...

starts them on one node, and tells each by environment variables which one it is (`RANK`, `WORLD_SIZE`, `LOCAL_RANK`).
Every rank makes the same model and keeps it the same: each goes through its micro-batches of an update, then gradients
and losses are summed up, once an update, and each takes the same step. The first rank alone writes files and speaks.

This is data parallelism without `DistributedDataParallel`, which expects that all ranks have equally many batches and
reach the same parameters: here an update has whatever instances it has, a rank may get none of them, and lexical chains
that a batch lacks leave their parameters without gradient.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import timedelta
from typing import TypeVar

import torch
from torch import distributed, nn

from docmt.base.errors import UserError
from docmt.training.exit import FAULT, Failure, Reason

T = TypeVar("T")

EXCHANGE = timedelta(days=365)
"""What one exchange may take, as good as for ever, where torch gives it half an hour: ranks wait for the first one
while it translates the dev set, and whether there is progress is for the watchdogs to say."""


class Ranks:
    """One process by itself; what several do is in `SeveralRanks`."""

    number, count = 0, 1

    @property
    def is_first(self) -> bool:
        """Whether this one writes."""
        return self.number == 0

    def share(self, parts: Sequence[T]) -> Sequence[T]:
        """Those of all parts of a work that this rank does."""
        return parts[self.number :: self.count]

    def sum_gradients(self, parameters: Iterable[nn.Parameter]) -> None:
        """Give each parameter the sum of its gradients on all ranks; none where no rank has one."""

    def summed(self, numbers: Sequence[float]) -> list[float]:
        """Sums over all ranks, in double precision."""
        return list(numbers)

    def any_of(self, value: T | None) -> T | None:
        """The value of the first rank that has one."""
        return value

    def from_first(self, make: Callable[[], T]) -> T:
        """What the first rank makes, on all ranks. Where it fails the others raise Failure, for the same reason."""
        return make()

    def in_turn(self, make: Callable[[], T]) -> T:
        """What each rank makes, after the first one made it. Raises Failure as `from_first`."""
        return make()


class SeveralRanks(Ranks):
    """This process among others; the CPU has a backend of its own, for numbers and for what is no tensor.

    `waiting` is entered while the first rank works alone, in `from_first`, on those that wait for it.
    """

    def __init__(self, waiting: Callable[[], AbstractContextManager]) -> None:
        self.number, self.count = distributed.get_rank(), distributed.get_world_size()
        self._group = distributed.new_group(timeout=EXCHANGE)
        self._waiting = nullcontext if self.is_first else waiting

    def sum_gradients(self, parameters: Iterable[nn.Parameter]) -> None:
        """One exchange of all gradients as one flat tensor."""
        parameters = [parameter for parameter in parameters if parameter.requires_grad]
        having = self.summed([parameter.grad is not None for parameter in parameters])
        reached = [parameter for parameter, ranks in zip(parameters, having, strict=True) if ranks]
        gradients = (torch.zeros_like(p) if p.grad is None else p.grad for p in reached)
        flat = torch.cat([gradient.flatten() for gradient in gradients])
        distributed.all_reduce(flat, group=self._group)
        for parameter, total in zip(reached, flat.split([p.numel() for p in reached]), strict=True):
            parameter.grad = total.view_as(parameter)

    def summed(self, numbers: Sequence[float]) -> list[float]:
        total = torch.tensor(numbers, dtype=torch.float64)
        distributed.all_reduce(total, group=self._group)
        return total.tolist()

    def any_of(self, value: T | None) -> T | None:
        values: list[T | None] = [None] * self.count
        distributed.all_gather_object(values, value, group=self._group)
        return next((value for value in values if value is not None), None)

    def from_first(self, make: Callable[[], T]) -> T:
        sent: list = [None, None]
        try:
            if self.is_first:
                sent = [None, make()]
        except Exception as problem:
            sent = [(getattr(problem, "reason", Reason.ERROR), str(problem), getattr(problem, "status", FAULT)), None]
            raise
        finally:
            with self._waiting():
                distributed.broadcast_object_list(sent, group=self._group)
        failure, made = sent
        if failure is not None:
            reason, message, status = failure
            what, where = "the first rank cannot go on", f"rank {self.number}"
            raise Failure(reason, what, where=where, found=message, status=status)
        return made

    def in_turn(self, make: Callable[[], T]) -> T:
        made = []
        self.from_first(lambda: made.append(make()))
        return made[0] if made else make()


def is_first() -> bool:
    """Whether this process is the first rank, or by itself."""
    return os.environ.get("RANK", "0") == "0"


@contextmanager
def joined(device: torch.device, waiting: Callable[[], AbstractContextManager] = nullcontext) -> Iterator[Ranks]:
    """The ranks that torchrun started, each on a device of its own; without torchrun this process by itself.

    `waiting`: see `SeveralRanks`.
    Raises UserError where they are on several nodes, or more than there are GPUs.
    """
    count = int(os.environ.get("WORLD_SIZE", "1"))
    if count == 1:
        yield Ranks()
        return
    here = int(os.environ["LOCAL_WORLD_SIZE"])
    if here != count:
        raise UserError("ranks on several nodes", found=f"{here} of {count} here", expected="torchrun on one node")
    if device.type == "cuda":
        if torch.cuda.device_count() < count:
            found, remedy = f"{count} ranks, {torch.cuda.device_count()} GPUs", "torchrun --nproc-per-node <GPUs>"
            raise UserError("a rank needs a GPU of its own", where="torchrun", found=found, remedy=remedy)
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    distributed.init_process_group("cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo")
    yield SeveralRanks(waiting)
    # Not after an exception: others may be waiting in an exchange that this one left.
    distributed.destroy_process_group()
