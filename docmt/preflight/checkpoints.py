"""The pretrained checkpoints that the targets need: there, whole, agreed to, and fit for the systems."""

from collections.abc import Iterator
from pathlib import Path

from docmt.base.errors import UserError
from docmt.base.foreign import reading
from docmt.plan.supplies import Supplies, Supply
from docmt.preflight.finding import Area, RunFinding
from docmt.preflight.planned import PlannedRun
from docmt.settings.pretrained import aligner_files, check_model, checkpoint_files, is_random_checkpoint, tokenizer_file
from docmt.settings.system import TrainedSystem

AREA = Area("checkpoints")
SAFETENSORS = ".safetensors"


def check_checkpoints(run: PlannedRun) -> Iterator[RunFinding]:
    """Yield the checkpoints that are missing or damaged, and the systems that do not fit theirs."""
    supplies, states = Supplies(run.grid), []
    folders = [folder for folder in run.checkpoints if not is_random_checkpoint(folder)]
    for folder in folders:
        supply = supplies.checkpoint(folder)
        states.append(supply)
        yield from _missing(run, supply) if supply.reason else ()
        yield from _whole(run, folder) if supply.state == "ready" else ()
    yield from _fitting(run, {supply.name for supply in states if supply.state == "ready"})
    fetched = [supply for supply in states if supply.state == "to-fetch"]
    if fetched:
        names = ", ".join(f"{supply.name} ({supply.bytes / 1e9:g} GB)" for supply in fetched)
        yield AREA.fact(f"a run downloads before its first job: {names}")
    yield AREA.fact(f"checkpoints that the targets need: {len(folders)}")


def _missing(run: PlannedRun, supply: Supply) -> Iterator[RunFinding]:
    """Yield the finding about a checkpoint that is not there, and that a run does not download."""
    make = AREA.error if run.refused else AREA.warning
    result = "" if run.refused else " A run leaves out the systems that need it (`missing: skip`)."
    consent = "fetch_checkpoints: false" if "fetch_checkpoints" in supply.way else None
    yield make("a pretrained checkpoint is missing", where=supply.name, found=consent, remedy=supply.way + result)


def _whole(run: PlannedRun, folder: str) -> Iterator[RunFinding]:
    """Yield what is wrong with the files of a checkpoint that is there."""
    readers = [lambda: checkpoint_files(folder)]
    readers += [lambda: [tokenizer_file(folder)]] if folder in _of_texts(run) else []
    readers += [lambda: aligner_files(folder)] if folder in _of_aligners(run) else []
    for files_of in readers:
        try:
            for path in files_of():
                _check_file(path)
        except UserError as problem:
            yield AREA.of(problem)


def _of_texts(run: PlannedRun) -> set[str | None]:
    """Return the folders of the checkpoints whose pieces the texts of jobs have."""
    return {run.grid.texts[job.names["text"]].pretrained for job in run.whole if job.step == "tokens"}


def _of_aligners(run: PlannedRun) -> set[str | None]:
    """Return the folders of the models of awesome-align."""
    return {scoring.aligner.model for scoring in run.grid.scoring.values()}


def _check_file(path: Path) -> None:
    """Raise UserError for an empty file, and for weights that end too early; the numbers inside are not read."""
    if path.stat().st_size == 0:
        raise UserError("the file is empty", where=str(path), remedy="download it again")
    if path.name.endswith(SAFETENSORS):
        from safetensors import safe_open

        with reading(path, "the weights are damaged", remedy="download the file again"), safe_open(path, "numpy"):
            pass


def _fitting(run: PlannedRun, there: set[str]) -> Iterator[RunFinding]:
    """Yield the systems whose model is not that of the checkpoint from which it starts, each once."""
    pairs = {
        (entry.study, entry.system.name): entry
        for entry in (run.grid.find(job.names["corpus"], job.names["system"]) for job in run.whole if job.is_training)
        if isinstance(entry.system, TrainedSystem) and entry.system.pretrained in there
    }
    for (study, name), entry in pairs.items():
        try:
            check_model(entry.system.model, str(entry.system.pretrained))
        except UserError as problem:
            where = f"study {study}, system {name}, {problem.where}"
            parts = {"found": problem.found, "expected": problem.expected, "remedy": problem.remedy}
            yield AREA.error(problem.what, where=where, **parts)
