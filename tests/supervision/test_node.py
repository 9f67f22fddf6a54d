"""Which node this is: by options, or by the variables of a job step of Slurm."""

from pathlib import Path

import pytest

from docmt.base.errors import UserError
from docmt.supervision.node import TrainingNode, check_job_of_slurm, this_node

STEP = {"SLURM_NODEID": "1", "SLURM_STEP_NODELIST": "n[1-2]"}
SCONTROL = """#!/bin/sh
case "$2" in
hostnames) echo n1; echo n2 ;;
*) echo "NodeName=$4 Arch=x86_64 NodeAddr=10.0.0.7 NodeHostName=$4 Port=6818" ;;
esac
"""


@pytest.fixture
def step(monkeypatch) -> None:
    """This process as the second of two tasks of a job with the number 20123."""
    for name, value in {**STEP, "SLURM_JOB_ID": "20123", "SLURM_GPUS_ON_NODE": "4"}.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def scontrol(tmp_path: Path, monkeypatch) -> Path:
    """The program, which tests may replace."""
    program = tmp_path / "scontrol"
    program.write_text(SCONTROL)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return program


def test_options_name_the_node():
    assert this_node(3, 2, "gpu07.example.org:29500") == TrainingNode(2, 3, "gpu07.example.org", 29500)
    assert this_node(2, 0, "[fe80::1]:29500").host == "fe80::1"
    assert this_node(2, 0, "n1:1").is_first


def test_a_job_step_of_slurm_names_the_node_and_the_address_of_the_first(step, scontrol):
    assert this_node(2, None, None) == TrainingNode(1, 2, "10.0.0.7", 10123, 4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((2, 1, None), "expected both, or neither in a job of Slurm"),
        ((2, None, "n1:1"), "expected both, or neither in a job of Slurm"),
        ((2, 2, "n1:1"), "--node-rank counts from 0"),
        ((2, 1, "n1"), "--rendezvous is no address"),
        ((2, 1, "n1:99999"), "--rendezvous is no address"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(UserError, match=message):
        this_node(*options)


def test_only_a_job_of_slurm_that_is_no_step_starts_a_training_on_its_nodes(monkeypatch):
    for name in ("SLURM_JOB_ID", "SLURM_STEP_ID"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UserError, match="which of the nodes is this"):
        check_job_of_slurm(2)
    monkeypatch.setenv("SLURM_JOB_ID", "1")
    check_job_of_slurm(2)
    monkeypatch.setenv("SLURM_STEP_ID", "0")
    with pytest.raises(UserError, match=r"found a step of Slurm.*\n.*mpi: srun, tasks: 2, tasks_per_gpu: 0"):
        check_job_of_slurm(2)


def test_what_scontrol_says_when_it_fails_is_told(step, scontrol):
    scontrol.write_text("#!/bin/sh\necho 'slurm_load_node error: Invalid node name' >&2\nexit 1\n")
    with pytest.raises(UserError, match="Slurm does not name the first node\n  found slurm_load_node error"):
        this_node(2, None, None)
