import ctypes
import platform

import pytest
import torch

from docmt.base.errors import UserError
from docmt.nn.device import choose_device, keep_freed_memory


def test_auto_is_the_gpu_where_there_is_one(monkeypatch):
    for available, expected in ((True, "cuda"), (False, "cpu")):
        monkeypatch.setattr(torch.cuda, "is_available", lambda available=available: available)
        assert choose_device("auto") == torch.device(expected)


def test_a_gpu_that_is_not_there_is_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(UserError, match="--device: no CUDA device"):
        choose_device("cuda")


def test_freed_memory_is_kept_where_the_system_can(monkeypatch):
    assert keep_freed_memory() is (platform.libc_ver()[0] == "glibc")
    monkeypatch.setattr(ctypes, "CDLL", lambda _: object())
    assert keep_freed_memory() is False
