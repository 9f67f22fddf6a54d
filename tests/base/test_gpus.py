"""Which GPUs a process may use, by nvidia-smi, by files of devices, and by CUDA_VISIBLE_DEVICES."""

from pathlib import Path

import pytest
from helpers.planted_gpus import listing, plant_gpus, uuid_of, write_program

from docmt.base import gpus
from docmt.base.gpus import Gpu, gpus_of_machine, visible_gpus

FIRST, SECOND, THIRD = map(uuid_of, range(3))
MIG = (
    listing(1)
    + "  MIG 1g.10gb     Device  0: (UUID: MIG-aaaa-1)\n"
    + "  MIG 2g.20gb     Device  1: (UUID: MIG-bbbb-2)\n"
    + f"GPU 1: NVIDIA A100 (UUID: {SECOND})\n"
)


@pytest.fixture
def three(tmp_path, monkeypatch) -> None:
    """A machine with three GPUs."""
    plant_gpus(tmp_path, 3, monkeypatch)


@pytest.fixture
def mig(tmp_path, monkeypatch) -> None:
    """A machine with a GPU in two parts, and a whole one."""
    plant_gpus(tmp_path, 1, monkeypatch)
    write_program(tmp_path / "bin/nvidia-smi", f"cat <<'end'\n{MIG}end\n")


def test_without_a_limit_a_process_may_use_all(three):
    assert visible_gpus({}) == [Gpu("0", FIRST), Gpu("1", SECOND), Gpu("2", THIRD)]


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        ("2,0", [("2", THIRD), ("0", FIRST)]),
        (" 1 , 2", [("1", SECOND), ("2", THIRD)]),
        (SECOND, [(SECOND, SECOND)]),
        ("GPU-12,0", [("GPU-12", THIRD), ("0", FIRST)]),
        ("", []),
        ("-1", []),
        ("NoDevFiles", []),
    ],
)
def test_a_limit_names_gpus(three, limit, expected):
    assert visible_gpus({"CUDA_VISIBLE_DEVICES": limit}) == [Gpu(*gpu) for gpu in expected]


def test_parts_of_a_gpu_count_as_gpus(mig):
    assert [gpu.name for gpu in visible_gpus({})] == ["MIG-aaaa-1", "MIG-bbbb-2", "1"]


@pytest.mark.parametrize("name", ["MIG-aaaa-1", "MIG-aa"])
def test_a_part_is_known_by_the_start_of_its_name(mig, name):
    assert visible_gpus({"CUDA_VISIBLE_DEVICES": name}) == [Gpu(name, "MIG-aaaa-1")]


@pytest.mark.parametrize("program", ["exit 9\n", "echo No devices were found\n", None])
def test_without_the_word_of_nvidia_smi_files_of_devices_are_counted(tmp_path: Path, monkeypatch, program):
    plant_gpus(tmp_path, 0, monkeypatch)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "bin/nvidia-smi").unlink()
    if program:
        write_program(tmp_path / "bin/nvidia-smi", program)
    devices = tmp_path / "dev"
    devices.mkdir()
    for name in ("nvidia0", "nvidia3", "nvidiactl", "nvidia-uvm"):
        (devices / name).touch()
    assert gpus_of_machine(devices) == [Gpu("0", "0"), Gpu("1", "1")]
    assert visible_gpus({"CUDA_VISIBLE_DEVICES": "1,GPU-x"}, devices) == [Gpu("1", "1"), Gpu("GPU-x", "GPU-x")]
    assert visible_gpus({"CUDA_VISIBLE_DEVICES": "0"}, tmp_path) == []


def test_a_torch_for_cpus_has_no_gpu(three, monkeypatch):
    monkeypatch.setattr(gpus, "installed_version", lambda name: "2.13.0+cpu")
    assert visible_gpus({}) == visible_gpus({"CUDA_VISIBLE_DEVICES": "0"}) == []
