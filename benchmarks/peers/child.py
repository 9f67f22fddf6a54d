"""The process of a job: `python -m peers.child JOB`, where JOB is a file with a `peers.job.Job` as JSON."""

import sys
from importlib import import_module
from pathlib import Path

from peers.job import Job


def main() -> None:
    job = Job.from_json(Path(sys.argv[1]).read_text(encoding="utf-8"))
    getattr(import_module(f"peers.toolkits.{job.toolkit}"), job.task)(job)


if __name__ == "__main__":
    main()
