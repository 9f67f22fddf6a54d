"""The executor `docmt-slurm` of Snakemake: its Slurm executor, with what a site with a thousand jobs needs.

It departs from its parent, `snakemake-executor-plugin-slurm`, in these things:

- the name of a job in `squeue` says rule, corpus, system and seed, and its comment has all its names (`naming.py`);
- states are asked for by the numbers of the jobs, so that a cancelled or preempted job ends the wait (`states.py`);
- the causes of failures are written down, and the next attempt asks for more of what was short (`docmt.base.failures`);
- a driver that was killed leaves its jobs to the next, which waits for them instead of submitting them again
  (`adoption.py`);
- settings for the jobs that have a GPU, and for downloads, are beside the others in one file (`settings.py`).

Snakemake finds the package by its name. Within a job the executor `slurm-jobstep` runs it, as with the parent.
"""

from snakemake_executor_plugin_slurm import common_settings

from .executor import Executor
from .settings import ExecutorSettings

__all__ = ["Executor", "ExecutorSettings", "common_settings"]
