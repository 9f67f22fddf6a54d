"""Pickles that are cut or have other bytes: they give tensors, or one message with the file's name; nothing else."""

import io
import random
import warnings
from pathlib import Path

import pytest
import torch
from helpers.fairseq_files import FairseqTraining

from docmt.base.errors import UserError
from docmt.models.fairseq import import_model, numberings
from docmt.models.fairseq import read_checkpoint as read_fairseq
from docmt.models.fairseq_settings import read_dictionary
from docmt.models.store import read_checkpoint


def damaged(whole: bytes, draw: random.Random) -> bytes:
    """Cut, some bytes changed (half of them near the beginning, where most of what is no tensor stands), or both."""
    data, kind = bytearray(whole), draw.randrange(4)
    for _ in range(draw.choice((1, 1, 2, 8)) if kind else 0):
        data[draw.randrange(len(data) if draw.random() < 0.5 else min(len(data), 9000))] = draw.randrange(256)
    return bytes(data[: draw.randrange(len(data))] if kind in (0, 3) else data)


def weights(folder: Path, zipped: bool) -> tuple[Path, bytes]:
    tensors = {f"encoder.layers.{number}.fc1.weight": torch.full((3, 4), float(number)) for number in range(6)}
    stream = io.BytesIO()
    torch.save(tensors, stream, _use_new_zipfile_serialization=zipped)
    return folder / "pytorch_model.bin", stream.getvalue()


def check_weights(file: Path) -> None:
    checkpoint = read_checkpoint(file.parent)
    assert all(isinstance(name, str) and tensor.isfinite().shape == tensor.shape for name, tensor in checkpoint.items())


def fairseq(folder: Path, zipped: bool) -> tuple[Path, bytes]:
    files = FairseqTraining(folder, {}, zipped=zipped)
    return files.checkpoint, files.checkpoint.read_bytes()


def check_fairseq(file: Path) -> None:
    pieces, checkpoint = read_dictionary(file.with_name("dict.txt")), read_fairseq(file)
    import_model(checkpoint, *numberings(checkpoint, pieces, pieces))


KINDS = {"weights": (weights, check_weights), "fairseq": (fairseq, check_fairseq)}


def try_all(folder: Path, kind: str, zipped: bool, count: int, seed: int) -> tuple[int, int]:
    """How many are read, and refused."""
    make, check = KINDS[kind]
    file, whole = make(folder, zipped)
    draw, refused = random.Random(seed), 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a warning on the screen would be a second message
        for _ in range(count):
            file.write_bytes(damaged(whole, draw))
            try:
                check(file)
            except UserError as problem:
                assert str(problem).startswith(str(file)) and "\n" in str(problem)
                refused += 1
        file.write_bytes(whole)
        check(file)
    return count - refused, refused


@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_some_damaged_pickles(tmp_path, kind, zipped):
    read, refused = try_all(tmp_path, kind, zipped, 40, seed=1)
    assert refused > read


@pytest.mark.slow
@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_750_damaged_pickles(tmp_path, kind, zipped):
    read, refused = try_all(tmp_path, kind, zipped, 750, seed=2)
    assert read and refused > read
