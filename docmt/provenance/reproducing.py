"""The work of `docmt reproduce`: a target made again elsewhere, and compared with its first run."""

import tempfile
from collections.abc import Mapping
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docmt.plan.explain import jobs_of_target
from docmt.plan.planning import Planner
from docmt.plan.run import grid_of_run
from docmt.provenance.comparing import Reproduction, check_first_run, compare
from docmt.provenance.remaking import (
    copy_downloads,
    files_to_link,
    link_files,
    open_crate,
    prepare_folder,
    run_snakemake,
    settings_of_crate,
)
from docmt.provenance.workflow import main_config


@dataclass(frozen=True)
class NewRun:
    """What is to be made again: the target, the new folder, the cores, and the settings of the command line.

    `with_downloads`: whether the downloads of the first run are copied.
    """

    target: str
    folder: Path
    cores: int
    overrides: Mapping[str, Any]
    with_downloads: bool = False


def reproduce(new_run: NewRun, root: Path, crate: Path | None) -> Reproduction:
    """Make a target again, and compare it with the first run in the project `root`, or in a crate.

    Raises UserError for an unknown target, where the first run does not have the target, where the folder cannot be
    used, and where Snakemake fails.
    """
    if crate is None:
        return _make_and_compare(new_run, new_run.overrides, root, root)
    with tempfile.TemporaryDirectory() as temporary:
        first_run = open_crate(crate, Path(temporary))
        overrides = {**settings_of_crate(first_run), **new_run.overrides}
        return _make_and_compare(new_run, overrides, first_run, crate)


def _make_and_compare(new_run: NewRun, overrides: Mapping[str, Any], first_run: Path, origin: Path) -> Reproduction:
    """Make the target in the new folder, and compare it with a first run, which comes from `origin`."""
    target, folder = new_run.target, new_run.folder
    with chdir(first_run):
        planner, config = Planner(grid_of_run(Path(), dict(overrides))), main_config(Path(), overrides)
        jobs = jobs_of_target(planner, target)
        check_first_run(jobs, first_run)
        linked = files_to_link(planner, jobs, first_run, folder, config)
        prepare_folder(first_run, folder, config, {"target": target, "from": str(origin)})
        link_files(linked, first_run, folder)
        if new_run.with_downloads:
            copy_downloads(planner, jobs, first_run, folder)
    run_snakemake(folder, target, new_run.cores, overrides)
    with chdir(folder):
        planner = Planner(grid_of_run(Path(), dict(overrides)))
        return compare(planner, jobs_of_target(planner, target), first_run)
