"""Slurm is asked whether it takes the jobs, which Snakemake states in a dry run; programs stand in for Slurm."""

from pathlib import Path

import pytest

from docmt.base.errors import UserError
from docmt.preflight.requests import Requests, find_profile, requests_in
from docmt.preflight.slurm import check_slurm

CONFIG = (
    "SLURM_VERSION           = 22.05.8\nMinJobAge               = 300 sec\nPreemptMode = {}\nPreemptType = preempt/x\n"
)
SBATCH = '#!/bin/sh\ncase "$*" in *partition=none*) echo "Invalid partition name" >&2; exit 1;; esac\n'
RIGHT = {"slurm-status-command": "squeue", "slurm-init-seconds-before-status-checks": 20}
DRY = """
rule train:
    threads: 2
    resources: tmpdir=/tmp, mem_mb=8000, runtime=30, gpu=1, slurm_partition=none
rule train:
    threads: 2
    resources: tmpdir=/tmp, mem_mb=8000, runtime=60, gpu=1, slurm_partition=none
[Sat Nov 28 03:28:48 2026]
rule scores:
    resources: mem_mb=1000, slurm_extra=--licenses=matlab:1 --exclude=node17
localrule page:
    resources: mem_mb=1
"""


@pytest.fixture
def slurm(tmp_path, monkeypatch) -> Path:
    """A folder of programs of Slurm, first in PATH."""
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    program(tmp_path / "scontrol", f"#!/bin/sh\ncat <<END\n{CONFIG.format('REQUEUE')}END\n")
    program(tmp_path / "sbatch", SBATCH)
    return tmp_path


def program(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def told(**profile) -> list[str]:
    requests = Requests("slurm", tuple(requests_in(DRY)), RIGHT | profile)
    return [finding.text for finding in check_slurm(requests) if finding.level != "fact"]


def test_what_jobs_ask_for_is_read_from_a_dry_run():
    assert [(rule, asked.get("runtime"), asked["threads"]) for rule, asked in requests_in(DRY)] == [
        ("train", "30", "2"),
        ("train", "60", "2"),
        ("scores", None, "1"),
    ]
    assert [*requests_in(DRY)][2][1]["slurm_extra"] == "--licenses=matlab:1 --exclude=node17"


def test_jobs_that_slurm_does_not_take_are_named_with_its_reason(slurm):
    (text,) = told()
    assert text.startswith("sbatch --test-only --partition=none --time=30 --mem=8000 --gpus=1 --cpus-per-task=2")
    assert "Slurm does not take jobs of train\n  found Invalid partition name" in text


def test_settings_with_which_a_run_waits_for_ever(slurm):
    assert any("would wait for ever" in text for text in told(**{"slurm-status-command": "sacct"}))
    forgets = told(**{"slurm-init-seconds-before-status-checks": 200})
    assert any("found 200 s before the first question; MinJobAge = 300 s" in text for text in forgets)
    program(slurm / "scontrol", f"#!/bin/sh\ncat <<END\n{CONFIG.format('CANCEL')}END\n")
    assert any("PreemptMode" in text for text in told())


def test_a_slurm_that_does_not_answer_is_told_once(slurm):
    program(slurm / "scontrol", "#!/bin/sh\necho no controller >&2\nexit 1\n")
    (text,) = told()
    assert text.startswith("scontrol show config: Slurm does not answer\n  found no controller")


def test_profiles_are_searched_where_snakemake_does(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match="no such profile"):
        find_profile("slurm")
    (tmp_path / "slurm").mkdir()
    (tmp_path / "slurm/config.yaml").write_text("executor: slurm\n", encoding="utf-8")
    assert find_profile("slurm") == Path("slurm/config.yaml")
