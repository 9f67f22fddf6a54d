"""The logs of jobs: what a job printed in its last attempt."""

from docmt.base.paths import DEMO_REPORT_LOG, Folder
from docmt.plan.plan import Job
from docmt.steps import get_step

NAMES = {
    "fixture": "fixture",
    "corpus": "read",
    "contrastive": "contrastive{whole}",
    "inspect": "inspect",
    "item": "{item}",
    "sheet": "{item}.sheet",
}
"""The ending of the name of a log, for rules whose jobs share the folder of their outputs with others."""


def log_of(job: Job) -> str:
    """Return the path of the log of a job, as its rule states it."""
    folder = get_step(job.step).folder
    pattern = folder.log(NAMES.get(job.step, "")) if isinstance(folder, Folder) else DEMO_REPORT_LOG
    return pattern.format(**job.names)
