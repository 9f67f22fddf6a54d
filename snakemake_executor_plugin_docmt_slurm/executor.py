"""The executor: it submits jobs, waits for them, and cancels them."""

import shlex
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import snakemake_executor_plugin_slurm as parent
from snakemake.iocontainers import ResourceList
from snakemake_executor_plugin_slurm.submit_string import get_submit_command
from snakemake_executor_plugin_slurm.utils import set_gres_string
from snakemake_executor_plugin_slurm.validation import validate_or_get_slurm_job_id, validate_slurm_extra
from snakemake_interface_common.exceptions import WorkflowError
from snakemake_interface_executor_plugins.executors.base import SubmittedJobInfo

from docmt.base.failures import VARIABLE, FailureCause, counts_of, note_failure, written_counts
from docmt.base.site_resources import replacing

from .adoption import Earlier, alive, cancel, write_group
from .naming import Comment, digest_of_folder, group_name, job_name, members, text_of, work_of
from .states import ENDED, LOST, States

STEP_S = 10
"""Seconds by which the time between queries grows after a query without news."""


class SiteJob:
    """A job of Snakemake with the resources that a site adds, for the functions that write its command line."""

    def __init__(self, job: Any, **added: str) -> None:
        """Take a job; `added` replaces its resources of these names."""
        self._job = job
        self.resources = ResourceList(fromdict={**dict(job.resources.items()), **added})

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the job."""
        return getattr(self._job, name)


class Executor(parent.Executor):
    """The executor of Slurm that names its jobs, notices all their ends, and remembers why they failed."""

    def __post_init__(self, test_mode: bool = False) -> None:
        """Begin a run, with no earlier jobs looked for yet."""
        super().__post_init__(test_mode)
        self._states = States(self.get_status_command() or "squeue")
        self._earlier: list[Earlier] | None = None
        self._adopted: set[str] = set()

    def run_jobs(self, jobs: list[Any]) -> None:
        """Submit jobs, one after another; a job that cannot be submitted counts as failed."""
        for job in jobs:
            self.run_job_pre(job)
            try:
                self.run_job(job)
            except (WorkflowError, OSError, ValueError) as problem:
                self.report_job_error(SubmittedJobInfo(job), msg=f"The job was not submitted: {problem}\n")

    def run_job(self, job: Any) -> None:
        """Submit a job, unless an earlier driver has submitted the same work, which then is waited for."""
        work = work_of(members(job))
        number = self._adopt(job, work) or self._submit(job, work)
        log = str(self._log(job)).replace("%j", number)
        self.logger.info(f"Job {job.jobid} is Slurm job {number} (log: {log}).")
        self.report_job_submission(SubmittedJobInfo(job, external_jobid=number, aux={"slurm_logfile": Path(log)}))

    def _submit(self, job: Any, work: str) -> str:
        """Call `sbatch`; return the number of the job. Raises WorkflowError where Slurm refuses the job."""
        if job.is_group():
            write_group(Path(), work, map(text_of, members(job)))
        call, script = self._command(job, work, self._cancel_other_work(job))
        done = subprocess.run(call, shell=True, input=script, capture_output=True, text=True)
        if done.returncode != 0:
            raise WorkflowError(f"sbatch ended with status {done.returncode}: {done.stderr.strip()}\n    {call}")
        return validate_or_get_slurm_job_id(done.stdout.strip().split(";")[0], done.stdout)

    def _command(self, job: Any, work: str, after: list[str]) -> tuple[str, str | None]:
        """Return the command line of `sbatch` for a job, and its standard input where the script is given there.

        The job waits until the jobs with the numbers `after` have ended.
        """
        settings = self.workflow.executor_settings
        asking = SiteJob(job, **self._of_site(job))
        if any(asking.resources.get(name) for name in ("cluster", "clusters", "slurm_cluster")):
            raise WorkflowError("jobs on several clusters are not supported; remove the resource `slurm_cluster`")
        validate_slurm_extra(asking)
        log = self._log(job)
        log.parent.mkdir(parents=True, exist_ok=True)
        facts = {
            "run_uuid": job_name(job, settings.jobname_prefix or "docmt"),
            "slurm_logfile": log,
            "comment_str": str(Comment.of(job, self.run_uuid, digest_of_folder(Path()), work)),
            "account": next(self.get_account_arg(asking)),
            "partition": self.get_partition_arg(asking),
            "workdir": self.workflow.workdir_init,
        }
        call = get_submit_command(asking, facts, settings=settings, failed_nodes=self._failed_nodes)
        call += set_gres_string(asking) + (f" --dependency=afterany:{':'.join(after)}" if after else "")
        if settings.pass_command_as_script:
            return f"{call} /dev/stdin", f"#!/bin/sh\n{self.format_job_exec(job)}"
        return f"{call} --wrap={shlex.quote(self.format_job_exec(job))}", None

    def _of_site(self, job: Any) -> dict[str, str]:
        """Return the resources that the site's settings add to a job: of a GPU, and of a download."""
        settings = self.workflow.executor_settings
        is_download = all(member.rule.name == "download" for member in members(job))
        names = replacing(bool(job.resources.get("gpu")), is_download)
        return {resource: value for resource, name in names.items() if (value := getattr(settings, name))}

    def _log(self, job: Any) -> Path:
        """Return the path of Slurm's log of a job, with `%j` for its number."""
        if job.is_group():
            return self.slurm_logdir / f"group_{group_name(job)}" / "%j.log"
        names = "_".join(map(str, job.wildcards)).replace("/", "_")
        return self.slurm_logdir / f"rule_{job.name}" / names / "%j.log"

    def get_job_exec_prefix(self, job: Any) -> str:
        """Return the start of a job's command, which tells the job of its failed attempts as this driver knows them."""
        counts = {text_of(member): counts_of(text_of(member)) for member in members(job)}
        return f"export {VARIABLE}={shlex.quote(written_counts(counts))}"

    def get_account_arg(self, job: Any) -> Iterator[str]:
        """Yield the option with the account; nothing is guessed, so that SBATCH_ACCOUNT and the default have a say."""
        yield from super().get_account_arg(job) if job.resources.get("slurm_account") else [""]

    def get_partition_arg(self, job: Any) -> str:
        """Return the option with the partition; without any SBATCH_PARTITION or the default of the cluster decides."""
        return super().get_partition_arg(job) if job.resources.get("slurm_partition") or self._partitions else ""

    @property
    def _earlier_jobs(self) -> list[Earlier]:
        """The jobs of earlier drivers that nobody waits for; they are looked for once, before the first submission."""
        if self._earlier is None:
            self._earlier = [each for each in alive(Path()) if each.run != self.run_uuid]
        return self._earlier

    def _adopt(self, job: Any, work: str) -> str | None:
        """Return the number of an earlier driver's job for the same work; None where there is none."""
        for each in self._earlier_jobs:
            if each.work == work:
                self._earlier_jobs.remove(each)
                self._adopted.add(each.number)
                self.logger.info(f"Slurm job {each.number} of an earlier run does job {job.jobid}; it is waited for.")
                return each.number
        return None

    def _cancel_other_work(self, job: Any) -> list[str]:
        """Cancel the earlier jobs that write this job's files, but not as asked for now; return their numbers."""
        jobs = {text_of(member) for member in members(job)}
        others = [each for each in self._earlier_jobs if each.jobs & jobs]
        for each in others:
            self.logger.warning(f"Slurm job {each.number} of an earlier run is cancelled: other work is asked for now.")
            self._earlier_jobs.remove(each)
        for problem in cancel([each.number for each in others]):
            self.logger.warning(f"scancel: {problem}")
        return [each.number for each in others]

    async def check_active_jobs(self, active_jobs: list[SubmittedJobInfo]) -> AsyncIterator[SubmittedJobInfo]:
        """Report the jobs that have ended; yield the others."""
        settings = self.workflow.executor_settings
        first = settings.init_seconds_before_status_checks
        states = None
        if active_jobs:
            async with self.status_rate_limiter:
                states = self._states.of(info.external_jobid for info in active_jobs)
        any_ended = False
        for info in active_jobs:
            state = (states or {}).get(info.external_jobid, "")
            if state in ENDED or state == LOST:
                any_ended = True
                self._report_end(info, state)
            else:
                yield info
        longest = max(first, settings.max_seconds_between_status_checks)
        wait = first if any_ended or not active_jobs else self.next_seconds_between_status_checks + STEP_S
        self.next_seconds_between_status_checks = min(wait, longest)

    def _report_end(self, info: SubmittedJobInfo, state: str) -> None:
        """Tell Snakemake that a job has ended; write down why it failed, before the next attempt's resources."""
        if state == "COMPLETED":
            self.report_job_success(info)
            if not self.workflow.executor_settings.keep_successful_logs:
                info.aux["slurm_logfile"].unlink(missing_ok=True)
            return
        for member in members(info.job):
            if not info.job.is_group() or not all(Path(file).exists() for file in member.output):
                note_failure(text_of(member), ENDED.get(state) or FailureCause.OTHER, info.external_jobid, state)
        said = "Slurm no longer knows it" if state == LOST else f"its state is {state}"
        log = info.aux["slurm_logfile"]
        self.report_job_error(info, msg=f"Slurm job {info.external_jobid} failed: {said}. ", aux_logs=[str(log)])

    def cancel_jobs(self, active_jobs: list[SubmittedJobInfo]) -> None:
        """Cancel the jobs of this run, also those that are not in the list since they are being asked about."""
        numbers = {info.external_jobid for info in active_jobs if info.external_jobid} | self._adopted
        numbers |= {each.number for each in alive(Path()) if each.run == self.run_uuid}
        problems = cancel(sorted(numbers))
        if problems:
            raise WorkflowError(f"Jobs were not cancelled: {'; '.join(problems)}")
