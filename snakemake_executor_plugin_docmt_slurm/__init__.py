"""The executor of snakemake-executor-plugin-slurm, with faults mended that end a run in users' hands.

`executor: docmt-slurm` in slurm/config.yaml asks for it. Its options are those of the other plugin, with the prefix
`docmt-slurm`. The tests `test_cluster.py`, `test_other_clusters.py` and `test_cluster_faults.py` in tests/workflow show
the faults; it goes when the other plugin has mended them.
"""

import re
import subprocess
from collections import Counter
from collections.abc import AsyncIterator
from functools import cached_property
from typing import Any

import snakemake_executor_plugin_slurm as upstream
from snakemake_executor_plugin_slurm import ExecutorSettings, common_settings
from snakemake_interface_executor_plugins.executors.base import SubmittedJobInfo

__all__ = ["Executor", "ExecutorSettings", "common_settings"]

FORGOTTEN = 2
"""A job that squeue has not listed so many times in a row has ended: squeue lists all jobs that Slurm remembers."""


class Executor(upstream.Executor):
    """Submits jobs to Slurm, and asks for their states."""

    @cached_property
    def unlisted(self) -> Counter[str]:
        """How many times in a row squeue has not listed an active job."""
        return Counter()

    @cached_property
    def ended(self) -> set[str]:
        """The jobs of which Snakemake knows the end."""
        return set()

    def additional_general_args(self) -> str:
        """Return options of the snakemake in an allocation: a step that fails does not keep the others from running."""
        return f"{super().additional_general_args()} --keep-going"

    async def check_active_jobs(self, active_jobs: list[SubmittedJobInfo]) -> AsyncIterator[SubmittedJobInfo]:
        """Yield the jobs that go on, and report the end of the others.

        Upstream drops all jobs where Slurm does not answer, and a run without accounting waits for ever for a job that
        Slurm has forgotten. Such a job is reported as finished: by its outputs Snakemake finds whether it is.
        """
        going = {job.external_jobid: job async for job in super().check_active_jobs(active_jobs)}
        going |= {job.external_jobid: job for job in active_jobs if job.external_jobid not in self.ended}
        listed = self.listed() if going and self.get_status_command() == "squeue" else None
        for number, job in going.items():
            is_missed = listed is not None and number.partition("_")[0] not in listed
            self.unlisted[number] = self.unlisted[number] + 1 if is_missed else 0
            if self.unlisted[number] < FORGOTTEN:
                yield job
            else:
                self.logger.info(f"Slurm no longer knows the job {number}: its outputs show whether it is finished.")
                self.report_job_success(job)

    def listed(self) -> set[str] | None:
        """Return the numbers of the jobs of this run that Slurm remembers; None where it does not answer."""
        command = ["squeue", "--noheader", "--states=all", "--format=%i|%T", "--name", self.run_uuid]
        asked = subprocess.run(command, capture_output=True, text=True)
        return {re.split("[_|]", line)[0] for line in asked.stdout.splitlines()} if asked.returncode == 0 else None

    def report_job_success(self, job_info: SubmittedJobInfo) -> None:
        """Report that a job is finished."""
        self.ended.add(job_info.external_jobid)
        super().report_job_success(job_info)

    def report_job_error(self, job_info: SubmittedJobInfo, msg: str | None = None, **facts: Any) -> None:
        """Report that a job, or a group of jobs, failed; of a group Snakemake leaves out why (what sbatch said)."""
        self.ended.add(job_info.external_jobid)
        if msg and job_info.job.is_group():
            self.logger.error(msg)
        super().report_job_error(job_info, msg=msg, **facts)
