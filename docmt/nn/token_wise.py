"""Parts of a model that work on each row of a stream by itself, and are compiled where that is asked for.

These are feed-forward layers, gates, and what stands around a sublayer: dropout, residual connection and norm, twenty
kernels of which a compiler makes one or two. Attention stays outside: it has its kernels, and its plans are Python.

A part is compiled once for each kind and each number of rows, for all layers together: parameters and columns of noise
are inputs of what is compiled, and nothing in it may look at what tells one layer from another, such as a name.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from typing import Any

import torch

from docmt.nn.noise import is_whole

Backend = str | Callable[..., Any]
"""Of `torch.compile`, by name or itself."""


class _Compiler:
    backend: Backend | None = None


@contextmanager
def compiled_by(backend: Backend) -> Iterator[None]:
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
