"""Devices by their files, their driver and the build of torch; no card is needed."""

from dataclasses import replace
from pathlib import Path

import pytest

from docmt.grid.grid import Grid, load_grid
from docmt.preflight import devices
from docmt.preflight.devices import cards_in, check_devices, torch_build
from docmt.preflight.requests import Requests

DRIVER = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  {}  Wed\nGCC version: gcc 12\n"


HERE = Requests()
"""Jobs run on this machine."""


class Machine:
    """A machine with cards, a driver and a torch of a test."""

    def __init__(self, grid: Grid, root: Path, monkeypatch) -> None:
        self.grid, self.dev, self.driver, self.monkeypatch = grid, root / "dev", root / "version", monkeypatch
        self.dev.mkdir()
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)

    def has(self, cards: int = 0, torch: str = "2.13.0+cu130", driver: str | None = "580.95.05") -> "Machine":
        for name in ("nvidiactl", "nvidia-uvm", *(f"nvidia{number}" for number in range(cards))):
            (self.dev / name).touch()
        if driver is not None:
            self.driver.write_text(DRIVER.format(driver), encoding="utf-8")
        self.monkeypatch.setattr(devices, "installed_version", lambda name: torch)
        return self

    def told(self, device: str = "auto", requests: Requests = HERE) -> list[tuple[str, str]]:
        findings = check_devices(replace(self.grid, device=device), requests, self.dev, self.driver)
        return [(finding.level, finding.text) for finding in findings if finding.level != "fact"]


@pytest.fixture
def machine(small, monkeypatch) -> Machine:
    monkeypatch.chdir(small.root)
    return Machine(load_grid(Path()), small.root, monkeypatch)


def test_right_machines_have_no_findings(machine):
    assert machine.has(torch="2.13.0+cpu").told() == machine.told("cpu") == []
    assert machine.has(2).told() == machine.told("cuda") == []
    assert len(cards_in(machine.dev)) == 2


def test_cuda_without_a_card(machine):
    ((level, text),) = machine.has().told("cuda")
    assert level == "error" and text.startswith("config.yaml device: there is no GPU on this machine")


@pytest.mark.parametrize(("device", "level"), [("auto", "warning"), ("cuda", "error")])
def test_a_torch_for_processors_beside_a_card(device, level, machine):
    ((told, text),) = machine.has(1, torch="2.13.0+cpu").told(device)
    assert (
        told == level
        and "torch is built for processors alone\n  found 2.13.0+cpu\n  in docmt's clone: pip install" in text
    )


@pytest.mark.parametrize("value", ["", "-1", "none"])
def test_an_environment_that_hides_all_cards(value, machine, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", value)
    ((level, text),) = machine.has(1).told("cuda")
    assert level == "error" and text.startswith(
        f"CUDA_VISIBLE_DEVICES: the environment hides all cards\n  found {value!r}"
    )
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    assert machine.told("cuda") == []


def test_a_card_that_this_user_may_not_use(machine, monkeypatch):
    monkeypatch.setattr(devices.os, "access", lambda path, mode: False)
    ((level, text),) = machine.has(1).told()
    assert level == "warning" and text.startswith(f"{machine.dev}/nvidia0: no right to use a card\n  ask the admin")


def test_no_driver_and_an_old_one(machine):
    ((_, text),) = machine.has(1, driver=None).told()
    assert text.startswith(f"{machine.driver}: the driver of NVIDIA is not loaded")
    ((_, text),) = machine.has(1, driver="535.104.05").told()
    assert "older than the CUDA of torch needs\n  found 535.104; expected 580 or newer, for cuda 13" in text
    assert machine.has(1, torch="2.13.0+cu126").told() == []


@pytest.mark.parametrize(("device", "level"), [("auto", "warning"), ("cuda", "error")])
def test_jobs_of_a_cluster_that_ask_for_gpus_in_vain(device, level, machine):
    asked = Requests("slurm", (("train", {"threads": "1", "gpu": "1"}),))
    ((told, text),) = machine.has(torch="2.13.0+cpu").told(device, asked)
    assert told == level and "jobs ask for GPUs, and torch is built for processors alone" in text
    assert machine.told(device, Requests("slurm")) == machine.has().told(device, asked) == []


def test_what_torch_is_built_for(monkeypatch):
    for version, build in (("missing", "nothing"), ("2.13.0+cpu", "cpu"), ("2.13.0+cu126", "cuda 12")):
        monkeypatch.setattr(devices, "installed_version", lambda name, version=version: version)
        assert torch_build() == build
    monkeypatch.setattr(devices, "installed_version", lambda name: "2.13.0")
    for needed, build in (
        ("nvidia-cuda-runtime-cu12==12.6.77", "cuda 12"),
        ("nvidia-cuda-runtime==13.0.48", "cuda 13"),
    ):
        monkeypatch.setattr(devices.metadata, "requires", lambda name, needed=needed: ["sympy", needed])
        assert torch_build() == build
    monkeypatch.setattr(devices.metadata, "requires", lambda name: None)
    assert torch_build() == "cuda"
