"""The jobs of the workflow that a cluster has, found by the comments of the cluster's jobs."""

import re
from collections.abc import Iterable
from pathlib import Path

from docmt.cluster.jobs import ClusterJob
from docmt.plan.jobs import RULES, Job


def of_folder(jobs: Iterable[ClusterJob], root: Path) -> list[ClusterJob]:
    """Return the jobs of a cluster whose working directory is `root`, in the order in which they were submitted."""
    folder = root.resolve()
    mine = [job for job in jobs if Path(job.folder).resolve() == folder]
    return sorted(mine, key=lambda job: (job.submitted, len(job.number), job.number))


def attempts(order: Iterable[Job], jobs: Iterable[ClusterJob]) -> dict[Job, ClusterJob]:
    """Return the last attempt of each job of a plan on a cluster, among `jobs`, which come in order of submission.

    A group of jobs is not among them: its comment does not name its jobs.
    """
    by_key: dict[tuple[str, object], Job] = {}
    for job in order:
        by_key[job.rule, job.values] = job
        by_key[job.rule, values_in_comment(job)] = job
    found: dict[Job, ClusterJob] = {}
    for submitted in jobs:
        purpose = submitted.purpose
        job = by_key.get((purpose.rule, purpose.names or purpose.values))
        if job is not None:
            found[job] = submitted
    return found


def values_in_comment(job: Job) -> str:
    """Return the values of the wildcards of a job as the plugin of Snakemake writes them, without their names."""
    rule = RULES[job.rule]
    places = re.findall(r"\{(\w+)\}", f"{rule.folder}/{rule.prefix}{rule.outputs[0]}")
    return "_".join(job.names[name] for name in dict.fromkeys(places)).replace("/", "_")
