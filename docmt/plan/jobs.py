"""The jobs of the workflow: the folder, the settings, the inputs, the files and the libraries of each.

A job is a rule with names in the place of its wildcards. `RULES` has a row for each rule whose jobs leave a manifest;
the rules of Snakemake and the planner read their inputs from it.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from docmt.base import paths
from docmt.base.errors import UserError, in_line
from docmt.base.manifest import MANIFEST, RECORD, SETTINGS
from docmt.base.paths import RESULTS, Folder, names_in
from docmt.plan import adoption, needs
from docmt.plan.external import RULES as TRANSLATING
from docmt.plan.grid import Grid
from docmt.plan.slices import check_scale, settings

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
        row = RULES[self.rule]
        return row.folder.at(**self.names) if isinstance(row.folder, Folder) else row.folder

    def file(self, name: str) -> str:
        """Return the path of a file of the job that other jobs of the folder have too, such as its manifest."""
        return f"{self.folder}/{RULES[self.rule].prefix.format(**self.names)}{name}"

    @property
    def manifest(self) -> str:
        """The path of the manifest."""
        return self.file(MANIFEST)

    @property
    def settings_path(self) -> str:
        """The path of the settings that the workflow writes for the job."""
        return self.file(SETTINGS)

    @property
    def is_training(self) -> bool:
        """Whether the job trains a system."""
        return self.rule == "train"

    def __str__(self) -> str:
        """Return the path of the job's files, without their common ending."""
        return self.manifest.removesuffix(MANIFEST).rstrip("/.")


@dataclass(frozen=True)
class Rule:
    """A rule whose jobs leave a manifest.

    `folder`: the folder of the outputs. `outputs`: the names of the first outputs, by which unfinished work is
    recognised. `prefix`: the beginning of the name of the manifest, where several jobs share the folder. `slice_of`:
    the folder whose path below `results/` names the settings of the job; None for `folder`. `inputs`, `files`,
    `libraries`: functions of the grid and the names (`docmt.plan.needs`).
    """

    folder: Folder | str
    outputs: tuple[str, ...]
    inputs: Callable[[Grid, Names], needs.Inputs] = needs.nothing
    files: Callable[[Grid, Names], dict[str, Path]] = needs.no_files
    libraries: Callable[[Grid, Names], Iterable[str]] = needs.no_libraries
    prefix: str = ""
    slice_of: Folder | None = None


OF_PAGES = needs.libraries("matplotlib", "scipy")
"""The libraries of pages."""

RULES: dict[str, Rule] = {
    "checkpoint": Rule(paths.CHECKPOINT, ("model.safetensors",)),
    "aligner_checkpoint": Rule(paths.CHECKPOINT, ("pytorch_model.bin",)),
    "fixture": Rule(paths.CORPUS, ("downloads",), prefix="downloads."),
    "corpus": Rule(paths.CORPUS, ("documents.parquet", "card.json"), needs.of_corpus, needs.downloads),
    "tokens": Rule(
        paths.TOKENS, ("tokens.arrow", "card.json"), needs.of_tokens, needs.tokenizer, needs.libraries_of_text
    ),
    "views": Rule(paths.VIEW, ("card.json",), needs.of_data),
    "chain_words": Rule(paths.CHAIN_WORDS, ("card.json",), needs.of_data, slice_of=paths.CHAINS),
    "chain_segments": Rule(paths.CHAINS, ("card.json",), needs.of_segment_chains),
    "train": Rule(paths.TRAINING, ("model", "record.json"), needs.of_training, needs.checkpoint_of_training),
    "translate": Rule(
        paths.TRANSLATIONS, ("decoding.json",), needs.of_decoding, libraries=needs.libraries_of_translations
    ),
    "adopt": Rule(paths.TRANSLATIONS, ("decoding.json",), adoption.inputs, adoption.files, adoption.libraries),
    "ask": Rule(paths.TRANSLATIONS, ("decoding.json",), adoption.inputs, adoption.files_of_program, adoption.libraries),
    "contrastive": Rule(
        paths.TRANSLATIONS, ("contrastive{whole}.arrow",), needs.of_decoding, prefix="contrastive{whole}."
    ),
    "inspect": Rule(paths.TRANSLATIONS, ("inside.arrow",), needs.of_decoding, prefix="inside."),
    "passage": Rule(paths.PASSAGE, ("passages.json",), needs.of_passage, libraries=needs.libraries_of_translations),
    "word_vectors": Rule(paths.VECTORS, ("vectors.txt",), needs.of_data, libraries=needs.libraries("gensim")),
    "aligner": Rule(paths.ALIGNER, ("lexicon.arrow",), needs.of_data),
    "scores": Rule(paths.SCORES, ("scores.json",), needs.of_scores, needs.files_of_scores, needs.libraries_of_scores),
    "compare": Rule(paths.COMPARISON, ("comparisons.json",), needs.of_comparison, libraries=needs.libraries("scipy")),
    "item": Rule(
        paths.REPORT,
        ("{item}.html", "{item}.json", "{item}.csv", "{item}.parquet"),
        needs.of_item,
        needs.human,
        OF_PAGES,
        prefix="{item}.",
        slice_of=paths.ITEM,
    ),
    "sheet": Rule(
        paths.REPORT,
        ("{item}.sheet.csv", "{item}.sheet.html", "{item}.sheet.key.json"),
        needs.of_sheet,
        prefix="{item}.sheet.",
        slice_of=paths.SHEET,
    ),
    "report": Rule(paths.REPORT, ("index.html",), needs.of_report, needs.human, OF_PAGES),
    "demo_report": Rule(
        RESULTS,
        ("report{at_scale}.html",),
        needs.of_demo_report,
        needs.human,
        OF_PAGES,
        prefix="report{at_scale}.",
        slice_of=paths.REPORT.named("study", "demo"),
    ),
}
"""The rules whose jobs leave a manifest. Jobs of the rule `download` leave none: their digests are those of the files,
which the catalogue or the first download states."""

