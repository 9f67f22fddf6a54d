import ctypes
import platform

import pytest
import torch

from docmt.base.errors import UserError
from docmt.nn import device
from docmt.nn.device import choose_device, keep_freed_memory


def test_auto_is_the_gpu_where_there_is_one(monkeypatch):
    for available, expected in ((True, "cuda"), (False, "cpu")):
        monkeypatch.setattr(torch.cuda, "is_available", lambda available=available: available)
        assert choose_device("auto") == torch.device(expected)


def test_a_gpu_that_is_not_there_is_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(UserError, match="--device: torch can use no GPU here"):
        choose_device("cuda")


class TooOld:
    """A card whose driver is too old for torch."""

    @staticmethod
    def init() -> None:
        raise RuntimeError("The NVIDIA driver on your system is too old (found version 11040).")


@pytest.mark.parametrize(
    ("cuda", "driver", "visible", "expected"),
    [
        (None, True, None, "built without CUDA, on a machine with an NVIDIA driver"),
        (None, False, None, "built without CUDA, and no NVIDIA driver"),
        ("12.8", True, "", "CUDA_VISIBLE_DEVICES='', which hides all cards"),
        ("12.8", False, None, "no NVIDIA driver, so no card"),
        ("12.8", True, "0,1", "driver on your system is too old (found version 11040)"),
    ],
)
def test_a_refusal_says_why_there_is_no_gpu(cuda, driver, visible, expected, monkeypatch, tmp_path):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.cuda, "init", TooOld.init)
    monkeypatch.setattr(torch.version, "cuda", cuda)
    monkeypatch.setattr(torch.version, "hip", None)
    monkeypatch.setattr(device, "DRIVER", tmp_path if driver else tmp_path / "none")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    with pytest.raises(UserError) as problem:
        choose_device("cuda")
    assert expected in str(problem.value) and "--device cpu, or auto" in str(problem.value)


def test_freed_memory_is_kept_where_the_system_can(monkeypatch):
    assert keep_freed_memory() is (platform.libc_ver()[0] == "glibc")
    monkeypatch.setattr(ctypes, "CDLL", lambda _: object())
    assert keep_freed_memory() is False
