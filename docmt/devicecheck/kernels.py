"""Kernels of attention against their definition: one plain mask over all tokens, computed in fp64 on the CPU."""

from collections.abc import Iterator

import torch

from docmt.devicecheck.findings import DeviceFinding, compared, guarded, relative_difference
from docmt.nn.backends import bucketed, varlen
from docmt.nn.segments import Segments
from docmt.nn.shapes import Keys, Queries, Tensor

RUNS = (5, 1, 0, 17, 64, 9)
OTHER_RUNS = (3, 0, 4, 30, 40, 1)
"""Lengths of runs of queries and of keys: some are empty, and some are longer than a block of a kernel."""
HEADS, HEAD_WIDTH = 4, 64
MOST = {torch.float32: 1e-4, torch.bfloat16: 2e-2}
"""The largest relative difference from the definition, by number type."""


def defined_attention(q: Queries, k: Keys, v: Keys, queries: Segments, keys: Segments, causal: bool) -> Queries:
    """Return the attention of each query to the keys of its run, up to its own place where `causal` is true."""
    visible = queries.ids()[:, None] == keys.ids()[None]
    if causal:
        visible &= keys.positions()[None] <= queries.positions()[:, None]
    scores = torch.einsum("thk,shk->hts", q, k) * q.shape[-1] ** -0.5
    weights = scores.masked_fill(~visible, torch.finfo(q.dtype).min).softmax(-1) * visible
    return torch.einsum("hts,shk->thk", weights, v)


def check_kernels(device: torch.device) -> Iterator[DeviceFinding]:
    """Yield the difference of each kernel from the definition, with its gradients, in each number type."""
    kernels = {f"padded, {str(kind)[6:]}": (bucketed.attend, kind) for kind in MOST}
    if device.type == "cuda":
        kernels["variable length, bfloat16"] = (varlen.attend, torch.bfloat16)
    forms = {f"{name}{form}": (name, form == ", causal") for name in kernels for form in ("", ", causal")}

    def look(subject: str) -> DeviceFinding:
        name, causal = forms[subject]
        attend, kind = kernels[name]
        inputs = random_inputs(causal)
        expected = with_gradients(defined_attention, inputs, torch.device("cpu"), torch.float64, causal)
        computed = with_gradients(attend, inputs, device, kind, causal)
        return compared("attention", subject, relative_difference(computed, expected), MOST[kind])

    yield from guarded("attention", forms, look)


def random_inputs(causal: bool) -> list[Tensor]:
    """Return queries, keys and values in fp64, on the CPU."""
    generator = torch.Generator().manual_seed(1)
    lengths = (RUNS, *[RUNS if causal else OTHER_RUNS] * 2)
    shapes = ((sum(runs), HEADS, HEAD_WIDTH) for runs in lengths)
    return [torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes]


def with_gradients(attend, inputs: list[Tensor], device: torch.device, kind: torch.dtype, causal: bool) -> list[Tensor]:
    """Return the result of an attention on the device, and the gradients of its inputs."""
    moved = [x.to(device, kind).requires_grad_() for x in inputs]
    queries = Segments.from_lengths(RUNS, device)
    keys = queries if causal else Segments.from_lengths(OTHER_RUNS, device)
    result = attend(*moved, queries, keys, causal)
    weights = torch.linspace(-1, 1, result.numel(), dtype=torch.float64).view(result.shape).to(result)
    return [result, *torch.autograd.grad((result * weights).sum(), moved)]
