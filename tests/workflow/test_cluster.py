"""The demo on a Slurm cluster: jobs ask for what they need, and an edit of the config cannot reach those that wait."""

import re
import subprocess

import pytest
from helpers.plans import plan_of
from helpers.support import Project, small_demo
from interrupted import start, until

from docmt.base.manifest import MANIFEST
from docmt.plan.plan import Job

COMPARISON = Job.of("compare", study="demo", table="quality")


def test_a_job_reads_the_recipe_of_its_submission_though_the_config_breaks_on_the_way(demo):
    """As Slurm starts it: the settings are those that the driver wrote, and nothing is planned."""
    folder = plan_of(demo.root).recipe(COMPARISON).folder
    before = (demo.root / folder / MANIFEST).read_bytes()
    (demo.root / folder / MANIFEST).unlink()
    (demo.root / "config.yaml").write_text("studies: [nothing\n")
    job = ("--target-jobs", f"compare:study=demo,table=quality,id={folder.name}", "--allowed-rules", "compare")
    as_slurm = ("--mode", "remote", "--executor", "local", "--force", "--no-hooks", "--nolock", "--ignore-incomplete")
    done = demo.snakemake("--cores", "1", *job, *as_slurm, check=True)
    assert "docmt: " not in done.stderr
    assert (demo.root / folder / MANIFEST).read_bytes() == before


def requested(project: Project, rule: str) -> str:
    """What Slurm says of the project's jobs of a rule."""
    jobs = subprocess.run(["scontrol", "show", "job"], capture_output=True, text=True).stdout.split("\n\n")
    ours = [job for job in jobs if f"WorkDir={project.root}\n" in job]
    return "\n".join(job for job in ours if re.search(rf"Comment=rule_\S*{rule}", job))


def wait_for(project: Project, rule: str) -> str:
    """Wait until Slurm has begun a job of a rule; return what Slurm says of it, which it forgets after a while."""
    logs, screen = f"logs/slurm/*{rule}*/**/*.log", project.root / "screen.txt"
    until(lambda: list(project.root.glob(logs)), screen.read_text, seconds=600)
    return requested(project, rule)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_all_finishes_on_slurm_though_the_config_breaks_on_the_way(cluster, tmp_path):
    project: Project = small_demo(tmp_path / "project")
    driver = start(project.root, "--profile", "slurm", "all")
    screen = project.root / "screen.txt"
    wait_for(project, "corpus")
    (project.root / "config.yaml").write_text("studies: [nothing\n")
    of_text, of_model = (wait_for(project, rule) for rule in ("tokens", "train"))
    assert driver.wait(timeout=1500) == 0, screen.read_text()
    assert (project.root / "results/report@smoke.html").exists()
    assert "gres:gpu:1" in of_model and of_text and "gres:gpu" not in of_text


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_step_that_fails_is_told_and_the_others_of_its_allocation_lose_nothing(cluster, demo):
    plan = plan_of(demo.root)
    jobs = [Job.of("translate", corpus="toy_zh-en", system=system, seed=1) for system in ("han", "sentence", "w_link")]
    folders = [plan.recipe(job).folder for job in jobs]
    targets = [f"{folder}/{MANIFEST}" for folder in folders]
    for target in targets:
        (demo.root / target).unlink()
    training = plan.recipe(Job.of("train", **jobs[0].names)).folder
    model = training / "model/model.safetensors"
    whole = (demo.root / model).read_bytes()
    (demo.root / model).write_text("damaged")
    done = demo.snakemake("--profile", "slurm", "--retries", "0", *targets)
    assert done.returncode == 1 and done.stderr.count("has been submitted with SLURM jobid") == 1, done.stderr
    assert f"docmt: failed: translate {folders[0]}\n  docmt: {model}: the file differs" in done.stderr
    assert "docmt: an allocation of 3 jobs ended before all were done" in done.stderr
    finished = {target: (demo.root / target).stat().st_mtime_ns for target in targets[1:]}
    (demo.root / model).write_bytes(whole)
    demo.snakemake("--profile", "slurm", *targets, check=True)
    assert {target: (demo.root / target).stat().st_mtime_ns for target in finished} == finished
