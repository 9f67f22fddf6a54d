"""The executor of snakemake-executor-plugin-slurm, with two faults of allocations that several steps share mended.

`executor: docmt-slurm` in slurm/config.yaml asks for it. Its options are those of the other plugin, with the prefix
`docmt-slurm`. `tests/workflow/test_cluster.py` and `test_other_clusters.py` show both faults; it goes when the other
plugin has mended them.
"""

from typing import Any

import snakemake_executor_plugin_slurm as upstream
from snakemake_executor_plugin_slurm import ExecutorSettings, common_settings
from snakemake_interface_executor_plugins.executors.base import SubmittedJobInfo

__all__ = ["Executor", "ExecutorSettings", "common_settings"]


class Executor(upstream.Executor):
    """Submits jobs to Slurm, and asks for their states."""

    def additional_general_args(self) -> str:
        """Return options of the snakemake in an allocation: a step that fails does not keep the others from running."""
        return f"{super().additional_general_args()} --keep-going"

    def report_job_error(self, job_info: SubmittedJobInfo, msg: str | None = None, **facts: Any) -> None:
        """Report that a job, or a group of jobs, failed; of a group Snakemake leaves out why (what sbatch said)."""
        if msg and job_info.job.is_group():
            self.logger.error(msg)
        super().report_job_error(job_info, msg=msg, **facts)
