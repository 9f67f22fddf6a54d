"""All checks of a device, one after another.

Updates and translations of each model: bf16 against fp32, compiled against plain, stored states against none. Kernels
of attention against their definition: one plain mask over all tokens, computed in fp64 on the CPU.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import torch

from docmt.devicecheck.findings import DeviceFinding, compared, guarded, relative_difference
from docmt.devicecheck.sizes import Size, batch_of, model_of, rows_of
from docmt.models.transformer import Transformer
from docmt.nn import varlen
from docmt.nn.attention import attend_in_buckets
from docmt.nn.compiled import Backend, compile_parts, pad_batch
from docmt.nn.rows import Rows
from docmt.nn.segments import Segments
from docmt.nn.shapes import Keys, Queries, Tensor
from docmt.nn.streams import Batch
from docmt.search.beam import beam_search
from docmt.search.forced import forced_scores
from docmt.settings.decode import DecodeConfig
from docmt.settings.models import MODELS
from docmt.settings.train import Precision
from docmt.training.computing import TILE, forward_context
from docmt.training.losses import accumulate_gradients


def run_checks(device: torch.device, size: Size) -> Iterator[DeviceFinding]:
    """Yield what each check finds."""
    yield from check_kernels(device)
    yield from check_gradients(device, size, backend_for(device))
    yield from check_decoding(device, size)


def backend_for(device: torch.device) -> Backend:
    """Return the compiler for a device; on a CPU the part of it that needs no compiler of C++."""
    return "inductor" if device.type == "cuda" else "aot_eager"


# The largest relative difference of gradients in bf16 from those in fp32: bf16 has two or three digits.
MOST_IN_BF16 = 0.1
MOST_OF_DEVICE = 1e-3  # The same for gradients of the device from those of the CPU, both in fp32.
MOST_COMPILED = 1e-3  # The same for gradients of compiled parts from those of plain ones.
# The largest relative difference of the scores of a search, which stores states, from those of one whole pass.
MOST_CACHED = 1e-3
# The label smoothing, and the number of the update, which decides the weights of further losses.
SMOOTHING, UPDATE = 0.1, 1_000
Gradients = Callable[[str], list[Tensor]]  # A function that returns the gradients of an update of an architecture.
SOME = 2  # The number of segments of comparisons, which need no large batch.


def gradients(
    model: Transformer,
    batch: Batch,
    precision: Precision = "fp32",
    backend: Backend | None = None,
    quantum: int = 1,
) -> list[Tensor]:
    """Return the gradients of an update of one batch, on the device of the model.

    `backend` compiles parts of the model, and streams have multiples of `quantum` rows.
    """
    device = next(model.parameters()).device
    model.zero_grad()
    batches, context = [pad_batch(batch, quantum).to(device)], forward_context(device, precision)
    with compile_parts(model, backend):
        accumulate_gradients(
            model.train(), batches, len(batch.target_out), SMOOTHING, model.term_weights(UPDATE), context
        )
    return [parameter.grad for parameter in model.parameters() if parameter.grad is not None]


def check_gradients(device: torch.device, size: Size, backend: Backend) -> Iterator[DeviceFinding]:
    """Yield, for each model, the difference of three kinds of gradients from those that they should be.

    They are those of the device from those of the CPU, in bf16 from fp32, and of compiled parts from plain ones.
    """

    def of(kind: str, place: torch.device = device, **how: Any) -> list[Tensor]:
        return gradients(model_of(kind, size, place), batch_of(kind, size, SOME), **how)

    checks = {
        "fp32 against CPU": (of, partial(of, place=torch.device("cpu")), MOST_OF_DEVICE),
        "bf16 against fp32": (partial(of, precision="bf16"), of, MOST_IN_BF16),
        "compiled against plain": (partial(of, backend=backend, quantum=TILE), of, MOST_COMPILED),
    }
    for check, (computed, expected, most) in checks.items():
        yield from guarded(check, MODELS, partial(_compared, check, computed, expected, most))


def _compared(check: str, computed: Gradients, expected: Gradients, most: float, kind: str) -> DeviceFinding:
    return compared(check, kind, relative_difference(computed(kind), expected(kind)), most)


def check_decoding(device: torch.device, size: Size) -> Iterator[DeviceFinding]:
    """Yield, for each model, the difference of the scores of beam search from forced scores of its translations."""

    def look(kind: str) -> DeviceFinding:
        model, rows = model_of(kind, size, device).eval(), rows_of(kind, size).take([0])
        config = DecodeConfig(beam=2, max_length_a=0.0, max_length_b=4)
        (translations,) = beam_search(model, rows, config)
        best = translations[0]
        target = Rows.from_lists(rows.to_lists("source"), [best.sentences])
        _, sums = forced_scores(model, replace(target, chains=rows.chains))
        difference = abs(float(sums.sum()) - best.score) / max(abs(best.score), 1.0)
        return compared("decoding", kind, difference, MOST_CACHED)

    yield from guarded("decoding", MODELS, look)


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
