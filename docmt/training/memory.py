"""Out of memory: one message that names the batch which did it and the setting to lower."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import torch

from docmt.nn.streams import Batch
from docmt.training.exit import Failure, Reason

MARKS = ("can't allocate memory", "out of memory", "ALLOC_FAILED")
"""In messages of the CPU's allocator, of CUDA and of its libraries, which raise no class of their own."""


def is_out_of_memory(problem: Exception) -> bool:
    if isinstance(problem, MemoryError | torch.OutOfMemoryError):
        return True
    return isinstance(problem, RuntimeError) and any(mark in str(problem) for mark in MARKS)


class BatchUnderWay:
    """Remembers the batch that is computed, for the message."""

    def __init__(self) -> None:
        self._batch: Batch | None = None

    def each(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        for batch in batches:
            self._batch = batch
            yield batch

    @contextmanager
    def blamed(self, where: str, kept: str) -> Iterator[None]:
        """Raises Failure where memory runs out within; `where` names the work, `kept` says what was saved before."""
        self._batch = None
        try:
            yield
        except Exception as problem:
            if not is_out_of_memory(problem):
                raise
            said = str(problem).strip().splitlines() or [type(problem).__name__]
            raise Failure(
                Reason.OUT_OF_MEMORY,
                "out of memory",
                where=where,
                found=f"{self._size()}{said[0]}",
                remedy=f"lower train.batch_tokens: it only splits updates; {kept}",
            ) from None

    def _size(self) -> str:
        if self._batch is None:
            return ""
        source, target = self._batch.source.instances, self._batch.target_in.instances
        return (
            f"a batch of {source.runs} instances, {source.tokens} source and {target.tokens} target tokens, "
            f"the longest of {source.longest} and {target.longest}: "
        )
