"""Kernels of attention against their definition: one plain mask over all tokens, computed in fp64 on the CPU."""

from collections.abc import Callable, Iterator, Sequence

import torch

from docmt.devicecheck.findings import DeviceFinding, compared, guarded, relative_difference
from docmt.nn.attention import attend as chosen_attend
from docmt.nn.backends import bucketed, varlen
from docmt.nn.segments import Segments
from docmt.nn.shapes import Keys, Queries, Tensor

RUNS = (5, 1, 0, 17, 64, 9)
OTHER_RUNS = (3, 0, 4, 30, 40, 1)
"""Lengths of runs of queries and of keys: some are empty, and some are longer than a block of a kernel."""
HEADS, SMALL_HEADS = (4, 64), (2, 8)
"""The number and the width of heads, and the same where there are many runs."""
MANY_RUNS = {"cuda": 70_000, "cpu": 70}
"""Many runs, by device: on CUDA more than its largest grid in two of its dimensions."""
MANY_LENGTHS = 1, 2
"""The number of queries and of keys of each of the many runs."""
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
    named_types = {str(kind)[6:]: kind for kind in MOST}
    kernels = {f"padded, {name}": (bucketed.attend, kind) for name, kind in named_types.items()}
    if device.type == "cuda":
        kernels["variable length, bfloat16"] = (varlen.attend, torch.bfloat16)
    forms = {f"{name}{form}": (name, form == ", causal") for name in kernels for form in ("", ", causal")}

    def look(subject: str) -> DeviceFinding:
        name, causal = forms[subject]
        attend, kind = kernels[name]
        lengths = RUNS, RUNS if causal else OTHER_RUNS
        inputs = random_inputs(lengths, HEADS)
        expected = with_gradients(defined_attention, inputs, lengths, causal)
        computed = with_gradients(attend, [x.to(device, kind) for x in inputs], lengths, causal)
        return compared("attention", subject, relative_difference(computed, expected), MOST[kind])

    def look_at_many(name: str) -> DeviceFinding:
        kind, runs = named_types[name], MANY_RUNS[device.type]
        lengths = [[count] * runs for count in MANY_LENGTHS]
        inputs = random_inputs(lengths, SMALL_HEADS)
        expected = with_gradients(attention_of_rows, inputs, lengths)
        computed = with_gradients(chosen_attend, [x.to(device, kind) for x in inputs], lengths)
        return compared("attention of many runs", name, relative_difference(computed, expected), MOST[kind])

    yield from guarded("attention", forms, look)
    yield from guarded("attention of many runs", named_types, look_at_many)


def attention_of_rows(q: Queries, k: Keys, v: Keys, queries: Segments, *_: Segments | bool) -> Queries:
    """Return the attention of the queries of each run to its keys, where all runs have the same lengths."""
    q, k, v = (x.unflatten(0, (queries.runs, -1)) for x in (q, k, v))
    scores = torch.einsum("bqhk,blhk->bhql", q, k) * q.shape[-1] ** -0.5
    return torch.einsum("bhql,blhk->bqhk", scores.softmax(-1), v).flatten(0, 1)


def random_inputs(lengths: Sequence[Sequence[int]], heads: tuple[int, int]) -> list[Tensor]:
    """Return queries, keys and values in fp64, on the CPU; `lengths` are those of both sides' runs."""
    generator = torch.Generator().manual_seed(1)
    tokens = [sum(lengths[side]) for side in (0, 1, 1)]
    return [torch.randn(count, *heads, generator=generator, dtype=torch.float64) for count in tokens]


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
