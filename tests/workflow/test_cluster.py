"""The demo on a Slurm cluster: jobs ask for what they need, and an edit of the config cannot reach those that wait."""

import os
import re
import subprocess
import sys
import time

import pytest
from helpers.support import Project, small_demo

COMPARISON = "results/7_comparisons/smoke/demo/quality/comparisons.json"


def test_a_job_reads_the_grid_of_its_submission_though_the_config_breaks_on_the_way(demo):
    """As Slurm starts it: the settings are those that the driver wrote, and nothing is planned."""
    before = (demo.root / COMPARISON).read_bytes()
    (demo.root / COMPARISON).unlink()
    (demo.root / "config.yaml").write_text("studies: [nothing\n")
    job = ("--target-jobs", "compare:scale=smoke,study=demo,table=quality", "--allowed-rules", "compare")
    as_slurm = ("--mode", "remote", "--executor", "local", "--force", "--no-hooks", "--nolock", "--ignore-incomplete")
    done = demo.snakemake("--cores", "1", *job, *as_slurm, check=True)
    assert "docmt: " not in done.stderr
    assert (demo.root / COMPARISON).read_bytes() == before


def requested(project: Project, rule: str) -> str:
    """What Slurm says of the project's jobs and groups with steps of a rule."""
    jobs = subprocess.run(["scontrol", "show", "job"], capture_output=True, text=True).stdout.split("\n\n")
    ours = [job for job in jobs if f"WorkDir={project.root}\n" in job]
    return "\n".join(job for job in ours if re.search(rf"JobName=docmt\.\S*\b{rule}\b", job))


@pytest.mark.slow
def test_the_demo_finishes_on_slurm_though_the_config_breaks_on_the_way(cluster, tmp_path):
    project: Project = small_demo(tmp_path / "project")
    command = [sys.executable, "-m", "snakemake", "--profile", "slurm", "demo"]
    with (tmp_path / "screen.log").open("w") as screen:
        driver = subprocess.Popen(command, cwd=project.root, env=os.environ, stdout=screen, stderr=screen)
        while not list(project.root.glob("logs/slurm/group_*corpus*/*.log")):
            assert driver.poll() is None, (tmp_path / "screen.log").read_text()
            time.sleep(0.5)
        (project.root / "config.yaml").write_text("studies: [nothing\n")
        assert driver.wait(timeout=900) == 0, (tmp_path / "screen.log").read_text()
    assert (project.root / "results/report@smoke.html").exists()
    assert "gres:gpu:1" in requested(project, "train")
    of_text = requested(project, "tokens")
    assert of_text and "gres:gpu" not in of_text
