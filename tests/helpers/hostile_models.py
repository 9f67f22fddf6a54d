"""Ways in which somebody makes the files of a model so that they harm whoever opens them."""

import json
import os
import pickle
import struct
import zipfile
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from resource import RLIMIT_AS, getrlimit, setrlimit

import pyarrow as pa
import torch
from helpers.sealed import write_manifest
from safetensors.torch import load_file, save_file

from docmt.base.digests import sha256_file
from docmt.base.tables import write_arrow
from docmt.scoring.alignment.model import LINKS

Attack = Callable[[Path], object]
SAFE, PICKLED, BEST = "model.safetensors", "pytorch_model.bin", "best.pt"
MEMORY_BYTES = 1 << 31
"""The memory that a process may take beyond what it has: more than any of these files needs."""


@contextmanager
def little_memory() -> Iterator[None]:
    """Whatever the block allocates beyond MEMORY_BYTES fails."""
    limits = getrlimit(RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    setrlimit(RLIMIT_AS, (pages * os.sysconf("SC_PAGE_SIZE") + MEMORY_BYTES, limits[1]))
    try:
        yield
    finally:
        setrlimit(RLIMIT_AS, limits)


def text(file: str, change: Callable[[str], str]) -> Attack:
    def attack(folder: Path) -> None:
        (folder / file).write_text(change((folder / file).read_text(encoding="utf-8")), encoding="utf-8")

    return attack


def field(file: str, place: str, value: object) -> Attack:
    """Set a value of a JSON file, by the keys that lead to it, or its number in a list."""

    def attack(folder: Path) -> None:
        content = json.loads((folder / file).read_text(encoding="utf-8"))
        *keys, last = (int(key) if key.isdecimal() else key for key in place.split("/"))
        part = content
        for key in keys:
            part = part[key]
        part[last] = value
        (folder / file).write_text(json.dumps(content), encoding="utf-8")

    return attack


def pipe(file: str) -> Attack:
    """A pipe, of which no reader sees the end."""

    def attack(folder: Path) -> None:
        (folder / file).unlink(missing_ok=True)
        os.mkfifo(folder / file)

    return attack


def link(file: str, target: str) -> Attack:
    def attack(folder: Path) -> None:
        (folder / file).unlink(missing_ok=True)
        (folder / file).symlink_to(target)

    return attack


def weights(change: Callable[[dict[str, torch.Tensor]], object], file: str = SAFE) -> Attack:
    """Change the tensors of a file of safetensors."""

    def attack(folder: Path) -> None:
        tensors = {name: tensor.clone() for name, tensor in load_file(folder / file).items()}
        change(tensors)
        save_file(tensors, folder / file)

    return attack


def pickled(change: Callable[[dict], object], file: str = PICKLED, part: str | None = None) -> Attack:
    """Change the tensors of a pickle, or those of its entry `part`."""

    def attack(folder: Path) -> None:
        content = torch.load(folder / file, weights_only=False)
        change(content if part is None else content[part])
        torch.save(content, folder / file)

    return attack


def opcodes(code: bytes, file: str = PICKLED) -> Attack:
    """Put another program for the machine of pickles into the file."""
    return archive(lambda name, data: b"\x80\x02" + code + b"." if name.endswith("data.pkl") else data, file=file)


def archive(
    change: Callable[[str, bytes], bytes], compression: int = zipfile.ZIP_STORED, file: str = PICKLED
) -> Attack:
    """Write the members of a pickle's archive again."""

    def attack(folder: Path) -> None:
        with zipfile.ZipFile(folder / file) as whole:
            members = {name: change(name, whole.read(name)) for name in whole.namelist()}
        with zipfile.ZipFile(folder / file, "w", compression) as changed:
            for name, data in members.items():
                changed.writestr(name, data)

    return attack


def tensors_in_header(tensors: Iterable[tuple[str, object]], length: int | None = None) -> Attack:
    """Write a file of safetensors by what its header says of tensors, whose length may be stated otherwise."""

    def attack(folder: Path) -> None:
        written = json.dumps(dict(tensors)).encode()
        (folder / SAFE).write_bytes(struct.pack("<Q", length or len(written)) + written + bytes(64))

    return attack


def first(tensors: dict[str, torch.Tensor], ending: str) -> str:
    return next(name for name in tensors if name.endswith(ending))


def cast(ending: str, dtype: torch.dtype) -> Callable[[dict], None]:
    """Give the first tensor with this ending of its name numbers of another type."""

    def change(tensors: dict[str, torch.Tensor]) -> None:
        tensors[first(tensors, ending)] = tensors[first(tensors, ending)].to(dtype)

    return change


def put(ending: str, value: float, dtype: torch.dtype | None = None) -> Callable[[dict], None]:
    """Set the last number of the first tensor with this ending of its name."""

    def change(tensors: dict[str, torch.Tensor]) -> None:
        name = first(tensors, ending)
        tensors[name] = tensors[name].to(dtype or tensors[name].dtype)
        tensors[name].view(-1)[-1] = value

    return change


def expand(ending: str) -> Callable[[dict], None]:
    """Let a tensor have one number 2^38 times."""

    def change(tensors: dict[str, torch.Tensor]) -> None:
        tensors[first(tensors, ending)] = torch.ones(1).expand(2**38)

    return change


def many_views(tensors: dict[str, torch.Tensor]) -> None:
    """Let thousands of tensors be parts of one, as large as the file together with a few of them."""
    whole = torch.zeros(2**20)
    tensors.update({f"part{number}": whole[number:] for number in range(1024)})


def listed(attack: Attack, *files: str) -> Attack:
    """The attack with a right manifest, which the same person may write."""

    def whole(folder: Path) -> None:
        attack(folder)
        write_manifest(folder, *files)

    return whole


def nested_tuples(depth: int) -> bytes:
    """Opcodes of a dictionary whose key is a tuple that has one tuple twice, and so on."""
    return b"}(" + b")" + b"q\x00h\x00\x86" * depth + b"K\x01u"


def called(function: str, *arguments: object) -> bytes:
    """Opcodes of a dictionary with a value that a function returns."""
    values = b"".join(pickle.dumps(argument, 2)[2:-1] for argument in arguments)
    return b"}(X\x01\x00\x00\x00ac" + function.encode().replace(b" ", b"\n") + b"\n(" + values + b"tRu"


def nested_lists(depth: int) -> list:
    """A list that holds one list twice, and so on: its text has no end."""
    value: list = []
    for _ in range(depth):
        value = [value, value]
    return value


def again(line: int) -> Callable[[str], str]:
    """Write a line of a text a second time, at its end."""
    return lambda content: content + content.split("\n")[line] + "\n"


def argument(name: str, value: object) -> Attack:
    """Set an argument of a fairseq training."""

    def attack(folder: Path) -> None:
        content = torch.load(folder / BEST, weights_only=False)
        content["args"] = Namespace(**{**vars(content["args"]), name: value})
        torch.save(content, folder / BEST)

    return attack


def lexicon(**columns: list) -> Attack:
    """Write other columns of the table of an aligner."""

    def attack(folder: Path) -> None:
        write_arrow(folder / "lexicon.arrow", pa.table(columns, schema=LINKS))

    return attack


def state_of(**payload: object) -> Attack:
    """Write a checkpoint of a training with other facts, and a name that says its digest."""

    def attack(folder: Path) -> None:
        (file,) = folder.glob("checkpoint-*.pt")
        torch.save({**torch.load(file), **payload}, file)
        file.rename(file.with_name(f"{file.stem.rpartition('-')[0]}-{sha256_file(file)[:16]}.pt"))

    return attack


def zeros(name: str, data: bytes) -> bytes:
    """A storage of 64 MB, which is 64 kB in the archive."""
    return bytes(1 << 26) if name.endswith("data/0") else data


def tokenizer(change: Callable[[dict], object]) -> Attack:
    """Change the part `model` of a tokenizer.json."""

    def attack(folder: Path) -> None:
        content = json.loads((folder / "tokenizer.json").read_text())
        change(content["model"])
        (folder / "tokenizer.json").write_text(json.dumps(content))

    return attack
