"""The checks of a run, one after another: what one of them says hides nothing that another one would say."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from docmt.base.errors import UserError
from docmt.base.names import DeviceName
from docmt.grid.grid import Grid
from docmt.preflight import devices, environment, files, place, settings, slurm, store
from docmt.preflight.finding import RunFinding, in_area, once, told
from docmt.preflight.planned import planned_run


def preflight(targets: Sequence[str], overrides: dict, profile: str | None) -> list[RunFinding]:
    """Return the findings of all checks of a run of targets in the present folder.

    `overrides` replaces keys of config.yaml. `profile`: that of the run; None = no `--profile`. Raises UserError where
    there is no config.yaml, or where it is no YAML.
    """
    grid, findings = settings.read_settings(overrides)
    findings, requests = [*in_area("settings", findings)], slurm.Requests()
    if profile is not None and any(finding.level == "error" for finding in findings):
        what = "not checked: the profile, since snakemake plans nothing with wrong settings"
        findings += in_area("profile", [told("fact", what)])
    elif profile is not None:
        try:
            requests = slurm.read_requests(profile, targets, overrides)
        except UserError as problem:
            findings += in_area("profile", [RunFinding("error", problem)])
    if grid is not None:
        broken = {finding.message.file_stem for finding in findings if finding.level == "error"}
        findings += _of_grid(grid, targets, requests, broken)
    findings += in_area("place", place.check_place())
    findings += in_area("Slurm", slurm.check_slurm(requests)) if requests.executor == slurm.PREFIX else []
    return once(findings)


def check_gpu(device: DeviceName) -> list[RunFinding]:
    """Return what the checks of a device find; where there is no such device, the finding that says so."""
    return [*in_area("GPU", devices.check_computing(device))]


def _of_grid(
    grid: Grid, targets: Sequence[str], requests: slurm.Requests, broken: Collection[str]
) -> Iterator[RunFinding]:
    yield from in_area("sources", files.check_places(grid))
    yield from in_area("store", store.check_store(grid))
    # What is missing of these is reported now, and must not end the plan of the jobs.
    there = {key: {name: p for name, p in getattr(grid, key).items() if Path(p).exists()} for key in ("local", "human")}
    run, findings = planned_run(replace(grid, **there), targets, broken)
    yield from in_area("targets", findings)
    yield from in_area("sources", files.check_sources(run))
    yield from in_area("checkpoints", files.check_checkpoints(run))
    yield from in_area("environment", environment.check_environment(run))
    yield from in_area("disk", place.check_disk(run))
    yield from in_area("devices", devices.check_devices(run, requests))
