"""The checks of a run, one after another: what one of them finds hides nothing that another one would find."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from docmt.base.errors import UserError
from docmt.grid.grid import Grid
from docmt.preflight import checkpoints, devices, disk, environment, network, place, settings, slurm, sources, store
from docmt.preflight.finding import Area, RunFinding, once
from docmt.preflight.planned import planned_run
from docmt.preflight.requests import Requests, read_requests

PROFILE = Area("profile")


def preflight(targets: Sequence[str], overrides: dict, profile: str | None, ask_sources: bool) -> list[RunFinding]:
    """Return the findings of all checks of a run of targets in the present folder.

    `overrides` replaces keys of config.yaml. `profile`: that of the run; None = no `--profile`. `ask_sources`: whether
    the sources of files are asked over the network. Raises UserError where there is no config.yaml, or where it is no
    YAML.
    """
    grid, findings = settings.read_settings(overrides)
    requests = Requests()
    if profile is not None and any(finding.level == "error" for finding in findings):
        findings.append(PROFILE.fact("not checked: the profile, since snakemake plans nothing with wrong settings"))
    elif profile is not None:
        try:
            requests = read_requests(profile, targets, overrides)
        except UserError as problem:
            findings.append(PROFILE.of(problem))
    if grid is not None:
        findings += _of_grid(grid, targets, requests, ask_sources)
    findings += place.check_place()
    findings += slurm.check_slurm(requests) if requests.executor == "slurm" else []
    return once(findings)


def _of_grid(grid: Grid, targets: Sequence[str], requests: Requests, ask_sources: bool) -> Iterator[RunFinding]:
    """Yield the findings about the settings that are right."""
    yield from sources.check_places(grid)
    yield from store.AREA.collected(store.check_store(grid))
    # A missing folder is reported now, and must not end the plan of the jobs.
    there = {corpus: folder for corpus, folder in grid.local.items() if Path(folder).is_dir()}
    run, findings = planned_run(replace(grid, local=there), targets)
    yield from findings
    checks: list[tuple[Area, Iterator[RunFinding]]] = [
        (sources.AREA, sources.check_sources(run)),
        (checkpoints.AREA, checkpoints.check_checkpoints(run)),
        (environment.AREA, environment.check_environment(run)),
        (disk.AREA, disk.check_disk(run)),
        (devices.AREA, devices.check_devices(grid, requests)),
        (devices.AREA, devices.check_numbers(run, requests)),
    ]
    checks += [(network.AREA, network.check_network(run))] if ask_sources else []
    for area, check in checks:
        yield from area.collected(check)