EXPORTED = (".html", ".csv", ".json", ".parquet", ".tex", ".md", ".svg", ".pdf")
"""The endings of the files of an item."""
PAGES = ("item", "sheet", "report", "demo_report")
"""The rules whose outputs people open in a browser, which runs the scripts of a page."""
_TRANSLATED = ("decoding.json", "test.txt", "test.tok.txt", "test.j*.txt", "test.nbest.tsv")
_CHAINS = ("card.json", "stop_words.txt", "*.arrow")

WRITES: dict[str, tuple[str, ...]] = {
    "checkpoint": ("*.json", "model.safetensors"),
    "aligner_checkpoint": ("*.json", "pytorch_model.bin", "vocab.txt"),
    "fixture": ("downloads/*",),
    "corpus": ("card.json", "documents.parquet", "contrastive.parquet"),
    "tokens": ("card.json", "*.arrow", "text/*"),
    "views": ("card.json", "*.arrow"),
    "chain_words": _CHAINS,
    "chain_segments": _CHAINS,
    "train": ("exit.json", "metrics.jsonl", "model/*", "tensorboard/*"),
    **dict.fromkeys(("translate", "adopt", "ask"), _TRANSLATED),
    "contrastive": ("contrastive{whole}.arrow",),
    "inspect": ("inside.arrow",),
    "passage": ("passages.json",),
    "word_vectors": ("card.json", "vectors.txt"),
    "aligner": ("jumps.json", "lexicon.arrow"),
    "scores": ("scores.json", "details.arrow", "occurrences.arrow"),
    "compare": ("comparisons.json",),
    "item": tuple(f"{{item}}{ending}" for ending in EXPORTED),
    "sheet": tuple(f"{{item}}{paths.SHEET_ENDING}{ending}" for ending in (".csv", ".html", ".key.json")),
    "report": ("index.html", "documents/*"),
    "demo_report": ("report{at_scale}.html",),
}
"""The patterns of the names of a job's outputs, beside its manifest, record and settings: a store brings no others."""


def check_outputs(job: Job, names: Iterable[str]) -> None:
    """Raise UserError for a name that is not among the files that a job can write."""
    beside = [Path(job.file(name)).name for name in (MANIFEST, RECORD, SETTINGS)]
    patterns = [pattern.format(**job.names) for pattern in WRITES[job.rule]]
    for name in names:
        if name not in beside and not any(fnmatchcase(name, pattern) for pattern in patterns):
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
            row, names = RULES[job.rule], job.names
            if job.rule == "chain_words":
                names = {**names, "view": paths.WORDS}
            if job.rule == "demo_report":
                names = {"scale": paths.scale_of_demo_report(names["at_scale"])}
                check_scale(self.grid, names["scale"], paths.demo_report(names["scale"]))
            value = settings(self.grid, (row.slice_of or row.folder).part(**names))
            # As a reader of settings.json gets them: tuples are lists there.
            self._settings[job] = json.loads(json.dumps(value))
        return self._settings[job]

    def inputs(self, job: Job) -> dict[str, Job]:
        """Return the jobs whose outputs a job reads, by their roles."""
        if job not in self._inputs:
            stated = RULES[job.rule].inputs(self.grid, job.names)
            roles = {role: Job.of(rule, **names) for role, (rule, names) in stated.roles.items()}
            jobs = dict.fromkeys(self.of_file(file) for file in stated.files)
            by_path = {PurePosixPath(read.manifest).relative_to(RESULTS).as_posix(): read for read in jobs if read}
            self._inputs[job] = roles | by_path
        return self._inputs[job]

    def files(self, job: Job) -> dict[str, Path]:
        """Return the files of a job that are not outputs of jobs, by their roles.

        Raises UserError where a folder of the user's lacks a file that the job needs.
        """
        return RULES[job.rule].files(self.grid, job.names)

    def libraries(self, job: Job) -> list[str]:
        """Return the names of the libraries whose versions decide the outputs of a job."""
        return sorted(RULES[job.rule].libraries(self.grid, job.names))

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
    if file in ("documents", "index.html", MANIFEST, SETTINGS, RECORD):
        return Job.of("report", **names)
    item, sheet, _ = file.partition(f"{paths.SHEET_ENDING}.")
    if sheet:
        return Job.of("sheet", **names, item=item)
    return Job.of("item", **names, item=_item_in(file))


def _item_in(file: str) -> str:
    """Return the name of a file of a page without its ending."""
    endings = (f".{MANIFEST}", f".{SETTINGS}", f".{RECORD}", *EXPORTED)
    return next((file.removesuffix(ending) for ending in endings if file.endswith(ending)), file)
