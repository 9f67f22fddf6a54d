"""Which finished trainings price another one, and what is assumed without them."""

from dataclasses import replace
from pathlib import Path

import pytest
from helpers.small_grid import STUDY, entry

from docmt.base import gpus
from docmt.estimates import rates
from docmt.estimates.rates import ASSUMED, Rates, TrainingRate, assumed, device_of, has_gpu

RATE = TrainingRate(7e10, "cpu", "fp32", 64, "A chip")


@pytest.fixture
def system(small):
    """A system of width 64."""
    return entry(small, "sentence").system


def test_the_median_of_trainings_like_it_is_the_rate(system):
    measured = [replace(RATE, speed=speed) for speed in (1e10, 5e10, 6e10)]
    rate = Rates(measured, "cpu").of(system)
    assert (rate.speed, rate.basis) == (5e10, "measured on A chip: 3 trainings")


@pytest.mark.parametrize("other", [{"device": "cuda"}, {"precision": "bf16"}, {"width": 129}, {"width": 31}])
def test_trainings_of_another_kind_price_nothing(system, other):
    rate = Rates([replace(RATE, **other)], "cpu").of(system)
    assert rate == Rates([], "cpu").of(system)
    assert rate.basis == "assumed 0.045 TFLOP/s for a CPU core at width 64"


def test_models_up_to_twice_as_wide_or_as_narrow_are_alike(system):
    for width in (32, 128):
        assert Rates([replace(RATE, width=width)], "cpu").of(system).speed == RATE.speed


def test_machines_are_not_mixed(system, monkeypatch):
    measured = [RATE, replace(RATE, hardware="B chip", speed=1e10), replace(RATE, hardware="B chip", speed=3e10)]
    assert Rates(measured, "cpu").of(system).basis == "measured on B chip: 2 trainings"
    monkeypatch.setattr(rates, "processor", lambda: "A chip")
    assert Rates(measured, "cpu").of(system).basis == "measured on A chip: 1 training"


def test_wider_models_are_assumed_to_compute_no_slower(small):
    for device, table in ASSUMED.items():
        speeds = [assumed(device, width) for width in (8, 32, 60, 128, 300, 512, 1024)]
        assert speeds == sorted(speeds)
        assert [assumed(device, width) for width in table] == pytest.approx([*table.values()])
    small.edit(STUDY, "systems/sentence/model", {"width": 512})
    basis = Rates([], "cuda").of(entry(small, "sentence").system).basis
    assert basis == "assumed 20 TFLOP/s for a GPU at width 512"


@pytest.mark.parametrize(
    ("setting", "gpu", "scheduler", "device"),
    [
        ("cpu", True, "/bin/sbatch", "cpu"),
        ("cuda", False, None, "cuda"),
        ("auto", False, None, "cpu"),
        ("auto", True, None, "cuda"),
        ("auto", False, "/bin/sbatch", "cuda"),
    ],
)
def test_the_setting_the_machine_and_its_scheduler_decide_the_device(monkeypatch, setting, gpu, scheduler, device):
    monkeypatch.setattr(rates, "has_gpu", lambda: gpu)
    monkeypatch.setattr(rates, "which", lambda program: scheduler)
    assert device_of(setting) == device


def test_a_gpu_counts_where_torch_can_use_it(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(gpus, "installed_version", lambda name: "2.13.0+cu130")
    (tmp_path / "nvidiactl").touch()
    assert not has_gpu(tmp_path)
    (tmp_path / "nvidia0").touch()
    assert has_gpu(tmp_path)
    monkeypatch.setattr(gpus, "installed_version", lambda name: "2.13.0+cpu")
    assert not has_gpu(tmp_path)
