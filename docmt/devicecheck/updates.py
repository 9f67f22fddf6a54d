"""Updates and translations of each model: bf16 against fp32, compiled against plain, stored states against none."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import torch

from docmt.devicecheck.findings import DeviceFinding, compared, guarded, relative_difference
from docmt.devicecheck.sizes import Size, batch_of, model_of, rows_of
from docmt.models.transformer import Transformer
from docmt.nn.compiled import Backend, compile_parts, pad_batch
from docmt.nn.rows import Rows
from docmt.nn.shapes import Tensor
from docmt.nn.streams import Batch
from docmt.search.beam import beam_search
from docmt.search.forced import forced_scores
from docmt.settings.decode import DecodeConfig
from docmt.settings.models import MODELS
from docmt.settings.train import Precision
from docmt.training.computing import TILE, forward_context
from docmt.training.losses import accumulate_gradients

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
