"""The settings of the executor: those of its parent, and those of a site; `--docmt-slurm-NAME` on the command line."""

from dataclasses import dataclass, field
from typing import Any

import snakemake_executor_plugin_slurm as parent
from snakemake_interface_common.exceptions import WorkflowError


def about(text: str, default: Any = "") -> Any:
    """Return the field of a setting with its help."""
    return field(default=default, metadata={"help": text, "env_var": False, "required": False})


@dataclass
class ExecutorSettings(parent.ExecutorSettings):
    """The settings. Empty text means that nothing is asked for."""

    jobname_prefix: str = about("First word of the names of jobs.", "docmt")
    gpu_model: str = about("GPU type of jobs that ask for GPUs, as Slurm spells it, such as h100.")
    gpu_partition: str = about("Partition of jobs that ask for GPUs.")
    gpu_constraint: str = about("Features of nodes (sbatch --constraint) for jobs that ask for GPUs.")
    gpu_qos: str = about("Quality of service of jobs that ask for GPUs.")
    download_partition: str = about("Partition with a network, for downloads (`downloads: job` of config.yaml).")
    max_seconds_between_status_checks: int = about(
        "Longest time between two queries for the states of all jobs. It begins at init-seconds-before-status-checks "
        "and grows by 10 s after each query without news.",
        60,
    )

    def __post_init__(self) -> None:
        """Refuse what the parent refuses, and settings that this executor does not obey."""
        super().__post_init__()
        for name in ("array_jobs", "efficiency_report"):
            if getattr(self, name):
                raise WorkflowError(
                    f"--docmt-slurm-{name.replace('_', '-')} is not supported: it needs jobs of one name."
                )
        if self.max_seconds_between_status_checks < 1:
            raise WorkflowError("--docmt-slurm-max-seconds-between-status-checks must be a positive number.")
