"""Files from outside that the targets need: in the words of the run, which refuses targets or leaves systems out."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.base.screen import two_digits
from docmt.catalogue.missing import mirror_folder, wanted_files
from docmt.grid.grid import Grid
from docmt.plan.obtain import check_supplies, checkpoints_of
from docmt.plan.supplies import Supplies, left_out_lines
from docmt.plan.unscored import not_scored_lines
from docmt.preflight.finding import RunFinding, told
from docmt.preflight.planned import PlannedRun
from docmt.settings.pretrained import is_random_checkpoint


def check_places(grid: Grid) -> Iterator[RunFinding]:
    """Yield the folders and files of config.yaml that are not there: the mirror, and those of `local` and `human`."""
    mirror = mirror_folder(grid.mirror)
    if mirror is not None and not mirror.is_dir():
        what, remedy = "the mirror is not there", "correct the path, mount the disk, or leave the mirror out (null)"
        yield told("error", what, where="config.yaml mirror", found=str(mirror), remedy=remedy)
    for study, path in grid.human.items():
        if not Path(path).is_file():
            remedy = "write it (`docmt read-sheets --json`), or remove the line"
            yield told("error", "file not found", where=f"config.yaml human.{study}", found=path, remedy=remedy)
    for corpus, folder in grid.local.items():
        if not Path(folder).is_dir():
            remedy = "correct the path, mount the disk, or remove the line"
            yield told("error", "no such folder", where=f"config.yaml local.{corpus}", found=folder, remedy=remedy)


def check_sources(run: PlannedRun) -> Iterator[RunFinding]:
    """Yield what nobody can download for the targets, and state what a run would download."""
    grid = run.grid
    try:
        check_supplies(run.plan, run.targets)
    except UserError as problem:
        yield RunFinding("error", problem)
    scored = not_scored_lines(grid, run.plan.closure(chain(*run.targets.values())))
    studies = [name for name in grid.studies if name in run.targets or ("all" in run.targets and name in grid.active)]
    yield from (told("warning", line) for line in [*left_out_lines(grid, studies), *scored])
    places = grid.places()
    wanted = (file for name in run.corpora for file in wanted_files(grid.corpora[name], places))
    fetched = [file for file in wanted if file.is_public or places.has_remote_mirror]
    if grid.fixtures is not None:
        yield told("fact", f"scale {grid.scale} generates its corpora; no file is downloaded")
    elif fetched:
        size = sum(file.size or 0 for file in fetched) / 1e9
        more = "" if all(file.size for file in fetched) else ", and files of unknown size"
        yield told("fact", f"to download: {len(fetched)} files, {two_digits(size)} GB{more}")


def check_checkpoints(run: PlannedRun) -> Iterator[RunFinding]:
    """Yield the weights that end too early; the numbers inside are not read. What is missing is told of the targets."""
    from safetensors import safe_open

    folders = [folder for folder in checkpoints_of(run.grid, run.jobs) if not is_random_checkpoint(folder)]
    supplies = [*map(Supplies(run.grid).checkpoint, folders)]
    there = [path for each in supplies if each.state == "ready" for path in Path(each.name).glob("*.safetensors")]
    for path in there:
        try:
            with reading(path, "the weights are damaged", remedy="download the file again"), safe_open(path, "numpy"):
                pass
        except UserError as problem:
            yield RunFinding("error", problem)
    fetched = [
        f"; a run downloads {each.name} ({two_digits(each.bytes / 1e9)} GB)"
        for each in supplies
        if each.state == "to-fetch"
    ]
    yield told("fact", f"checkpoints that the targets need: {len(folders)}{''.join(fetched)}")
