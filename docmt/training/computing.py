"""How a training computes: its seeds, its number type, algorithms that repeat, compiled parts, the memory it holds.

Compiled parts (`docmt.nn.compiled`) are an option of the job, on for CUDA. Their shapes are static. So that there
are few of them, streams are padded to whole quanta of rows; a part is compiled once for each number of rows that it
meets, which takes most of the time of the first updates. Validation computes as ever.
"""

import hashlib
import os
import resource
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Literal

import torch

from docmt.base.artifacts import canonical_json
from docmt.base.errors import UserError
from docmt.nn.compiled import Backend, compile_parts, pad_batch
from docmt.nn.streams import Batch
from docmt.training.failures import is_out_of_memory


def derived_seed(seed: int, purpose: str, *numbers: int) -> int:
    """A seed for one purpose at one place of the run, such as ("dropout", update); at least 0, below 2^63.

    Every random choice has one of its own, so that a resumed run needs no generator's state.
    """
    name = canonical_json([seed, purpose, *numbers]).encode()
    return int.from_bytes(hashlib.sha256(name).digest()[:8], "big") >> 1


Precision = Literal["auto", "fp32", "bf16"]


def forward_context(device: torch.device, precision: Precision) -> AbstractContextManager:
    """The context of forward passes: autocast to bf16, or nothing; `auto` is bf16 on GPUs that have it."""
    if precision == "auto":
        has_bf16 = device.type == "cuda" and torch.cuda.is_bf16_supported()
        precision = "bf16" if has_bf16 else "fp32"
    return torch.autocast(device.type, torch.bfloat16) if precision == "bf16" else nullcontext()


CUBLAS = "CUBLAS_WORKSPACE_CONFIG", ":4096:8"
"""Without a workspace of fixed size cuBLAS may sum up in another order; read when it is first used."""


@contextmanager
def repeatable(wanted: bool) -> Iterator[None]:
    """Within the block torch takes algorithms that repeat to the bit, and raises RuntimeError where it has none.

    On a CPU the others repeat as well, as long as the number of threads is the same.
    """
    before = torch.are_deterministic_algorithms_enabled()
    if wanted:
        os.environ.setdefault(*CUBLAS)
        torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before)


QUANTA = 16
"""In a full batch: a stream then has about as many lengths, and a thirtieth of it is padding."""
TILE = 64
"""Rows of which quanta are multiples: as many as a matrix kernel takes at once."""
SHAPES = 1 << 16
"""For which a part is compiled, as good as no limit. torch leaves those after the eighth to the plain kernels, which
round otherwise: a resumed training, whose first eight are others, would then end in other weights."""


@dataclass(frozen=True)
class Compiling:
    """How updates are computed: `backend` none = nothing is compiled, nor padded."""

    backend: Backend | None = None
    quantum: int = TILE

    def ready(self, batch: Batch) -> Batch:
        """The batch with streams of such a length as parts are compiled for."""
        return batch if self.backend is None else pad_batch(batch, self.quantum)

    @contextmanager
    def parts(self) -> Iterator[None]:
        """Within, parts are compiled as they are met. Raises UserError where the compiler fails."""
        if self.backend is None:
            yield
            return
        from torch._dynamo import config
        from torch._dynamo.exc import TorchDynamoException

        limits = {"recompile_limit": SHAPES, "accumulated_recompile_limit": SHAPES}
        try:
            with config.patch(limits), compile_parts(self.backend):
                yield
        except TorchDynamoException as problem:
            if is_out_of_memory(problem):
                raise
            raise UserError(
                "torch.compile does not work here",
                found=" ".join(str(problem).partition("\n\n")[0].split()),
                remedy="train with --no-compile or DOCMT_COMPILE=0: more slowly, to the same weights but for rounding",
            ) from problem


def choose_compiling(
    wanted: bool | None, device: torch.device, batch_tokens: int, backend: Backend = "inductor"
) -> Compiling:
    """`wanted` none: on CUDA, where most of what is compiled would wait for memory and for launches."""
    if wanted or (wanted is None and device.type == "cuda"):
        return Compiling(backend, quantum(batch_tokens))
    return Compiling()


def quantum(batch_tokens: int) -> int:
    """To a multiple of which streams are padded, by the target tokens of a full batch."""
    return max(TILE, batch_tokens // QUANTA // TILE * TILE)


MIB = 1 << 20
RSS_UNIT = 1 if sys.platform == "darwin" else 1 << 10
"""Bytes of the kernel's unit of the resident set."""


def peak_memory(device: torch.device) -> float:
    """The most that this process has held so far, in MiB: allocated on the GPU, or resident where a CPU computes."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) / MIB
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT / MIB
