"""The resources of jobs that settings of the executor `docmt-slurm` replace: a site states them for some jobs alone.

The executor replaces the resources, and `docmt preflight` compares the settings with the cluster.
"""

from collections.abc import Mapping

OF_GPU_JOBS = {
    "gpu_model": "gpu_model",
    "slurm_partition": "gpu_partition",
    "constraint": "gpu_constraint",
    "qos": "gpu_qos",
}
"""The settings for jobs that ask for GPUs, by the resources that they replace."""
OF_DOWNLOADS = {"slurm_partition": "download_partition"}
"""The settings for jobs that download files."""


def replacing(has_gpus: bool, is_download: bool) -> Mapping[str, str]:
    """Return the settings that replace resources of a job, by the names of the resources."""
    if has_gpus:
        return OF_GPU_JOBS
    return OF_DOWNLOADS if is_download else {}
