"""Updates and translations of each model: bf16 against fp32, compiled against plain, stored states against none."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import torch

from docmt.devicecheck.findings import DeviceFinding, compared, guarded, relative_difference
from docmt.devicecheck.sizes import Size, batch_of, model_of, rows_of
from docmt.models.transformer import Transformer
from docmt.nn.compiled import Backend
from docmt.nn.rows import Rows
from docmt.nn.shapes import Tensor
from docmt.nn.streams import Batch
from docmt.search.beam import beam_search
from docmt.search.forced import forced_scores
from docmt.settings.decode import DecodeConfig
from docmt.settings.models import MODELS
from docmt.training.computing import TILE, Compiling, Precision, forward_context
from docmt.training.update import accumulate_gradients

MOST_IN_BF16 = 0.1
"""The largest relative difference of gradients in bf16 from those in fp32: bf16 has two or three digits."""
MOST_OF_DEVICE = 1e-3
"""The same for gradients of the device from those of the CPU, both in fp32."""
MOST_COMPILED = 1e-3
"""The same for gradients of compiled parts from those of plain ones."""
MOST_CACHED = 1e-3
"""The largest relative difference of the scores of a search, which stores states, from those of one whole pass."""
SMOOTHING, UPDATE = 0.1, 1_000
"""The label smoothing, and the number of the update, which decides the weights of further losses."""
SOME = 2
"""The number of segments of comparisons, which need no large batch."""


def gradients(
    model: Transformer, batch: Batch, precision: Precision = "fp32", compiling: Compiling | None = None
) -> list[Tensor]:
    """Return the gradients of an update of one batch, on the device of the model."""
    device, how = next(model.parameters()).device, compiling or Compiling()
    model.zero_grad()
    batches = [how.ready(batch).to(device)]
    context = partial(forward_context, device, precision)
    with how.parts():
        accumulate_gradients(
            model.train(), batches, len(batch.target_out), SMOOTHING, model.term_weights(UPDATE), context
        )
    return [parameter.grad for parameter in model.parameters() if parameter.grad is not None]


def check_device(device: torch.device, size: Size) -> Iterator[DeviceFinding]:
    """Yield, for each model, the difference of the device's gradients in fp32 from those of the CPU."""

    def look(kind: str) -> DeviceFinding:
        batch = batch_of(kind, size, SOME)
        computed, expected = (gradients(model_of(kind, size, place), batch) for place in (device, torch.device("cpu")))
        return compared("fp32 against CPU", kind, relative_difference(computed, expected), MOST_OF_DEVICE)

    yield from guarded("fp32 against CPU", MODELS, look)


def check_bf16(device: torch.device, size: Size) -> Iterator[DeviceFinding]:
    """Yield, for each model, the difference of gradients in bf16 from those in fp32."""

    def look(kind: str) -> DeviceFinding:
        model, batch = model_of(kind, size, device), batch_of(kind, size, SOME)
        expected = [gradient.clone() for gradient in gradients(model, batch)]
        computed = gradients(model, batch, "bf16")
        return compared("bf16 against fp32", kind, relative_difference(computed, expected), MOST_IN_BF16)

    yield from guarded("bf16 against fp32", MODELS, look)


def check_compiled(device: torch.device, size: Size, backend: Backend) -> Iterator[DeviceFinding]:
    """Yield, for each model, the difference of gradients of compiled parts from those of plain ones."""

    def look(kind: str) -> DeviceFinding:
        model, batch = model_of(kind, size, device), batch_of(kind, size, SOME)
        expected = [gradient.clone() for gradient in gradients(model, batch)]
        computed = gradients(model, batch, compiling=Compiling(backend, TILE))
        return compared("compiled against plain", kind, relative_difference(computed, expected), MOST_COMPILED)

    yield from guarded("compiled against plain", MODELS, look)


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
