"""Files of corpora and translations that the targets need: in no folder, by hand, with a licence, or unreachable."""

from collections.abc import Iterator
from pathlib import Path

from docmt.base.errors import UserError
from docmt.catalogue.corpus import CorpusConfig
from docmt.catalogue.files import FileConfig
from docmt.catalogue.missing import Places, mirror_folder, missing_files, wanted_files
from docmt.grid.grid import Grid
from docmt.plan.supplies import Supplies, corpus_supply, names_of
from docmt.plan.unscored import missing_for_scores, supply_for_scores
from docmt.preflight.finding import Area, RunFinding
from docmt.preflight.planned import PlannedRun
from docmt.settings.scoring import MODEL

AREA = Area("sources")
ASKED = "`docmt preflight --sources` asks whether each source has its file"


def check_places(grid: Grid) -> Iterator[RunFinding]:
    """Yield the folders of config.yaml that are not there: the mirror, and those of `local`."""
    mirror = mirror_folder(grid.mirror)
    if mirror is not None and not mirror.is_dir():
        yield AREA.error(
            "the mirror is not there",
            where="config.yaml mirror",
            found=str(mirror),
            expected="a folder, or an address",
            remedy="correct the path, mount the disk, or leave the mirror out (null)",
        )
    for study, path in grid.human.items():
        if not Path(path).is_file():
            remedy = "write it (`docmt read-sheets --json`), or remove the line"
            yield AREA.error("file not found", where=f"config.yaml human.{study}", found=path, remedy=remedy)
    for corpus, folder in grid.local.items():
        if not Path(folder).is_dir():
            remedy = "correct the path, mount the disk, or remove the line"
            yield AREA.error("no such folder", where=f"config.yaml local.{corpus}", found=folder, remedy=remedy)


def check_sources(run: PlannedRun) -> Iterator[RunFinding]:
    """Yield what nobody can download for the targets, and state what a run would download."""
    yield from _for_scores(run)
    if run.grid.fixtures is not None:
        yield AREA.fact(f"scale {run.grid.scale} generates its corpora; no file is downloaded")
        return
    places, fetched = run.grid.places(), []
    for name in run.corpora:
        corpus = run.grid.corpora[name]
        try:
            yield from _by_hand(run, corpus, places)
            fetched += [(name, file) for file in downloads(corpus, places)]
        except UserError as problem:  # several files of one name
            yield AREA.of(problem)
    supplies = Supplies(run.grid)
    for path in run.translations:
        supply = supplies.translations(path)
        if supply.reason:
            make = AREA.error if run.refused else AREA.warning
            yield make("translations of another system are missing", where=path, remedy=supply.way)
    if fetched:
        size = sum(file.size or 0 for _, file in fetched) / 1e9
        more = "" if all(file.size for _, file in fetched) else ", and files of unknown size"
        yield AREA.fact(f"to download: {len(fetched)} files, {size:.2g} GB{more}; {ASKED}")


def downloads(corpus: CorpusConfig, places: Places) -> list[FileConfig]:
    """Return the files of a corpus that a run would download. Raises UserError as `Places.find` does."""
    return [file for file in wanted_files(corpus, places) if file.is_public or places.has_remote_mirror]


def _for_scores(run: PlannedRun) -> Iterator[RunFinding]:
    """Yield the files that settings name for scores and that are not here; checkpoints have a check of their own.

    A study's file may be missing: its metrics are left out. A run is refused without a file that config.yaml names.
    """
    supplies, jobs = Supplies(run.grid), [job for job in run.whole if job.step == "scores"]
    studies = {run.grid.find_scored(job.names["corpus"], job.names["system"]).study for job in jobs}
    left_out = {supply.name for supply in missing_for_scores(supplies)}
    paths = {path: what for study in sorted(studies) for path, what in run.grid.scoring[study].paths.items()}
    for path, what in paths.items():
        supply = supply_for_scores(supplies, path) if what != MODEL else None
        if supply is not None and supply.reason:
            make = AREA.warning if path in left_out else AREA.error
            result = "the metrics that need it are left out" if path in left_out else "a run is refused without it"
            yield make(f"{what} is missing: {result}", where=path, remedy=supply.way)


def _by_hand(run: PlannedRun, corpus: CorpusConfig, places: Places) -> Iterator[RunFinding]:
    """Yield the finding about files of a corpus that only a person can bring, if there are any."""
    supply = corpus_supply(corpus, places)
    if not supply.reason:
        return
    files = missing_files(corpus, places) or wanted_files(corpus, places)
    licences = ", ".join(sorted({file.licence for file in files if file.licence}))
    what = f"that need a licence ({licences})" if licences else "that only a person can bring"
    result = "" if run.refused else " A run leaves out the systems that need them (`missing: skip`)."
    make = AREA.error if run.refused else AREA.warning
    yield make(
        f"files are missing {what}",
        where=run.grid.corpus_files[corpus.corpus],
        found=f"in no folder: {names_of(files)}",
        expected=f"in {places.downloads(corpus.corpus)}/, a folder of `local`, or the mirror",
        remedy=supply.way + result,
    )
