"""The jobs of the workflow that a cluster has, found by the comments of the cluster's jobs."""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from docmt.base.paths import STATE
from docmt.cluster.comments import Purpose, purpose_of_text
from docmt.cluster.jobs import ClusterJob
from docmt.plan.plan import Job
from docmt.steps import get_step

GROUPS = f"{STATE}/groups"
"""The folder in which the driver notes the jobs of each group, `<work>.json`."""


def of_folder(jobs: Iterable[ClusterJob], root: Path) -> list[ClusterJob]:
    """Return the jobs of a cluster whose working directory is `root`, in the order in which they were submitted."""
    folder = root.resolve()
    mine = [job for job in jobs if Path(job.folder).resolve() == folder]
    return sorted(mine, key=lambda job: (job.submitted, len(job.number), job.number))


def attempts(order: Iterable[Job], jobs: Iterable[ClusterJob], root: Path) -> dict[Job, ClusterJob]:
    """Return the last attempt of each job of a plan on a cluster, among `jobs`, which come in order of submission.

    `root`: the folder of the project, where the driver has noted the jobs of each group.
    """
    by_key: dict[tuple[str, object], Job] = {}
    for job in order:
        by_key[job.step, job.values] = job
        by_key[job.step, values_in_comment(job)] = job
    last: dict[Job, ClusterJob] = {}
    for submitted in jobs:
        for purpose in _purposes(submitted.purpose, root):
            job = by_key.get((purpose.rule, purpose.names or purpose.values))
            if job is not None:
                last[job] = submitted
    return last


def _purposes(purpose: Purpose, root: Path) -> Iterator[Purpose]:
    """Yield what a job of a cluster does; for a group, what each of its jobs does, where the driver's note is there."""
    if not purpose.group:
        yield purpose
        return
    try:
        texts = json.loads((root / GROUPS / f"{purpose.work}.json").read_bytes())
    except (OSError, ValueError):
        return
    for text in texts if isinstance(texts, list) else ():
        member = purpose_of_text(str(text))
        if member is not None:
            yield member


def values_in_comment(job: Job) -> str:
    """Return the values of the wildcards of a job as the plugin of Snakemake writes them, without their names."""
    rule = get_step(job.step)
    places = re.findall(r"\{(\w+)\}", f"{rule.folder}/{rule.prefix}{rule.outputs[0]}")
    return "_".join(job.names[name] for name in dict.fromkeys(places)).replace("/", "_")
