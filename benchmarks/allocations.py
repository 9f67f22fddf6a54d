"""The allocations of a run on a cluster: python benchmarks/allocations.py FOLDER [OPTION ...]; record: cluster.md.

Plans `snakemake --profile slurm all` at scale smoke in a copy of the project, once without groups and once with those
of the profile, and counts the jobs and groups that Snakemake would submit. No cluster is needed, and nothing runs.
Options are those of snakemake, such as `--group-components train=10 decode=8`, in place of the profile's groups.
"""

import io
import sys
from collections import Counter
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

from project_copy import copy_project
from snakemake.cli import main as snakemake
from snakemake.dag import DAG

ALONE = ["--group-components", "none=1"]
"""The options of a run without groups."""


def submitted(folder: Path, options: list[str]) -> list:
    """Return the jobs and the groups of jobs that a run submits, as Snakemake has put them together."""
    found: list = []
    update = DAG.update_groups

    def updated(dag: DAG) -> None:
        update(dag)
        units = {dag._group.get(job, job) for job in dag.needrun_jobs()}
        found[:] = [unit for unit in units if not is_on_driver(unit, dag.workflow)]

    DAG.update_groups = updated
    command = ["-n", "--quiet", "all", "--profile", "slurm", "--config", "scale=smoke", "--", "all"]
    try:
        with chdir(folder), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            snakemake([*options, *command])
    except SystemExit as end:
        if end.code:
            raise
    finally:
        DAG.update_groups = update
    return found


def kind_of(unit) -> str:
    """Return the rule of a job, or the rules of a group."""
    return " + ".join(sorted(unit.rules)) if unit.is_group() else unit.rule.name


def is_on_driver(unit, workflow) -> bool:
    """Return whether the driver itself runs a job: in a dry run, Snakemake says so of every job."""
    return not unit.is_group() and (unit.rule.norun or unit.rule.name in workflow._localrules)


def main(folder: Path, options: list[str]) -> None:
    copy_project(folder)
    print("| groups | jobs | allocations | members of the largest |\n|---|---|---|---|")
    for what, given in (("none", ALONE), (" ".join(options) or "of the profile", options)):
        units = submitted(folder, given)
        print(f"| {what} | {sum(map(len, units))} | {len(units)} | {max(map(len, units))} |", flush=True)
        for kind, count in Counter(map(kind_of, units)).most_common():
            print(f"|   {kind} | {sum(len(unit) for unit in units if kind_of(unit) == kind)} | {count} | |")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
