"""What a site allows the jobs of a run on a cluster: the section `cluster` of config.yaml."""

from dataclasses import dataclass

from docmt.base.checks import Checked, setting, whole

SHORTEST = 15
"""The least time limit of a job, in minutes."""


@dataclass(frozen=True)
class ClusterConfig(Checked):
    """The bounds of the jobs of a cluster. No output depends on them."""

    max_runtime: int = setting(
        1440, "largest time limit of a job and of a group of small jobs, in minutes", whole(SHORTEST, 1_000_000)
    )
    max_gpus: int = setting(1, "largest number of GPUs of a training, all in one node", whole(1, 64))
