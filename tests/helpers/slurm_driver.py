"""The executor of Slurm without Snakemake around it, and jobs like those of Snakemake."""

import logging
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

from helpers.awaiting import result_of
from snakemake.iocontainers import ResourceList
from snakemake_executor_plugin_docmt_slurm import Executor, ExecutorSettings, common_settings


def job_of(rule: str, number: int = 1, resources: dict | None = None, **names: str) -> SimpleNamespace:
    """A job of Snakemake that is no group; `settings.json` in the working folder has its settings."""
    resources = {"mem_mb": 2000, "runtime": 60, "nodes": 1, **(resources or {})}
    return SimpleNamespace(
        rule=SimpleNamespace(name=rule),
        name=rule,
        jobid=number,
        wildcards=list(names.values()),
        wildcards_dict=names,
        resources=ResourceList(fromdict=resources),
        params={"settings": "settings.json"},
        threads=1,
        output=[f"{rule}-{number}.txt"],
        is_group=lambda: False,
    )


def group_of(*jobs: SimpleNamespace) -> SimpleNamespace:
    """A group of jobs, with the resources of the first."""
    rules = sorted({job.rule.name for job in jobs})
    first = {"name": f"5a3b_{'_'.join(rules)}", "jobid": "5a3b", "resources": jobs[0].resources, "threads": 1}
    return SimpleNamespace(jobs=frozenset(map(Hashable, jobs)), is_group=lambda: True, **first)


class Hashable(SimpleNamespace):
    """A job that may be a member of a set."""

    def __init__(self, job: SimpleNamespace) -> None:
        super().__init__(**vars(job))

    def __hash__(self) -> int:
        return id(self)


class Driver(Executor):
    """The executor without Snakemake around it: what it reports is in lists, and nothing polls by itself."""

    def __init__(self, **settings: object) -> None:
        factory = SimpleNamespace(general_args=lambda **_: "--force", precommand=lambda **_: "module load cuda")
        self.workflow = SimpleNamespace(
            executor_settings=ExecutorSettings(**{"status_command": "squeue", "logdir": Path("logs"), **settings}),
            workdir_init=str(Path.cwd()),
            spawned_job_args_factory=factory,
            executor_plugin=SimpleNamespace(common_settings=common_settings),
            group_settings=SimpleNamespace(local_groupid="local"),
            remote_execution_settings=SimpleNamespace(seconds_between_status_checks=10),
        )
        self.logger, self.snakefile, self._next_seconds_between_status_checks = (
            logging.getLogger("test"),
            "Snakefile",
            None,
        )
        self.status_rate_limiter = nullcontext()
        self.submitted, self.done, self.failed = [], [], []
        self.__post_init__()

    def get_job_args(self, job):
        return "--attempt 1"

    def envvars(self):
        return {}

    def get_python_executable(self):
        return "python"

    def run_job_pre(self, job):
        pass

    def report_job_submission(self, info, register_job=True):
        self.submitted.append(info)

    def report_job_success(self, info):
        self.done.append(info.external_jobid)

    def report_job_error(self, info, msg=None, **kwargs):
        self.failed.append((info.external_jobid, msg))

    def poll(self) -> list[str]:
        """Ask once for the states; return the numbers of the jobs that wait or run."""

        async def still_active() -> list:
            return [info async for info in self.check_active_jobs(self.submitted)]

        self.submitted = result_of(still_active())
        return [info.external_jobid for info in self.submitted]
