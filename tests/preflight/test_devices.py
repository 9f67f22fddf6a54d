"""What torch says of the cards of this machine, and jobs that ask a cluster for GPUs in vain."""

import pytest
import torch
from helpers.preflights import run_of, said

from docmt.base import gpus
from docmt.nn import device as nn_device
from docmt.preflight import devices
from docmt.preflight.devices import check_devices
from docmt.preflight.slurm import Requests

LEVELS = [("auto", "warning"), ("cuda", "error")]


@pytest.fixture(autouse=True)
def project(small, monkeypatch):
    monkeypatch.chdir(small.root)


@pytest.mark.parametrize(("device", "level"), LEVELS)
def test_cards_that_torch_cannot_use_are_told_in_its_words(device, level, monkeypatch):
    def told(cards: int, reason: str, device: str = device) -> list[tuple[str, str]]:
        monkeypatch.setattr(devices, "count_device_files", lambda: cards)
        monkeypatch.setattr(torch.cuda, "is_available", lambda: not reason)
        monkeypatch.setattr(nn_device, "reason_without_cuda", lambda: (reason, "mend it"))
        return said(check_devices(run_of(device=device), Requests()))

    ((stated, text),) = told(1, "an old driver")
    assert stated == level and text == (
        "config.yaml device: torch can use no GPU here\n  found an old driver\n  mend it, or set device: cpu"
    )
    assert told(2, "") == told(1, "an old driver", "cpu") == []
    assert len(told(0, "no card")) == (device == "cuda")


@pytest.mark.parametrize(("device", "level"), LEVELS)
def test_jobs_of_a_cluster_that_ask_for_gpus_in_vain(device, level, monkeypatch):
    requests = Requests("slurm", ({"rule": "train", "threads": 1, "gpu": 1},))
    for version, expected in (("2.13.0+cpu", [level]), ("2.13.0+cu130", [])):
        monkeypatch.setattr(gpus, "installed_version", lambda name, version=version: version)
        findings = said(check_devices(run_of(device=device), requests))
        assert [stated for stated, _ in findings] == expected
        assert all("jobs ask for GPUs, and this torch is built without CUDA" in text for _, text in findings)
        assert said(check_devices(run_of(device=device), Requests("slurm"))) == []
