"""Weights that anybody may have written: files of safetensors and pickles, read as data and checked.

A pickle is a program for a machine that builds objects. Torch lets it build plain objects only (`weights_only`), but
such objects may still be larger than any memory, or take years. So a pickle is looked through before torch builds it,
and its storages are mapped from the file, so that they cannot be larger than the file.
"""

import io
import pickletools
import re
import warnings
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file

from docmt.base.errors import UserError
from docmt.base.foreign import MEND, need_file, reading
from docmt.base.manifest import check_file

FLOATS = (torch.float32, torch.float16, torch.bfloat16)  # The types of the numbers of weights
NO_WEIGHT = re.compile(r"(.*\.)?(position_ids|token_type_ids|num_batches_tracked|dropout_fill)")
"""The names of tensors that checkpoints have among their weights, and that are none: counters and constants."""

PLAIN = "tensors by name and nothing else"  # The expected content of a pickle, as messages state it
ZIP = b"PK\x03\x04"  # The first bytes of a pickle with its storages in a zip archive, the form since torch 1.6
MOST_BYTES = 8_000_000
"""The largest size of the names and shapes of a file's tensors: those of some 30,000 tensors, or of 100,000 where they
are not a pickle. A file of more takes longer to read than anybody waits."""
LEGACY_PICKLES = 5  # The number of pickles at the beginning of a file of the earlier form
COSTLY = ("_codecs encode", "builtins bytearray", "__builtin__ bytearray")
"""Functions that torch lets a pickle call, and that take much time or memory by a few bytes of the pickle."""
MOST_NESTED = 1_000_000
"""The largest number of items of a tuple, with those of the tuples in it. A tuple that holds the same tuple twice, and
so on, soon has more items than can be counted when it is the key of a dictionary."""


def read_tensors(path: Path) -> dict[str, torch.Tensor]:
    """Read a safetensors file.

    Raises UserError where it is missing, damaged or of another format, and for a weight that is none (`check_weights`).
    """
    with reading(path, "not a safetensors file, or a damaged one"):
        need_file(path)
        check_file(path)
        with path.open("rb") as stream:
            if int.from_bytes(stream.read(8), "little") > MOST_BYTES:
                raise ValueError("too many tensors, or a wrong header")
        weights = load_file(path)
    check_weights(weights, path)
    return weights


def read_pickle(path: Path, part: str | None = None, remedy: str = MEND) -> dict[str, torch.Tensor]:
    """Read a pickle of weights, or the weights that it has as its entry `part`.

    Raises UserError where it is missing, damaged or would run code, with the `remedy`, where it holds anything but
    tensors, and for a weight that is none.
    """
    with reading(path, "refused: a pickle of weights that is damaged, or would run code", PLAIN, remedy):
        check_file(path)
        weights = load_plain(path)
        weights = weights if part is None else weights[part]
    if defect := defect_in(weights):
        raise UserError("not weights by name", where=str(path), found=defect, expected=PLAIN, remedy=MEND)
    check_weights(weights, path)
    return weights


def load_plain(path: Path, allowed: Sequence[type] = (), is_mapped: bool = True) -> Any:
    """Return the content of a pickle: tensors, plain values, objects of the `allowed` classes.

    No other code of docmt calls torch.load. Other content raises any kind of error. With `is_mapped`, the numbers of
    tensors stay in the file, which must not be removed from another machine.
    """
    need_file(path)
    with path.open("rb") as stream:
        begin = stream.read(MOST_BYTES)
        is_zip = begin.startswith(ZIP)  # as torch itself distinguishes the forms
        for pickle in _zipped_pickles(stream) if is_zip else [io.BytesIO(begin)] * LEGACY_PICKLES:
            _check_costs(pickle)
    # Torch's warnings are suppressed, since callers check the content themselves.
    with warnings.catch_warnings(), torch.serialization.safe_globals(list(allowed)):
        warnings.simplefilter("ignore")
        return torch.load(path, map_location="cpu", weights_only=True, mmap=is_zip and is_mapped)


