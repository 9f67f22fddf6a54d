"""The process of a job: `python -m peers.child JOB`, where JOB is a file with a `peers.job.Job` as JSON."""

import os
import resource
import sys
from importlib import import_module
from pathlib import Path

from peers.job import MEMORY, Job


def main() -> None:
    # Allocations fail above the limit: without it, a job that needs all memory would take other programs down.
    limit = int(os.environ[MEMORY])
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    job = Job.from_json(Path(sys.argv[1]).read_text(encoding="utf-8"))
    getattr(import_module(f"peers.toolkits.{job.toolkit}"), job.task)(job)


if __name__ == "__main__":
    main()
