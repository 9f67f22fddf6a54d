"""What a run obtains before its plan: targets that miss something are refused, and checkpoints are downloaded."""

import dataclasses
from collections.abc import Iterable, Mapping

from docmt.base.errors import UserError
from docmt.base.paths import INDEX, RESULTS, front_link, page_link
from docmt.catalogue.filesets import FileSetConfig
from docmt.catalogue.missing import missing_error, missing_files
from docmt.grid.grid import Grid
from docmt.grid.scored import scoring_of_entry
from docmt.plan.plan import Job, Plan
from docmt.plan.supplies import Supplies, Supply, supplies_of_scores


def check_supplies(plan: Plan, targets: Mapping[str, Iterable[Job]]) -> None:
    """Refuse targets that need files that nobody can download; `targets`: the jobs of each target of Snakemake.

    Raises UserError, with all missing files, checkpoints and translations.
    """
    grid = plan.grid
    # With `missing: skip`, `all` and studies leave out what is missing.
    named = [target for target in targets if grid.missing == "stop" or is_single(grid, target)]
    if not named or grid.fixtures is not None:
        return
    # What a named target shows is not left out: it is missing. A metric may be: the others are computed without it.
    whole = Plan(dataclasses.replace(grid, not_run={}, ways={}), plan.root)
    supplies = Supplies(whole.grid)
    jobs = jobs_to_run(whole, [job for target in named for job in targets[target]])
    corpora = {whole.grid.corpus_in(job.names["corpus"], job.place) for job in jobs if job.step == "corpus"}
    places = whole.grid.places()
    files = {corpus: missing_files(whole.grid.corpora[corpus], places) for corpus in sorted(corpora)}
    needed = [*map(supplies.checkpoint, checkpoints_of(whole.grid, jobs)), *_for_scores(supplies, jobs)]
    needed += map(supplies.translations, translations_of(whole.grid, jobs))
    others = {supply.reason.replace(" is missing:", ","): supply.way for supply in needed if supply.reason}
    if others or any(files.values()):
        raise missing_error(files, places, others)


def jobs_to_run(plan: Plan, targets: Iterable[Job]) -> list[Job]:
    """Return the jobs that would run for targets."""
    targets = list(targets)
    try:
        return plan.to_run(targets)
    except UserError:
        # A missing file decides an identity, so no plan can be made: all jobs count that the targets are made from.
        return list(plan.closure(targets))


def translations_of(grid: Grid, jobs: Iterable[Job]) -> list[str]:
    """Return the paths of the translations that jobs adopt, each once."""
    entries = [grid.find(job.names["corpus"], job.names["system"]) for job in jobs if job.step == "adopt"]
    return list(dict.fromkeys(path for entry in entries for path in grid.translations_for(entry)))


def _for_scores(supplies: Supplies, jobs: Iterable[Job]) -> list[Supply]:
    """Return the supplies of what studies name for the scores of jobs; empty where such metrics are left out."""
    find = supplies.grid.find_scored
    scored = [find(job.names["corpus"], job.names["system"]) for job in jobs if job.step == "scores"]
    studies = dict.fromkeys(entry.study for entry in scored)
    return [supply for study in studies for supply in supplies_of_scores(supplies, study)]


def is_single(grid: Grid, target: str) -> bool:
    """Return whether a target of Snakemake is a single result, and not all of a study."""
    pages = {front_link(grid.scale), *(page_link(grid.scale, study, INDEX) for study in grid.studies)}
    return target.startswith(f"{RESULTS}/") and target not in pages


def checkpoints_of(grid: Grid, jobs: Iterable[Job]) -> list[str]:
    """Return the folders of the checkpoints that jobs read, each once."""
    folders: list[str | None] = []
    for job in jobs:
        if job.step == "train":
            folders.append(grid.find(job.names["corpus"], job.names["system"]).system.pretrained)
        elif job.step == "tokens":
            folders.append(grid.texts[job.names["text"]].pretrained)
        elif job.step == "scores":
            scoring = scoring_of_entry(grid, grid.find_scored(job.names["corpus"], job.names["system"]))
            folders += [scoring.model, scoring.aligner_model]
    return list(dict.fromkeys(folder for folder in folders if folder is not None))


def checkpoints_to_fetch(plan: Plan, targets: Iterable[Job]) -> list[FileSetConfig]:
    """Return the checkpoints that the targets need and that the user has agreed to download."""
    if not plan.grid.fetch_checkpoints:
        return []
    supplies = Supplies(plan.grid, plan.root)
    folders = checkpoints_of(plan.grid, plan.closure(targets))
    return [supplies.checkpoints[folder] for folder in folders if supplies.checkpoint(folder).state == "to-fetch"]
