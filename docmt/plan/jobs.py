"""The jobs of the workflow: the folder, the settings, the inputs, the files and the libraries of each.

A job is a step (`docmt.steps`) with names in the place of its wildcards.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from docmt.base import paths
from docmt.base.errors import UserError, in_line
from docmt.base.manifest import MANIFEST, RECORD, SETTINGS
from docmt.base.paths import RESULTS, Folder, names_in
from docmt.base.recipe import JOB, Recipe
from docmt.grid.external import TRANSLATING
from docmt.grid.grid import Grid
from docmt.steps import get_step
from docmt.steps.item import EXPORTED

Names = Mapping[str, str]
"""The values of the wildcards of a job, by their names."""


@dataclass(frozen=True)
class Job:
    """A job of a rule. `values` has the names and values of the wildcards, in the order of the alphabet."""

    rule: str
    values: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, rule: str, **names: str | int) -> "Job":
        """Return the job of a rule with these names."""
        return cls(rule, tuple(sorted((name, str(value)) for name, value in names.items())))

    @cached_property
    def names(self) -> dict[str, str]:
        """The values of the wildcards by their names."""
        return dict(self.values)

    @cached_property
    def folder(self) -> str:
        """The path of the folder of the outputs."""
        folder = get_step(self.rule).folder
        return folder.at(**self.names) if isinstance(folder, Folder) else folder

    def file(self, name: str) -> str:
        """Return the path of a file of the job that other jobs of the folder have too, such as its manifest."""
        return f"{self.folder}/{get_step(self.rule).prefix.format(**self.names)}{name}"

    @property
    def manifest(self) -> str:
        """The path of the manifest."""
        return self.file(MANIFEST)

    @property
    def settings_path(self) -> str:
        """The path of the settings that the workflow writes for the job."""
        return self.file(SETTINGS)

    @property
    def recipe_path(self) -> str:
        """The path of the recipe that the workflow writes for the job."""
        return self.file(JOB)

    @property
    def is_training(self) -> bool:
        """Whether the job trains a system."""
        return self.rule == "train"

    def __str__(self) -> str:
        """Return the path of the job's files, without their common ending."""
        return self.manifest.removesuffix(MANIFEST).rstrip("/.")


PAGES = ("item", "sheet", "report", "demo_report")
"""The steps whose outputs people open in a browser, which runs the scripts of a page."""


def check_outputs(job: Job, names: Iterable[str]) -> None:
    """Raise UserError for a name that is not among the files that a job can write."""
    beside = [Path(job.file(name)).name for name in (MANIFEST, RECORD, SETTINGS)]
    of_job = get_step(job.rule)
    for name in names:
        if name == Path(job.recipe_path).name or (name not in beside and not of_job.can_write(name, job.names)):
            patterns = (pattern.format(**job.names) for pattern in of_job.writes)
            expected = f"outputs of the rule {job.rule}: {', '.join(patterns)}"
            raise UserError(
                "a file that its job does not write", where=str(job), found=in_line(name), expected=expected
            )


OF_STAGES = {
    paths.CORPUS.stage: "corpus",
    paths.TOKENS.stage: "tokens",
    paths.VIEW.stage: "views",
    paths.CHAINS.stage: "chain_segments",
    paths.TRAINING.stage: "train",
    paths.PASSAGE.stage: "passage",
    paths.VECTORS.stage: "word_vectors",
    paths.ALIGNER.stage: "aligner",
    paths.SCORES.stage: "scores",
    paths.COMPARISON.stage: "compare",
    paths.ITEM.stage: "item",
}
"""The rule of most files of a stage."""


