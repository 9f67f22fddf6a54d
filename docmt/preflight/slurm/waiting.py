"""Settings of Slurm with which a run waits for ever for a job that has ended, or does not start it again."""

import re
from collections.abc import Iterator

from docmt.base.errors import UserError
from docmt.preflight.finding import Area, RunFinding
from docmt.preflight.profile import Profile
from docmt.preflight.slurm.cluster import Cluster, ask
from docmt.preflight.slurm.partitions import partitions_of, sent_rules

AREA = Area("Slurm")
INIT_SECONDS = 40
"""The seconds before the first question for the status of a job, where the profile states none."""
POLLS = 3
"""The number of questions for which Slurm must remember a finished job."""
STATUS = "status-command"


def check_waiting(profile: Profile, cluster: Cluster) -> Iterator[RunFinding]:
    """Yield the settings with which the end of a job is not noticed, or a preempted job is lost."""
    command = str(profile.flag(STATUS) or "sacct")
    yield from _by_sacct(profile, cluster) if "sacct" in command else _by_squeue(profile, cluster)
    yield from _preempted(profile, cluster)


def _by_sacct(profile: Profile, cluster: Cluster) -> Iterator[RunFinding]:
    """Yield why `sacct` does not tell that a job has ended."""
    where = profile.place(profile.flag_name(STATUS))
    remedy = f"set {profile.flag_name(STATUS)}: squeue"
    accounting = cluster.config.get("AccountingStorageType", "")
    if accounting.endswith("none"):
        what = "a run would wait for ever: it asks sacct for the status of jobs, and this cluster keeps no accounts"
        yield AREA.error(what, where=where, found=f"AccountingStorageType = {accounting}", remedy=remedy)
        return
    try:
        ask("sacct", "-X", "-n", "-P", "--starttime", "now", "--format", "JobID")
    except UserError as problem:
        what = "a run would wait for ever: sacct does not answer"
        yield AREA.error(what, where=where, found=problem.found, remedy=remedy)
    if profile.executor == "slurm":
        yield AREA.error(
            "a run would wait for ever for a job that somebody cancels: by sacct this plugin does not see it",
            where=where,
            found="sacct says CANCELLED by UID, and the plugin expects CANCELLED",
            remedy=remedy,
        )


def _by_squeue(profile: Profile, cluster: Cluster) -> Iterator[RunFinding]:
    """Yield an error where Slurm forgets a finished job before `squeue` is asked for it."""
    name = profile.flag_name("init-seconds-before-status-checks")
    seconds = profile.values.get(name, INIT_SECONDS)
    age = re.match(r"\d+", cluster.config.get("MinJobAge", ""))
    # With 0 Slurm forgets no job.
    if age and isinstance(seconds, int | float) and 0 < int(age[0]) < POLLS * seconds:
        yield AREA.error(
            "Slurm forgets finished jobs before squeue is asked for them: a run may take a failed job for finished",
            where=profile.place(name),
            found=f"{seconds} s before the first question; MinJobAge = {age[0]} s",
            expected=f"MinJobAge of {POLLS} times these seconds or more: {POLLS * seconds:g} s",
            remedy=f"lower {name} to {int(age[0]) // POLLS}, or ask the administrators for a larger MinJobAge",
        )


def _preempted(profile: Profile, cluster: Cluster) -> Iterator[RunFinding]:
    """Yield what happens to jobs that a more urgent job takes the place of."""
    requeues = profile.flag("requeue") is True
    used = {name for rule in sent_rules() for name in partitions_of(rule, profile, cluster)[0]}
    # A partition without a mode of its own says that of the cluster.
    names = sorted(used & {*cluster.partitions})
    modes = {f"partition {name} PreemptMode": cluster.partitions[name].preempt_mode for name in names}
    can_preempt = not cluster.config.get("PreemptType", "").endswith("none")
    for where, mode in modes.items():
        if can_preempt and "CANCEL" in mode:
            # The executor of this project sees that such a job has ended, and the parent of it does not.
            waits = profile.executor == "slurm"
            find, outcome = (
                (AREA.error, "a run would wait for ever for such a job")
                if waits
                else (AREA.warning, "each of them uses up one of the attempts that `retries` gives a job")
            )
            yield find(
                f"preempted jobs are cancelled, and {outcome}",
                where=where,
                found=mode,
                expected="REQUEUE",
                remedy="use a partition that is not preempted, or ask the administrators for REQUEUE",
            )
    if not requeues and cluster.config.get("JobRequeue") == "0":
        yield AREA.warning(
            "a job that is preempted, or whose node fails, is not started again",
            where=profile.place(profile.flag_name("requeue")),
            found="JobRequeue = 0",
            remedy=f"set {profile.flag_name('requeue')}: true",
        )
