"""Small steps share allocations of a cluster: as Snakemake plans them, and inside an allocation."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from helpers.support import Project

SCORES = "results/7_scores/smoke/toy_zh-en/{}/seed1/scores.json"
SYSTEMS = ("sentence", "han", "w_link")
AS_SLURM = ("--mode", "remote", "--executor", "local", "--force", "--no-hooks", "--nolock", "--ignore-incomplete")
ON_SLURM = ("--profile", "slurm", "--group-components")


def groups_in(printed: str) -> list[set[str]]:
    """The systems of each group of scores that a dry run prints."""
    blocks = re.split(r"\n\[", printed)
    return [{*re.findall(r"system=([\w.]+)", block)} for block in blocks if "Group job scores." in block]


def in_allocation(project: Project, programs: Path, *systems: str) -> subprocess.CompletedProcess:
    """What Slurm starts for a group of scores."""
    jobs = [f"scores:scale=smoke,corpus=toy_zh-en,system={system},seed=1" for system in systems]
    allowed = ("--allowed-rules", "scores", "--local-groupid", "1", "--cores", "2")
    return project.snakemake("--target-jobs", *jobs, *allowed, *AS_SLURM, programs=programs)


def begin(project: Project) -> None:
    """As a driver begins its run: outputs that are there now are of an earlier one."""
    os.utime(project.root / "results/frozen_grid.json")


def written(project: Project, system: str) -> int:
    return (project.root / SCORES.format(system)).stat().st_mtime_ns


def test_a_dry_run_shows_groups_of_as_many_members_as_the_profile_or_the_command_line_states(demo):
    forced = ("-n", "--forcerun", "scores", *ON_SLURM)
    printed = [demo.snakemake(*forced, size, check=True).stdout for size in ("scores=25", "scores=4", "scores=1")]
    sizes = [sorted(map(len, groups_in(text))) for text in printed]
    assert sizes == [[7], [3, 4], []]


def test_pages_are_jobs_of_the_cluster_where_their_groups_have_a_size(demo):
    (demo.root / "results/8_report/smoke/demo/quality.html").unlink()
    local, jobs = (demo.snakemake("-n", *ON_SLURM, of, check=True).stdout for of in ("scores=2", "pages=9"))
    assert "localrule" not in local and "Group job pages.demo" not in local
    assert "Group job pages." in jobs


def test_a_group_that_is_started_again_leaves_out_what_this_run_has_finished(demo, programs):
    begin(demo)
    before = {system: written(demo, system) for system in SYSTEMS}
    assert in_allocation(demo, programs, *SYSTEMS[:2]).returncode == 0
    first = {system: written(demo, system) for system in SYSTEMS}
    assert first["sentence"] > before["sentence"] and first["han"] > before["han"]
    assert in_allocation(demo, programs, *SYSTEMS).returncode == 0
    after = {system: written(demo, system) for system in SYSTEMS}
    assert [after[system] > first[system] for system in SYSTEMS] == [False, False, True]
    done = in_allocation(demo, programs, *SYSTEMS)
    assert (done.returncode, written(demo, "w_link")) == (0, after["w_link"])
    assert "demo" not in done.stdout, "no other target is made instead"


def test_a_member_that_fails_stops_no_other_and_takes_no_outputs_along(demo, programs):
    begin(demo)
    model = demo.root / "results/6_translations/smoke/toy_zh-en/han/seed1/test.txt"
    model.write_text(model.read_text() + "one line more\n")
    before = {system: written(demo, system) for system in SYSTEMS}
    done = in_allocation(demo, programs, *SYSTEMS)
    assert done.returncode == 1
    assert "differs from its manifest" in (demo.root / "logs/7_scores/smoke/toy_zh-en/han/seed1.log").read_text()
    assert all(written(demo, system) > before[system] for system in ("sentence", "w_link"))
    model.write_text(model.read_text().removesuffix("one line more\n"))
    finished = written(demo, "sentence")
    assert in_allocation(demo, programs, *SYSTEMS).returncode == 0
    assert written(demo, "sentence") == finished and (demo.root / SCORES.format("han")).exists()


def test_a_training_that_others_start_from_is_not_trained_again_though_its_view_is_newer(demo):
    """Inside an allocation the times of files decide nothing: only the members run."""
    os.utime(demo.root / "results/3_views/toy_zh-en@smoke/truecase_separate4k/window1/manifest.json")
    job = "train:scale=smoke,corpus=toy_zh-en,system=han,seed=1"
    done = demo.snakemake("-n", "--target-jobs", job, "--allowed-rules", "train", "--cores", "1", *AS_SLURM, check=True)
    assert re.findall(r"wildcards:.*system=([\w.]+)", done.stdout) == ["han"]


@pytest.mark.slow
def test_what_needs_nothing_of_a_failed_member_goes_on_and_a_retry_repeats_nothing(demo):
    """On a Slurm whose jobs see this machine's files."""
    if shutil.which("sinfo") is None or subprocess.run(["sinfo"], capture_output=True).returncode != 0:
        pytest.skip("needs a Slurm cluster; none answers `sinfo`")
    weights = demo.root / "results/5_training/smoke/toy_zh-en/sentence/seed1/model/model.safetensors"
    status, data = weights.stat(), bytearray(weights.read_bytes())
    data[-1] ^= 255
    weights.write_bytes(data)
    os.utime(weights, ns=(status.st_atime_ns, status.st_mtime_ns))
    for stage in ("6_translations", "7_scores", "7_comparisons", "8_report"):
        shutil.rmtree(demo.root / "results" / stage)
    (demo.root / "results/report@smoke.html").unlink()
    sizes = ("decode=4", "scores=3", "compare=9")
    assert demo.snakemake(*ON_SLURM, *sizes, "--retries", "1", "--", "demo", timeout=900).returncode == 1
    scored = {path.parent.parent.name for path in demo.root.glob(SCORES.format("*"))}
    assert len(scored) == 6 and "sentence" not in scored, "also those that shared a group with it"
    logs = demo.root.glob("logs/slurm/group_*translate*/*.log")
    retried = max(logs, key=lambda path: path.stat().st_mtime_ns).read_text()
    assert {*re.findall(r"wildcards: .*system=([\w.]+)", retried)} == {"sentence"}