class GridJobs:
    """The jobs of a grid."""

    def __init__(self, grid: Grid) -> None:
        """Remember the settings and the inputs of jobs, since other jobs need them again."""
        self.grid = grid
        self._inputs: dict[Job, dict[str, Job]] = {}
        self._settings: dict[Job, dict[str, Any]] = {}

    def settings(self, job: Job) -> dict[str, Any]:
        """Return the settings of a job. Raises UserError where the grid has no such job."""
        if job not in self._settings:
            of_job, names = get_step(job.rule), job.names
            if "scale" in names:
                self.grid.check_scale(names["scale"], str(job))
            value = {"version": of_job.version, **of_job.settings(self.grid, names)}
            # As a reader of settings.json gets them: tuples are lists there.
            self._settings[job] = json.loads(json.dumps(value))
        return self._settings[job]

    def inputs(self, job: Job) -> dict[str, Job]:
        """Return the jobs whose outputs a job reads, by their roles."""
        if job not in self._inputs:
            stated = get_step(job.rule).inputs(self.grid, job.names)
            roles = {role: Job.of(rule, **names) for role, (rule, names) in stated.roles.items()}
            jobs = dict.fromkeys(self.of_file(file) for file in stated.files)
            by_path = {PurePosixPath(read.manifest).relative_to(RESULTS).as_posix(): read for read in jobs if read}
            self._inputs[job] = roles | by_path
        return self._inputs[job]

    def files(self, job: Job) -> dict[str, Path]:
        """Return the files of a job that are not outputs of jobs, by their roles.

        Raises UserError where a folder of the user's lacks a file that the job needs.
        """
        return get_step(job.rule).files(self.grid, job.names)

    def libraries(self, job: Job) -> list[str]:
        """Return the names of the libraries whose versions decide the outputs of a job."""
        return sorted(get_step(job.rule).libraries(self.grid, job.names))

    def recipe(self, job: Job) -> Recipe:
        """Return where everything is that a job reads."""
        inputs = {role: Path(read.manifest) for role, read in self.inputs(job).items()}
        hints = get_step(job.rule).hints(self.grid, job.names)
        return Recipe(Path(job.recipe_path), job.rule, inputs, self.files(job), hints)

    def of_file(self, path: str) -> Job | None:
        """Return the job that writes a file below `results/`; None for any other file, and for downloads."""
        if not path.startswith(f"{RESULTS}/"):
            return None
        below = path.removeprefix(f"{RESULTS}/")
        if below.startswith("report"):
            return Job.of("demo_report", at_scale=_item_in(below.removeprefix("report")))
        stage, names = below.split("/")[0], names_in(below)
        name = below.rsplit("/", 1)[-1]
        if stage == paths.CHECKPOINT.stage:
            random = self.grid.checkpoints.get(names.get("checkpoint", ""))
            is_aligner = random is not None and random.kind == "aligner"
            return Job.of("aligner_checkpoint" if is_aligner else "checkpoint", **names)
        if stage == paths.CORPUS.stage and "/downloads" in below:
            return Job.of("fixture", corpus=names["corpus"]) if self.grid.fixtures else None
        if stage == paths.CHAINS.stage and names.get("view") == paths.WORDS:
            return Job.of("chain_words", corpus=names["corpus"], text=names["text"])
        if stage == paths.TRANSLATIONS.stage and name.startswith("contrastive."):
            return Job.of("contrastive", **names, whole=".whole" if name.startswith("contrastive.whole.") else "")
        if stage == paths.TRANSLATIONS.stage and name.startswith("inside."):
            return Job.of("inspect", **names)
        if stage == paths.TRANSLATIONS.stage:
            # Folders of no system, whose outputs are orphaned, have the rule of trained systems.
            return Job.of(TRANSLATING[self.grid.origins.get(names.get("system"), "trained")], **names)
        if stage == paths.ITEM.stage:
            return _page(names)
        return Job.of(OF_STAGES[stage], **names) if stage in OF_STAGES else None


def _page(names: dict[str, str]) -> Job:
    """Return the job of a page; the name `item` is the name of a file in the folder of the study."""
    file = names.pop("item")
    if file in ("documents", "index.html", MANIFEST, SETTINGS, RECORD, JOB):
        return Job.of("report", **names)
    item, sheet, _ = file.partition(f"{paths.SHEET_ENDING}.")
    if sheet:
        return Job.of("sheet", **names, item=item)
    return Job.of("item", **names, item=_item_in(file))


def _item_in(file: str) -> str:
    """Return the name of a file of a page without its ending."""
    endings = (f".{MANIFEST}", f".{SETTINGS}", f".{RECORD}", f".{JOB}", *EXPORTED)
    return next((file.removesuffix(ending) for ending in endings if file.endswith(ending)), file)
