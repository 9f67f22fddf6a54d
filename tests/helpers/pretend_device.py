"""A device that computes on the CPU, and that counts what would make a host wait for a GPU.

Its tensors call themselves tensors of the device `meta`, but have values. The host can reach these values by the
operations in `READS` only, which are counted, as are copies to the device for which the host waits.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from docmt.nn.noise import columns

DEVICE, CPU = torch.device("meta"), torch.device("cpu")
READ, UPLOAD = "read", "upload that the host waits for"
aten = torch.ops.aten
READS = {
    aten._local_scalar_dense,
    aten.equal,
    aten.nonzero,
    aten.masked_select,
    aten._unique,
    aten._unique2,
    aten.unique_consecutive,
    aten.unique_dim,
    aten.bincount,
    aten.histc,
}
"""Operations whose result the host needs, or needs the size of."""


class PretendTensor(torch.Tensor):
    """A tensor of the pretended device; `values` has its values on the CPU."""

    @staticmethod
    def __new__(cls, values: torch.Tensor) -> "PretendTensor":
        # A tensor that has no storage of its own, but size and type.
        tensor = torch.Tensor._make_wrapper_subclass(
            cls, values.shape, strides=values.stride(), dtype=values.dtype, device=DEVICE
        )
        tensor.values = values
        return tensor

    def tolist(self) -> Any:
        return self.cpu().tolist()

    @classmethod
    def __torch_dispatch__(cls, operation, types, arguments=(), named=None):
        raise RuntimeError(f"{operation} outside of the block of `pretended_device`")


class _Uploads(TorchFunctionMode):
    """Makes tensors from lists of numbers: torch would give them no values."""

    def __init__(self, counts: Counter) -> None:
        super().__init__()
        self.counts = counts

    def __torch_function__(self, function, types, arguments=(), named=None):
        named = dict(named or {})
        if function not in (torch.tensor, torch.as_tensor) or torch.device(named.get("device") or CPU) != DEVICE:
            return function(*arguments, **named)
        self.counts[UPLOAD] += 1
        values = function(*arguments, **named | {"device": CPU})
        return values.to(DEVICE, non_blocking=True)


class _Computing(TorchDispatchMode):
    """Computes on the values of pretended tensors."""

    def __init__(self, counts: Counter) -> None:
        super().__init__()
        self.counts = counts

    def __torch_dispatch__(self, operation, types, arguments=(), named=None):
        named = dict(named or {})
        from_device = to_device = any(_is_pretended(value) for value in (*arguments, *named.values()))
        if named.get("device") is not None:
            to_device = torch.device(named["device"]) == DEVICE
            named["device"] = CPU
        self._count(operation, arguments, named, from_device, to_device)
        result = operation(*map(_values, arguments), **{name: _values(value) for name, value in named.items()})
        return _pretended(result) if to_device else result

    def _count(self, operation, arguments, named, from_device: bool, to_device: bool) -> None:
        kind = operation.overloadpacket
        if kind is aten._to_copy and to_device and not from_device:
            self.counts[UPLOAD] += not named.get("non_blocking", False)
        elif from_device and (not to_device or kind in READS or _size_depends_on_values(kind, arguments, named)):
            self.counts[READ] += 1


def _is_pretended(value: Any) -> bool:
    return isinstance(value, PretendTensor) or (isinstance(value, list | tuple) and any(map(_is_pretended, value)))


def _values(value: Any) -> Any:
    """What the operation of the CPU gets: tensors stand alone or in lists."""
    if isinstance(value, PretendTensor):
        return value.values
    return type(value)(map(_values, value)) if isinstance(value, list | tuple) else value


def _pretended(result: Any) -> Any:
    if isinstance(result, torch.Tensor):
        return PretendTensor(result)
    return type(result)(map(_pretended, result)) if isinstance(result, list | tuple) else result


def _size_depends_on_values(kind, arguments: tuple, named: dict) -> bool:
    """Whether an operation reads values in some of its forms: by a mask, by lengths, or to check lengths."""
    if kind in (aten.index, aten.index_put, aten.index_put_):
        return any(index is not None and index.dtype == torch.bool for index in arguments[1])
    if kind is aten.repeat_interleave:
        return named.get("output_size") is None
    return kind is aten.segment_reduce and not named.get("unsafe", False)


@contextmanager
def pretended_device() -> Iterator[Counter]:
    """Yield the counts, by `READ` and `UPLOAD`, of what the host waited for in the block so far."""
    counts: Counter = Counter()
    # Tensors of the real device `meta` must not get in, nor pretended ones out.
    columns.cache_clear()
    try:
        with _Uploads(counts), _Computing(counts):
            yield counts
    finally:
        columns.cache_clear()


def without_inference_mode(function: Callable) -> Callable:
    """What `function` is without its decorator: there are no pretended tensors in inference mode."""
    return torch.no_grad()(function.__wrapped__)


def move(model: nn.Module) -> nn.Module:
    """Move a model; parameters that modules share stay shared, as on a real device."""
    moved: dict[int, nn.Parameter] = {}
    for module in model.modules():
        for name, parameter in module._parameters.items():
            if parameter is not None:
                there = moved.setdefault(id(parameter), nn.Parameter(PretendTensor(parameter.detach())))
                module._parameters[name] = there
        for name, buffer in module._buffers.items():
            module._buffers[name] = None if buffer is None else PretendTensor(buffer)
    return model
