"""The checks of Slurm together, for a profile that sends jobs to it."""

from collections.abc import Iterator

from docmt.base.errors import UserError
from docmt.plan.job_times import SiteLimits, estimated_times, time_without_estimate
from docmt.plan.jobs import Job
from docmt.plan.time_limits import AttemptTimes, time_lines
from docmt.preflight.finding import Area, RunFinding
from docmt.preflight.planned import PlannedRun
from docmt.preflight.profile import Profile
from docmt.preflight.slurm.cluster import read_cluster
from docmt.preflight.slurm.partitions import check_associations, check_partitions
from docmt.preflight.slurm.requests import check_requests
from docmt.preflight.slurm.waiting import check_waiting

AREA = Area("Slurm")


def check_slurm(profile: Profile) -> Iterator[RunFinding]:
    """Yield what Slurm lacks of what a profile asks for; only that it does not answer, where it does not."""
    try:
        cluster = read_cluster()
    except UserError as problem:
        yield AREA.of(problem)
        return
    for check in (check_waiting, check_partitions, check_associations, check_requests):
        yield from AREA.collected(check(profile, cluster))
    version, nodes = cluster.config.get("SLURM_VERSION", "?"), len(cluster.nodes)
    yield AREA.fact(f"Slurm {version}: {len(cluster.partitions)} partitions, {nodes} nodes")
    yield AREA.fact("not checked: that all nodes have this folder under the same path")


def check_times(run: PlannedRun, profile: Profile) -> Iterator[RunFinding]:
    """Yield a warning about trainings that are estimated to take longer than all attempts of their jobs."""
    attempts = range(1, profile.attempts + 1)
    numbers = {name: profile.number("train", name) for name in ("runtime", "gpu")}
    if numbers["runtime"] is None or (numbers["gpu"] is None and profile.resource("train", "gpu")[0] is not None):
        yield AREA.fact("not checked: the time of trainings, since a function computes their `runtime` or `gpu`")
        return
    limits = site_limits(profile)
    estimated = estimated_times(run.grid, run.jobs, limits, profile.attempts)

    def times_of(job: Job) -> AttemptTimes:
        time = estimated.get(job.manifest) or time_without_estimate(run.grid, job.rule, limits)
        asked = {"runtime": float(time.minutes), "gpu": float(time.gpus)}
        stated = [name for name in asked if not profile.follows_estimate("train", name)]
        of_each = [asked | {name: profile.number("train", name, number) or 0 for name in stated} for number in attempts]
        minutes = (each["runtime"] for each in of_each)
        return AttemptTimes.after_timeouts(minutes, limits.minutes, int(of_each[0]["gpu"]))

    lines = time_lines(run.grid, [job for job in run.jobs if job.is_training], times_of)
    if lines:
        longest = "; ".join(line.strip() for line in lines[1:])
        yield AREA.warning(lines[0], where=profile.resource("train", "runtime")[1], found=longest or None)


def site_limits(profile: Profile) -> SiteLimits:
    """Return what the site allows a training, as the profile states it."""
    stated = {name: profile.site_limit(f"max_{key}") for name, key in (("minutes", "runtime"), ("gpus", "gpus"))}
    return SiteLimits(**{name: int(value) for name, value in stated.items() if value is not None})
