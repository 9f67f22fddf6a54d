"""Kernels of attention against their definition: one plain mask over all tokens, computed in fp64 on the CPU."""

from collections.abc import Callable, Iterator, Sequence

import torch

from docmt.devicecheck.findings import DeviceFinding, compared, guarded, relative_difference
from docmt.nn import varlen
from docmt.nn.attention import attend_in_buckets
from docmt.nn.segments import Segments
from docmt.nn.shapes import Keys, Queries, Tensor

RUNS = (5, 1, 0, 17, 64, 9)
# Lengths of runs of queries and of keys: some are empty, and some are longer than a block of a kernel.
OTHER_RUNS = (3, 0, 4, 30, 40, 1)
HEADS = 4, 64  # The number and the width of heads.
# The largest relative difference from the definition, by number type.
MOST = {torch.float32: 1e-4, torch.bfloat16: 2e-2}


def defined_attention(q: Queries, k: Keys, v: Keys, queries: Segments, keys: Segments, causal: bool) -> Queries:
    """Return the attention of each query to the keys of its run, up to its own place where `causal` is true."""
    visible = queries.ids()[:, None] == keys.ids()[None]
    if causal:
        visible &= keys.positions[None] <= queries.positions[:, None]
    scores = torch.einsum("thk,shk->hts", q, k) * q.shape[-1] ** -0.5
    weights = scores.masked_fill(~visible, torch.finfo(q.dtype).min).softmax(-1) * visible
    return torch.einsum("hts,shk->thk", weights, v)


def check_kernels(device: torch.device) -> Iterator[DeviceFinding]:
    """Yield the difference of each kernel from the definition, with its gradients, in each number type."""
    named_types = {str(kind)[6:]: kind for kind in MOST}
    kernels = {f"padded, {name}": (attend_in_buckets, kind) for name, kind in named_types.items()}
    if device.type == "cuda":
        kernels["variable length, bfloat16"] = (varlen.attend, torch.bfloat16)
    forms = {f"{name}{form}": (name, form == ", causal") for name in kernels for form in ("", ", causal")}

    def look(subject: str) -> DeviceFinding:
        name, causal = forms[subject]
        attend, kind = kernels[name]
        lengths = RUNS, RUNS if causal else OTHER_RUNS
        inputs = random_inputs(lengths)
        expected = with_gradients(defined_attention, inputs, lengths, causal)
        computed = with_gradients(attend, [x.to(device, kind) for x in inputs], lengths, causal)
        return compared("attention", subject, relative_difference(computed, expected), MOST[kind])

    yield from guarded("attention", forms, look)


def random_inputs(lengths: Sequence[Sequence[int]]) -> list[Tensor]:
    """Return queries, keys and values in fp64, on the CPU; `lengths` are those of both sides' runs."""
    generator = torch.Generator().manual_seed(1)
    tokens = [sum(lengths[side]) for side in (0, 1, 1)]
    return [torch.randn(count, *HEADS, generator=generator, dtype=torch.float64) for count in tokens]


def with_gradients(
    attend: Callable[..., Queries], inputs: list[Tensor], lengths: Sequence[Sequence[int]], causal: bool = False
) -> list[Tensor]:
    """Return the result of an attention, and the gradients of its inputs; `lengths` are those of both sides' runs."""
    inputs = [x.detach().requires_grad_() for x in inputs]
    queries = Segments.from_lengths(lengths[0], inputs[0].device)
    keys = queries if causal else Segments.from_lengths(lengths[1], inputs[0].device)
    result = attend(*inputs, queries, keys, causal)
    weights = torch.linspace(-1, 1, result.numel(), dtype=torch.float64).view(result.shape).to(result)
    return [result, *torch.autograd.grad((result * weights).sum(), inputs)]
