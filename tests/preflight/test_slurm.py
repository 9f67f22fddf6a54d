"""Slurm is asked whether it takes the jobs, of which Snakemake tells in a dry run; programs stand in for Slurm."""

import re
from pathlib import Path

import pytest
from helpers.preflights import said
from helpers.support import ROOT, small_demo

from docmt.base.errors import UserError
from docmt.preflight.slurm import HERE, Requests, check_slurm, read_requests

SBATCH = '#!/bin/sh\ncase "$*" in *partition=none*) echo "Invalid partition name" >&2; exit 1;; esac\n'
RIGHT = {"docmt-slurm-status-command": "squeue"}
TRAIN = {"rule": "train", "threads": 2, "mem_mb": 8000, "runtime": 30, "gpu": 1, "slurm_partition": "none"}
JOBS = (TRAIN | {"runtime": 60}, TRAIN, {"rule": "scores", "threads": 1, "slurm_extra": "--licenses=matlab:1"})


@pytest.fixture
def slurm(tmp_path, monkeypatch) -> Path:
    """A folder of programs of Slurm, first in PATH."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    program(folder / "sinfo", "#!/bin/sh\n")
    program(folder / "sbatch", SBATCH)
    return folder


def program(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def told(**profile) -> list[str]:
    return [text for _, text in said(check_slurm(Requests("slurm", JOBS, RIGHT | profile)))]


def test_a_kind_of_jobs_that_slurm_does_not_take_is_told_once_with_its_reason(slurm):
    (text,) = told()
    assert text.startswith("sbatch --test-only --partition=none --time=60 --mem=8000 --gpus=1 --cpus-per-task=2")
    assert "Slurm does not take jobs of train\n  found Invalid partition name" in text


def test_a_setting_with_which_a_run_waits_for_ever(slurm):
    assert any("would wait for ever" in text for text in told(**{"docmt-slurm-status-command": "sacct"}))


def test_a_slurm_that_does_not_answer_is_told_once(slurm):
    program(slurm / "sinfo", "#!/bin/sh\necho no controller >&2\nexit 1\n")
    (text,) = told()
    assert text.startswith("sinfo: Slurm does not answer\n  found no controller")


@pytest.mark.slow
def test_what_jobs_ask_for_is_what_snakemake_says_with_the_profile(tmp_path, monkeypatch):
    project = small_demo(tmp_path / "project")
    monkeypatch.chdir(project.root)
    project.edit("slurm/config.yaml", "default-resources/slurm_partition", "cpu")
    project.edit("slurm/config.yaml", "set-resources", {"train": {"runtime": "attempt * 77", "constraint": "'avx512'"}})
    project.edit("slurm/config.yaml", "groups", ["scores=scores"])
    project.edit("slurm/config.yaml", "group-components", ["scores=7"])
    requests = read_requests("slurm", ["demo"], {"device": "cuda"})
    assert requests.executor == "docmt-slurm" and requests.gpus == 1 and requests.profile["jobs"] == 40
    by_rule = {job["rule"]: job for job in requests.jobs}
    assert not {*HERE, "all", "demo"} & {*by_rule} and by_rule["scores"]["slurm_partition"] == "cpu"
    asked = {name: by_rule["train"][name] for name in ("runtime", "constraint", "mem_mb", "gpu", "nodes")}
    assert asked == {"runtime": 77, "constraint": "avx512", "mem_mb": 8000, "gpu": 1, "nodes": 1}
    assert by_rule["scores"]["runtime"] == 7 * 60 and sum(job["rule"] == "scores" for job in requests.jobs) == 1
    for words, part in ((["nowhere", ["demo"]], "nowhere"), (["slurm", ["no-such-target"]], "no-such-target")):
        with pytest.raises(UserError, match=f"snakemake cannot plan this run\n  found .*{part}"):
            read_requests(*words, {})


def test_the_rules_that_run_where_snakemake_does_are_known():
    """A rule that is like another (`use rule`) takes all of it but this."""
    text = "".join(path.read_text() for path in sorted(ROOT.glob("workflow/rules/*.smk")))
    rules = re.split(r"^(?:use )?rule ", text, flags=re.MULTILINE)
    here = {re.match(r"(?:\w+ as )?(\w+)", rule)[1] for rule in rules if "    localrule: True" in rule}
    assert here == {*HERE}
