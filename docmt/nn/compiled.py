"""What is compiled where that is asked for: parts of a model, which meet few shapes since batches are pad_batch.

The parts work on each row of a stream by itself: feed-forward layers, gates, and what stands around a sublayer, that is
dropout, residual connection and norm, twenty kernels of which a compiler makes one or two. Attention stays outside: it
has its kernels, and its plans are Python.

A part is compiled once for each kind and each number of rows, for all layers together: parameters and columns of noise
are inputs of what is compiled, and nothing in it may look at what tells one layer from another, such as a name.

Streams are pad_batch to whole multiples of a number of rows, by more instances, each of one sentence of `<pad>`. So
nothing that a model computes for other instances depends on the padding, and no loss is taken of it, since
`target_out` stays. No padding is longer than the longest sentence of its stream: positions, and attention to runs of
like lengths, meet nothing that they would not meet without it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, wraps
from typing import Any

import numpy as np
import torch

from docmt.base.vocabulary import PAD
from docmt.nn.noise import is_whole
from docmt.nn.segments import Segments
from docmt.nn.shapes import Numbers
from docmt.nn.streams import Batch, Chains, Layout, Stream

Backend = str | Callable[..., Any]
"""Of `torch.compile`, by name or itself."""


class _Compiler:
    backend: Backend | None = None


@contextmanager
def compile_parts(backend: Backend) -> Iterator[None]:
    """Within, token-wise parts are compiled, wherever they see whole streams."""
    before, _Compiler.backend = _Compiler.backend, backend
    try:
        yield
    finally:
        _Compiler.backend = before


def token_wise(part: Callable[..., Any]) -> Callable[..., Any]:
    """A method whose tensors have a row for each row of a stream, of which none depends on another."""

    @wraps(part)
    def run(*arguments: Any) -> Any:
        if _Compiler.backend is None or not is_whole():
            return part(*arguments)
        return _compiled(part, _Compiler.backend)(*arguments)

    return run


@cache
def _compiled(part: Callable[..., Any], backend: Backend) -> Callable[..., Any]:
    return torch.compile(part, fullgraph=True, dynamic=False, backend=backend)


def pad_batch(batch: Batch, quantum: int) -> Batch:
    """The batch with both input streams pad_batch to multiples of `quantum` rows; their number of runs stays equal."""
    source, target = batch.source, batch.target_in
    missing, targets = (-len(stream.tokens) % quantum for stream in (source, target))
    runs = _runs_for((missing, source), (targets, target))
    if missing < runs:
        # Target sentences may be empty; of a source some models look up the first symbol of each sentence.
        missing += quantum
        runs = _runs_for((missing, source), (targets, target))
    return replace(batch, source=_with_runs(source, missing, runs), target_in=_with_runs(target, targets, runs))


def _runs_for(*sides: tuple[int, Stream]) -> int:
    return max(-(-rows // stream.sentences.longest) for rows, stream in sides)


def _with_runs(stream: Stream, rows: int, runs: int) -> Stream:
    """With so many rows more, in runs of nearly equal length."""
    if not runs:
        return stream
    lengths = np.diff(np.arange(runs + 1) * rows // runs).tolist()
    return Stream(
        _longer(stream.tokens, rows, PAD),
        Layout(*(_followed(cut, lengths) for cut in (stream.sentences, stream.instances))),
        None if stream.chains is None else _chainless(stream.chains, runs),
        None if stream.keys is None else _longer(stream.keys, rows, 0),
        padding=rows,
    )


def _longer(x: Numbers, rows: int, value: int) -> Numbers:
    return torch.cat((x, x.new_full((rows,), value)))


def _followed(segments: Segments, lengths: list[int]) -> Segments:
    return Segments.from_lengths((*segments.lengths, *lengths), segments.device)


def _chainless(chains: Chains, sentences: int) -> Chains:
    """The same with more sentences, in which no chain has a member."""
    none = chains.relevant.new_full((sentences, chains.relevant.shape[1]), chains.runs.runs)
    members = _followed(chains.sentences, [0] * sentences)
    return replace(chains, relevant=torch.cat((chains.relevant, none)), sentences=members)
