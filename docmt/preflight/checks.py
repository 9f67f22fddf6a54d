"""The checks of a run, one after another: what one of them finds hides nothing that another one would find."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from docmt.base.errors import UserError
from docmt.grid.grid import Grid
from docmt.preflight import (
    budget,
    checkpoints,
    devices,
    disk,
    environment,
    network,
    place,
    profile,
    settings,
    sources,
    store,
)
from docmt.preflight.finding import Area, RunFinding, once
from docmt.preflight.planned import planned_run
from docmt.preflight.profile import Profile
from docmt.preflight.slurm import checks as slurm


def preflight(targets: Sequence[str], overrides: dict, profile_name: str | None, ask_sources: bool) -> list[RunFinding]:
    """Return the findings of all checks of a run of targets in the present folder.

    `overrides` replaces keys of config.yaml. `profile_name`: the profile of the run; None = no `--profile`.
    `ask_sources`: whether the sources of files are asked over the network. Raises UserError where there is no
    config.yaml, or where it is no YAML.
    """
    grid, findings = settings.read_settings(overrides)
    read = Profile()
    try:
        read = profile.read_profile(profile_name)
        findings += profile.AREA.collected(profile.check_profile(profile_name, read))
    except UserError as problem:
        findings.append(profile.AREA.of(problem))
    if grid is not None:
        read = replace(read, device=grid.device)
        findings += _of_grid(grid, targets, read, ask_sources)
    findings += place.check_place()
    findings += slurm.check_slurm(read) if read.is_slurm else []
    return once(findings)


def _of_grid(grid: Grid, targets: Sequence[str], read: Profile, ask_sources: bool) -> Iterator[RunFinding]:
    """Yield the findings about the settings that are right; `read`: the profile of the run."""
    yield from sources.check_places(grid)
    yield from store.AREA.collected(store.check_store(grid))
    # A missing folder is reported now, and must not end the plan of the jobs.
    there = {corpus: folder for corpus, folder in grid.local.items() if Path(folder).is_dir()}
    run, findings = planned_run(replace(grid, local=there), targets)
    yield from findings
    checks: list[tuple[Area, Iterator[RunFinding]]] = [
        (sources.AREA, sources.check_sources(run)),
        (checkpoints.AREA, checkpoints.check_checkpoints(run)),
        (environment.AREA, environment.check_environment(run, read)),
        (disk.AREA, disk.check_disk(run)),
        (budget.AREA, budget.check_hours(run)),
        (devices.AREA, devices.check_devices(grid, read)),
        (devices.AREA, devices.check_numbers(run, read)),
    ]
    checks += [(network.AREA, network.check_network(run))] if ask_sources else []
    checks += [(slurm.AREA, slurm.check_times(run, read))] if read.is_slurm else []
    for area, check in checks:
        yield from area.collected(check)
