"""The way a training computes: seeds, number type, deterministic algorithms, compiled parts and peak memory.

Compiled parts (`docmt.nn.compiled`) are an option of the job. A part is compiled for tensors of one shape. To have few
shapes, streams are padded to multiples of a quantum of rows. A part is compiled once for each number of rows; compiling
takes most of the time of the first updates. Validations do not use compiled parts. On a CPU oneDNN
compiles the matrix products in the same way, so that streams are padded there too.
"""

import hashlib
import os
import resource
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass

import torch
from torch import nn

from docmt.base.digests import canonical_json
from docmt.base.errors import UserError
from docmt.base.machine import MIB
from docmt.nn.compiled import Backend, compile_parts, pad_batch
from docmt.nn.onednn import ROWS
from docmt.nn.streams import Batch
from docmt.settings.train import IN_FP32, Precision
from docmt.training.failures import is_out_of_memory


def derived_seed(seed: int, purpose: str, *numbers: int) -> int:
    """Return a seed for one purpose at one point of the run, such as ("noise", update); at least 0, below 2^63.

    Every random choice has its own seed, so that a resumed run needs no state of a generator.
    """
    name = canonical_json([seed, purpose, *numbers]).encode()
    # A seed of 63 bits is positive as a signed integer of 64 bits.
    return int.from_bytes(hashlib.sha256(name).digest()[:8], "big") >> 1


def forward_context(device: torch.device, precision: Precision) -> AbstractContextManager:
    """Return the context manager of forward passes: autocast for bf16, and an empty context for fp32.

    Raises UserError for bf16 on a GPU that does not support it.
    """
    if precision == "bf16" and device.type == "cuda" and not torch.cuda.is_bf16_supported(including_emulation=False):
        raise UserError(
            "this GPU does not compute in bf16",
            where="train.precision",
            found=torch.cuda.get_device_name(device),
            remedy=IN_FP32,
        )
    return torch.autocast(device.type, torch.bfloat16) if precision == "bf16" else nullcontext()


def is_slow(device: torch.device, precision: Precision) -> bool:
    """Return whether a device computes in this number type without instructions for it."""
    if precision == "fp32" or device.type != "cpu":
        return False
    return not any(has for name, has in torch.cpu.get_capabilities().items() if name.endswith("bf16"))


CUBLAS = "CUBLAS_WORKSPACE_CONFIG", ":4096:8"
"""The environment variable that fixes the size of cuBLAS' workspace, and its value. Without a fixed size, cuBLAS may
sum in a different order each time. cuBLAS reads the variable when it is first used."""


@contextmanager
def repeatable(wanted: bool) -> Iterator[None]:
    """Let torch use only algorithms whose results repeat to the bit while the block runs, if `wanted`.

    In the block, torch raises RuntimeError for an operation that has no such algorithm. On a CPU, the default
    algorithms repeat as well, as long as the number of threads is the same.
    """
    before = torch.are_deterministic_algorithms_enabled()
    if wanted:
        # A value that the user has set remains.
        os.environ.setdefault(*CUBLAS)
        torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before)


QUANTA = 16
"""Number of quanta in a full batch. With 16 quanta, streams have about 16 different lengths, and about a thirtieth of a
stream is padding."""
TILE = 64
"""Number of rows of which a quantum is a multiple: a matrix kernel processes this number of rows at once."""
SHAPES = 1 << 16
"""The largest number of shapes for which a part is compiled, which is as good as no limit. By default, torch runs all
shapes after the eighth with kernels that are not compiled, which round differently. A resumed training has other first
eight shapes, and would end with different weights."""


@dataclass(frozen=True)
class Compiling:
    """The compiler of updates; `backend` None means that nothing is compiled.

    Streams are padded to multiples of `quantum` rows; 1 means that they are not padded.
    """

    backend: Backend | None = None
    quantum: int = 1

    def ready(self, batch: Batch) -> Batch:
        """Return the batch, with its streams padded to a length for which there are kernels."""
        return batch if self.quantum == 1 else pad_batch(batch, self.quantum)

    @contextmanager
    def parts(self, model: nn.Module) -> Iterator[None]:
        """Compile the parts of `model` when they are first called in the block.

        Raises UserError where the compiler fails.
        """
        if self.backend is None:
            yield
            return
        # These modules are imported here, since only compiled trainings need them, and the import takes long.
        from torch._dynamo import config
        from torch._dynamo.exc import TorchDynamoException

        limits = {"recompile_limit": SHAPES, "accumulated_recompile_limit": SHAPES}
        try:
            with config.patch(limits), compile_parts(model, self.backend):
                yield
        except TorchDynamoException as problem:
            if is_out_of_memory(problem):
                raise
            raise UserError(
                "torch.compile does not work here",
                found=" ".join(str(problem).partition("\n\n")[0].split()),
                remedy="train with DOCMT_COMPILE=0: more slowly, to the same weights but for rounding",
            ) from problem


def choose_compiling(wanted: bool, device: torch.device, batch_tokens: int, backend: Backend = "inductor") -> Compiling:
    """Return whether and how updates are compiled, as `wanted`.

    Without compiled parts, streams are padded on a CPU all the same, since oneDNN compiles its products for each number
    of rows (`docmt.nn.onednn`).
    """
    if wanted:
        return Compiling(backend, quantum(batch_tokens))
    return Compiling(quantum=ROWS if device.type == "cpu" else 1)


def quantum(batch_tokens: int) -> int:
    """Return the quantum of rows for batches of at most `batch_tokens` target tokens."""
    return max(TILE, batch_tokens // QUANTA // TILE * TILE)


RSS_UNIT = 1 if sys.platform == "darwin" else 1 << 10
"""Number of bytes in the unit in which the operating system reports the resident set of a process."""


def peak_memory(device: torch.device) -> float:
    """Return the peak memory of this process so far, in MiB: allocated on the GPU, or resident on a CPU."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) / MIB
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT / MIB
