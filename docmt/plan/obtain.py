"""What a run obtains before its plan: targets that miss something are refused, and checkpoints are downloaded."""

import dataclasses
from collections.abc import Iterable, Sequence

from docmt.base.errors import UserError
from docmt.base.paths import CORPUS, REPORT, RESULTS, demo_report
from docmt.catalogue.filesets import FileSetConfig
from docmt.catalogue.missing import missing_error, missing_files
from docmt.grid.grid import Grid
from docmt.grid.scored import scoring_of_entry
from docmt.plan.driver import targets_of
from docmt.plan.jobs import Job
from docmt.plan.planning import Planner
from docmt.plan.stored import stored_for
from docmt.plan.supplies import Supplies, Supply
from docmt.plan.unscored import supplies_of_scores


def check_supplies(grid: Grid, targets: Iterable[str]) -> None:
    """Refuse targets that need files that nobody can download.

    With `missing: skip`, `all` and studies leave out what is missing, so that they are never refused. Raises UserError,
    with all missing files, checkpoints and translations.
    """
    named = [target for target in targets if grid.missing == "stop" or is_single(grid, target)]
    if not named or grid.fixtures is not None:
        return
    # What a named target shows is not left out: it is missing. A metric may be: the others are computed without it.
    whole = dataclasses.replace(grid, not_run={}, ways={})
    planner, supplies = Planner(whole, stored=stored_for(whole)), Supplies(whole)
    wanted = targets_of(planner, named)
    for job in wanted:
        planner.jobs.settings(job)  # refuses a target of another scale, whatever is missing
    jobs = jobs_to_run(planner, wanted)
    corpora = {whole.corpus_in(job.names["corpus"], CORPUS.at(**job.names)) for job in jobs if job.rule == "corpus"}
    files = {corpus: missing_files(whole.corpora[corpus], whole.places()) for corpus in sorted(corpora)}
    needed = [*map(supplies.checkpoint, checkpoints_of(whole, jobs)), *_for_scores(supplies, jobs)]
    needed += map(supplies.translations, translations_of(whole, jobs))
    others = {supply.reason.replace(" is missing:", ","): supply.way for supply in needed if supply.reason}
    if others or any(files.values()):
        raise missing_error(files, whole.places(), others)


def jobs_to_run(planner: Planner, wanted: Sequence[Job]) -> list[Job]:
    """Return the jobs that would run: those whose outputs are neither here nor in the store.

    Where a missing file decides an identity, no plan can be made, and all jobs count that the targets are made from.
    """
    try:
        return list(planner.plan(wanted).reasons)
    except UserError:
        return list(planner.closure(wanted))


def translations_of(grid: Grid, jobs: Iterable[Job]) -> list[str]:
    """Return the paths of the translations that jobs adopt, each once."""
    entries = [grid.find(job.names["corpus"], job.names["system"]) for job in jobs if job.rule == "adopt"]
    return list(dict.fromkeys(path for entry in entries for path in grid.translations_for(entry)))


def _for_scores(supplies: Supplies, jobs: Iterable[Job]) -> list[Supply]:
    """Return the supplies of what studies name for the scores of jobs; empty where such metrics are left out."""
    grid = supplies.grid
    scored = [grid.find_scored(job.names["corpus"], job.names["system"]) for job in jobs if job.rule == "scores"]
    studies = dict.fromkeys(entry.study for entry in scored)
    wanted = [supply for study in studies for supply in supplies_of_scores(supplies, study)]
    return [supply for supply in wanted if supply.name not in grid.not_scored]


def is_single(grid: Grid, target: str) -> bool:
    """Return whether a target of Snakemake is a single file of results, and not all of a study."""
    pages = {f"{REPORT.at(scale=grid.scale, study=study)}/index.html" for study in grid.studies}
    is_file = target.startswith(f"{RESULTS}/") and target not in (*pages, demo_report(grid.scale))
    return is_file and "/downloads/" not in target


def checkpoints_of(grid: Grid, jobs: Iterable[Job]) -> list[str]:
    """Return the folders of the checkpoints that jobs read, each once."""
    folders: list[str | None] = []
    for job in jobs:
        if job.rule == "train":
            folders.append(grid.find(job.names["corpus"], job.names["system"]).system.pretrained)
        elif job.rule == "tokens":
            folders.append(grid.texts[job.names["text"]].pretrained)
        elif job.rule == "scores":
            scoring = scoring_of_entry(grid, grid.find_scored(job.names["corpus"], job.names["system"]))
            folders += [scoring.model, scoring.aligner_model]
    return list(dict.fromkeys(folder for folder in folders if folder is not None))


def checkpoints_to_fetch(planner: Planner, targets: Iterable[str]) -> list[FileSetConfig]:
    """Return the checkpoints that the targets need and that the user has agreed to download."""
    grid = planner.jobs.grid
    if not grid.fetch_checkpoints:
        return []
    supplies = Supplies(grid, planner.digests.root)
    folders = checkpoints_of(grid, planner.closure(targets_of(planner, targets)))
    return [supplies.checkpoints[folder] for folder in folders if supplies.checkpoint(folder).state == "to-fetch"]
