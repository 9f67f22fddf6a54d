"""Attempts on one machine, and where and within what jobs run: by the real workflow."""

import shlex
import sys
from pathlib import Path

from helpers.support import Project

from docmt.base.failures import FailureCause, failed_attempts, note_failure

RULES = """
rule greedy:
    output: "greedy.txt"
    resources: mem_mb=100, runtime=5
    shell:
        "echo {resources.mem_mb} {resources.runtime} >> {rule}.tries;"
        "[ $(wc -l < {rule}.tries) -ge 3 ] || kill -9 $$; touch {output}"

rule wrong:
    output: "wrong.txt"
    resources: mem_mb=100, runtime=5
    shell: "echo {resources.mem_mb} {resources.runtime} >> {rule}.tries; exit 1"

"""
INCLUDED = 'include: "rules/growth.smk"\n'


def test_a_job_that_the_kernel_kills_asks_for_more_memory_and_one_that_fails_does_not(project: Project):
    snakefile = (project.root / "workflow/Snakefile").read_text()
    project.write("workflow/Snakefile", snakefile.replace(INCLUDED, RULES + INCLUDED))
    note_failure("wrong", FailureCause.TIME, "", "TIMEOUT", project.root)
    done = project.snakemake("--cores", "1", "--keep-going", "--retries", "2", "greedy.txt", "wrong.txt")
    assert done.returncode == 1
    assert (project.root / "greedy.tries").read_text().splitlines() == ["100 5", "200 5", "400 5"]
    assert (project.root / "wrong.tries").read_text().splitlines() == ["100 10"] * 3
    assert failed_attempts("greedy", project.root) == []
    assert [attempt.cause for attempt in failed_attempts("wrong", project.root)] == [FailureCause.TIME]


FILE = "results/1_corpus/ted_zh-en/downloads/iwslt15.train.tags.zh-en.zh"
TELL = '\nprint("downloads on the login node:", "download" in workflow._localrules)\n'


def test_downloads_are_jobs_of_a_cluster_where_the_config_says_so(project: Project):
    project.write("Snakefile", (project.root / "Snakefile").read_text() + TELL)
    for choice, answer in (("login", True), ("job", False)):
        done = project.snakemake("--profile", "slurm", "-n", FILE, "--config", f"downloads={choice}", check=True)
        assert f"downloads on the login node: {answer}" in done.stdout


APPTAINER = f"""#!/bin/sh
[ "$1" = --version ] && echo apptainer version 1.3.4 && exit
for word; do echo "$word"; done > apptainer.words
for last; do :; done
export PATH="{Path(sys.executable).parent}:$PATH"
exec bash -c "$last"
"""


def test_the_command_of_a_step_runs_in_the_image_with_the_python_of_the_image(demo: Project, tmp_path, monkeypatch):
    program = tmp_path / "programs" / "apptainer"
    program.parent.mkdir()
    program.write_text(APPTAINER)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    (demo.root / "envs/docmt.sif").touch()
    comparison = "results/7_comparisons/smoke/demo/quality/comparisons.json"
    demo.snakemake(
        *("--cores", "1", "-f", comparison, "--software-deployment-method", "apptainer"),
        *("--apptainer-args", "--nv --bind /scratch"),
        check=True,
    )
    words = (demo.root / "apptainer.words").read_text().splitlines()
    assert words[0] == "exec"
    assert {"--nv", "/scratch", str(demo.root / "envs/docmt.sif")} <= set(words)
    command = words[-1]
    assert f"exec docmt job compare {comparison.rpartition('/')[0]}/job.json >" in command
    assert "PATH=" not in command
    assert shlex.split(command)[:3] == ["set", "-euo", "pipefail;"]
