"""The compiled parts of a model, and padded batches, whose few shapes keep the number of compilations small.

The parts compute each row of a stream by itself. They are feed-forward layers, gates, and the dropout, the residual
connection and the norm around a sublayer, whose twenty kernels the compiler merges into one or two. Attention is not
compiled: it has kernels of its own, and its plans are Python code.

A part is compiled once for each kind of part and each number of rows, for all layers together. Therefore parameters and
columns of noise are inputs of the compiled code, and no part may read a value that differs between layers, such as a
name.

Streams are padded to multiples of a number of rows by additional instances, each of which is one sentence of `<pad>`.
Therefore the results for other instances do not depend on the padding. The padding has no loss, since `target_out` is
not padded. No padding sentence is longer than the longest sentence of its stream, so positions, and attention to runs
of similar length, need no larger sizes than without padding.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import torch
from torch import nn

from docmt.base.errors import UserError
from docmt.base.vocabulary import PAD
from docmt.nn.noise import is_whole
from docmt.nn.segments import Layout, Segments
from docmt.nn.shapes import Numbers
from docmt.nn.streams import Batch, Chains, Stream

Backend = str | Callable[..., Any]  # A backend of `torch.compile`: its name, or the function itself
# The largest number of shapes for which a part is compiled, which is as good as no limit. By default, torch runs all
# shapes after the eighth with kernels that are not compiled, which round differently. A resumed training has other
# first eight shapes, and would end with different weights.
SHAPES = 1 << 16


@contextmanager
def compile_parts(model: nn.Module, backend: Backend | None) -> Iterator[None]:
    """Compile the token-wise methods of a model that trains, until the end of the block, where it has whole streams.

    `token_wise` has the names of such methods of a module: their tensors have a row for each row of a stream, and no
    row of their result depends on other rows. Nothing is compiled where `backend` is None.

    Raises UserError where the compiler fails.
    """
    if backend is None:
        yield
        return
    # These modules are imported here, since few trainings are compiled, and the import takes long.
    from torch._dynamo import config
    from torch._dynamo.exc import TorchDynamoException

    limits = {"recompile_limit": SHAPES, "accumulated_recompile_limit": SHAPES}
    parts = [(module, name) for module in model.modules() for name in getattr(module, "token_wise", ())]
    for module, name in parts:
        setattr(module, name, partial(_run, getattr(type(module), name), backend, module))
    try:
        with config.patch(limits):
            yield
    except TorchDynamoException as problem:
        raise UserError(
            "torch.compile does not work here",
            found=" ".join(str(problem).partition("\n\n")[0].split()),
            remedy="train with DOCMT_COMPILE=0: more slowly, to the same weights but for rounding",
        ) from problem
    finally:
        for module, name in parts:
            delattr(module, name)


def _run(part: Callable[..., Any], backend: Backend, module: nn.Module, *arguments: Any) -> Any:
    # A part of a stream, such as the words of chains, has a different number of rows in each batch, and so have the
    # batches of a validation: each number of rows would need a compilation.
    compute = _compiled(part, backend) if module.training and is_whole() else part
    return compute(module, *arguments)


@cache
def _compiled(part: Callable[..., Any], backend: Backend) -> Callable[..., Any]:
    # Shapes are static: `pad_batch` leaves few numbers of rows, and each of them gets code of its own.
    return torch.compile(part, fullgraph=True, dynamic=False, backend=backend)


def pad_batch(batch: Batch, quantum: int) -> Batch:
    """Return the batch with both input streams padded to multiples of `quantum` rows.

    Both streams get the same number of padding sentences.
    """
    if quantum == 1:
        return batch
    source, target = batch.source, batch.target_in
    source_rows, target_rows = (-len(stream.tokens) % quantum for stream in (source, target))
    runs = _run_count((source_rows, source), (target_rows, target))
    if source_rows < runs:
        # Each padding sentence of the source needs a token, since some models read the first symbol of each source
        # sentence. Target sentences may be empty.
        source_rows += quantum
        runs = _run_count((source_rows, source), (target_rows, target))
    return replace(
        batch, source=_append_runs(source, source_rows, runs), target_in=_append_runs(target, target_rows, runs)
    )


def _run_count(*sides: tuple[int, Stream]) -> int:
    # Enough that no padding sentence is longer than the longest sentence of its stream.
    return max(-(-rows // stream.sentences.longest) for rows, stream in sides)


def _append_runs(stream: Stream, rows: int, runs: int) -> Stream:
    if not runs:
        return stream
    # Sentences of nearly equal length.
    lengths = np.diff(np.arange(runs + 1) * rows // runs).tolist()
    return Stream(
        _append_values(stream.tokens, rows, PAD),
        Layout(*(_append_lengths(cut, lengths) for cut in (stream.sentences, stream.instances))),
        None if stream.chains is None else _append_chainless_sentences(stream.chains, runs),
        None if stream.keys is None else _append_values(stream.keys, rows, 0),
        padding=rows,
    )


def _append_values(x: Numbers, rows: int, value: int) -> Numbers:
    return torch.cat((x, x.new_full((rows,), value)))


def _append_lengths(segments: Segments, lengths: list[int]) -> Segments:
    return Segments.from_lengths((*segments.lengths, *lengths), segments.device)


def _append_chainless_sentences(chains: Chains, sentences: int) -> Chains:
    no_chains = chains.relevant.new_full((sentences, chains.relevant.shape[1]), chains.runs.runs)
    members = _append_lengths(chains.sentences, [0] * sentences)
    relevant, counts = torch.cat((chains.relevant, no_chains)), np.pad(chains.counts, (0, sentences))
    return replace(chains, relevant=relevant, sentences=members, counts=counts)