def _zipped_pickles(stream: io.BufferedIOBase) -> Iterator[io.BytesIO]:
    with zipfile.ZipFile(stream) as archive:
        # torch compresses no member.
        if any(member.compress_type != zipfile.ZIP_STORED for member in archive.infolist()):
            raise ValueError("compressed members")
        for member in archive.infolist():
            if member.filename.endswith("data.pkl"):
                if member.file_size > MOST_BYTES:
                    raise ValueError("too many tensors")
                yield io.BytesIO(archive.read(member))


def _check_costs(pickle: io.BytesIO) -> None:
    """Raise ValueError for a pickle that calls a function of COSTLY, or has a tuple of more than MOST_NESTED items."""
    sizes: list[int] = []  # of the tuples on the machine's stack; 0 for other objects
    marks: list[int] = []
    memo: dict[int, int] = {}
    for code, argument, _ in pickletools.genops(pickle):
        if code.name == "GLOBAL" and argument in COSTLY:
            raise ValueError(f"GLOBAL {argument.replace(' ', '.')}")
        if code.name == "MARK":
            marks.append(len(sizes))
            continue
        before, after = list(code.stack_before), len(code.stack_after)
        if pickletools.markobject in before:
            start, after = marks.pop(), after - before.index(pickletools.markobject)
        else:
            start = len(sizes) - len(before)
        size = len(sizes) - start + sum(sizes[start:]) if code.name.startswith("TUPLE") else 0
        if "GET" in code.name:
            size = memo[argument]
        if size > MOST_NESTED:
            raise ValueError("tuples in tuples, without end")
        sizes[start:] = [size] * after
        if "PUT" in code.name:
            memo[argument] = sizes[-1]


def defect_in(weights: Any) -> str | None:
    """Return a description of the defect of `weights`, which should be tensors by name; None where there is none."""
    # A damaged pickle may give other objects, or tensors without values.
    named = isinstance(weights, dict) and all(isinstance(name, str) for name in weights)
    if not named or not all(isinstance(tensor, torch.Tensor) for tensor in weights.values()):
        return type(weights).__name__
    return next((f"{name} is none" for name, tensor in weights.items() if not is_plain(tensor)), None)


def is_plain(tensor: torch.Tensor) -> bool:
    """Return whether all values of the tensor are in memory."""
    return tensor.device.type == "cpu" and tensor.layout is torch.strided and not tensor.is_quantized


def check_weights(weights: Mapping[str, torch.Tensor], path: Path) -> None:
    """Raise UserError unless all weights of the file `path` are finite numbers of the types FLOATS."""
    # Weights that are larger than their file are refused too: a tensor of a pickle may have each of its numbers many
    # times.
    views = {(t.data_ptr(), t.shape, t.stride(), t.dtype): t.nbytes for t in weights.values()}
    if sum(views.values()) > (size := path.stat().st_size):
        actual, expected = f"{sum(views.values()):,} bytes of weights", f"at most {size:,}, the size of the file"
        what = "weights that are larger than their file"
        raise UserError(what, where=str(path), found=actual, expected=expected, remedy=MEND)
    for name, tensor in weights.items():
        if NO_WEIGHT.fullmatch(name):
            continue
        if tensor.dtype not in FLOATS:
            actual, expected = _name(tensor.dtype), " or ".join(map(_name, FLOATS))
            raise UserError("not a weight", where=f"{path} {name}", found=actual, expected=expected, remedy=MEND)
        # One pass without a copy: the least and the largest number are finite where all are.
        if tensor.numel() and not all(number.isfinite() for number in torch.aminmax(tensor)):
            remedy = "take other weights: a training that diverged leaves such, and so does damage"
            raise UserError("a weight that is no finite number", where=f"{path} {name}", remedy=remedy)


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
