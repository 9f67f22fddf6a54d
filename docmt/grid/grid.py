"""The grid: the plan of the workflow, with all settings and the folder of each system of each study.

The grid is data without behaviour of its own. The rules of the workflow read from it which files to write; a job reads
only its own `job.json`.
"""

import dataclasses
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

from docmt.base.clone import WORKFLOW, Folders
from docmt.base.errors import UserError, check_known
from docmt.base.paths import RESULTS
from docmt.base.yaml_files import Lines
from docmt.catalogue.corpus import CorpusConfig, as_fixture, load_corpus
from docmt.catalogue.fixtures import FixtureConfig
from docmt.catalogue.missing import Places
from docmt.grid.main_config import MainConfig, RunConfig, load_main_config, load_what_is_right
from docmt.grid.mistakes import broken_names, follows, mistakes_in, mistakes_in_files, noting
from docmt.grid.scale import Scale, load_scale
from docmt.grid.studies import Studies
from docmt.reporting.study import StudyConfig
from docmt.settings.data import TextConfig
from docmt.settings.external import FileTranslations
from docmt.settings.metrics import parse_metric
from docmt.settings.pretrained import RandomCheckpoint
from docmt.settings.scoring import ScoringConfig
from docmt.settings.system import Entry, ExternalSystem, TrainedSystem

# What becomes of a UserError in a block: `nullcontext` passes it on, and a collector keeps it and goes on.
Attempt = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True, kw_only=True)
class Grid(RunConfig):
    """The plan of the workflow: config.yaml, the corpora, the studies and an entry for each of their systems."""

    texts: dict[str, TextConfig]
    corpora: dict[str, CorpusConfig]
    corpus_files: dict[str, str]  # The path of the catalogue's file of each corpus.
    studies: dict[str, StudyConfig]
    active: tuple[str, ...]  # The studies that config.yaml names.
    scoring: dict[str, ScoringConfig]  # The settings of scoring of each study.
    entries: tuple[Entry, ...]
    # Why a corpus, a checkpoint or a file of translations is left out (`missing: skip`), by its name.
    not_run: dict[str, str] = field(default_factory=dict)
    # The entries that need none of these, since others have made what they need, as `corpus/folder`.
    available: tuple[str, ...] = ()
    # Why metrics are left out, by the path of a file that a study names for its scores.
    not_scored: dict[str, str] = field(default_factory=dict)
    ways: dict[str, str] = field(default_factory=dict)  # How a person gets each of these.
    # The size of the generated corpora of this scale; None where the scale reads the real corpora.
    fixtures: FixtureConfig | None = None
    # The random checkpoints of this scale, by the folder name that paths have for them.
    checkpoints: dict[str, RandomCheckpoint] = field(default_factory=dict)
    clone: str = "."  # The folder of docmt's own files (`workflow/`).

    def places(self, root: Path = Path(), mirror: str | None = None) -> Places:
        """Return the places where files of corpora may be; `mirror` replaces the mirror of config.yaml."""
        return Places(root / RESULTS, mirror or self.mirror, self.local)

    def data_folder(self, corpus: str) -> str:
        """Return the folder of a corpus in stages 1 to 4: its name, or `<corpus>@<scale>` for its fixture."""
        # The paths of these stages have no scale.
        return corpus if self.fixtures is None else f"{corpus}@{self.scale}"

    def corpus_in(self, folder: str, where: str) -> str:
        """Return the corpus of a folder in stages 1 to 4. Raises UserError, at `where`, for a folder of none."""
        folders = {self.data_folder(corpus): corpus for corpus in self.corpora}
        check_known("corpus", folder, folders, where)
        return folders[folder]

    def check_scale(self, scale: str, where: str) -> None:
        """Raise UserError, at `where`, where a target of this scale is not one of the grid's scale."""
        if scale != self.scale:
            expected, remedy = f"{self.scale}, which this run has", f"snakemake --config scale={scale}"
            raise UserError(
                "a target of another scale", where=where, found=f"scale {scale}", expected=expected, remedy=remedy
            )

    def corpus_at_scale(self, corpus: str) -> CorpusConfig:
        """Return the corpus that this scale reads: the real corpus, or its fixture."""
        return self._at_scale[corpus]

    @cached_property
    def _at_scale(self) -> dict[str, CorpusConfig]:
        if self.fixtures is None:
            return self.corpora
        return {corpus: as_fixture(config, self.fixtures) for corpus, config in self.corpora.items()}

    @cached_property
    def _by_path(self) -> dict[str, Entry]:
        """The entries by `corpus/folder`; where several studies share a folder, the entry of the first study."""
        # The order is reversed, since a mapping keeps the last value of several equal keys.
        return {f"{entry.corpus}/{entry.folder}": entry for entry in reversed(self.entries)}

    @cached_property
    def _by_scores(self) -> dict[str, Entry]:
        """The entries by `corpus/scored`; where several studies share scores, the entry of the first study."""
        return {f"{entry.corpus}/{entry.scored}": entry for entry in reversed(self.entries)}

    @cached_property
    def _by_name(self) -> dict[tuple[str, str, str], Entry]:
        return {(entry.study, entry.corpus, entry.system.name): entry for entry in self.entries}

    @cached_property
    def _requested(self) -> dict[str, set[str]]:
        """The metrics on request that items of any study show, by the `corpus/scored` of their systems."""
        requested: dict[str, set[str]] = {}
        for study, config in self.studies.items():
            for item in config.items.values():
                metrics = {metric for metric in item.measures if parse_metric(metric).metric.on_request}
                for system in item.systems_of(config.corpora) if metrics else []:
                    entry = self.named(study, *system)
                    requested.setdefault(f"{entry.corpus}/{entry.scored}", set()).update(metrics)
        return requested

    def requested_metrics(self, entry: Entry) -> list[str]:
        """Return the metrics on request (`Metric.on_request`) that items of any study show of an entry, sorted."""
        return sorted(self._requested.get(f"{entry.corpus}/{entry.scored}", ()))

    def of_study(self, study: str) -> list[Entry]:
        """Return the entries of a study, corpus by corpus."""
        return [entry for entry in self.entries if entry.study == study]

    def named(self, study: str, corpus: str, system: str) -> Entry:
        """Return the entry of a system of a study on a corpus. Raises KeyError where there is none."""
        return self._by_name[study, corpus, system]

    def find(self, corpus: str, folder: str) -> Entry:
        """Return the entry whose folder is `corpus/folder`. Raises UserError where no study has such an entry."""
        check_known("system", f"{corpus}/{folder}", self._by_path)
        return self._by_path[f"{corpus}/{folder}"]

    def find_scored(self, corpus: str, folder: str) -> Entry:
        """Return the entry whose scores are in `corpus/folder`. Raises UserError where no study has such an entry."""
        check_known("system", f"{corpus}/{folder}", self._by_scores)
        return self._by_scores[f"{corpus}/{folder}"]

    def with_model(self, corpus: str, folder: str) -> Entry:
        """Return the entry as `find` does. Raises UserError also for a system that docmt does not train."""
        entry = self.find(corpus, folder)
        if isinstance(entry.system, ExternalSystem):
            about = f"{entry.system.source.about}, which docmt does not make"
            raise UserError("this system has no model of docmt", where=f"{corpus}/{folder}", found=about)
        return entry

    def started_from(self, entry: Entry) -> Entry | None:
        """Return the entry whose model the training of this entry starts from; None without `init_from`."""
        system = entry.system
        if not isinstance(system, TrainedSystem) or system.init_from is None:
            return None
        return self.named(entry.study, system.init_corpus or entry.corpus, system.init_from)

    def starts(self, entry: Entry) -> list[Entry]:
        """Return the entry, then the entry whose model its training starts from, and so on to the first start."""
        chain: list[Entry] = []
        needed: Entry | None = entry
        while needed is not None:
            chain.append(needed)
            needed = self.started_from(needed)
        return chain

    def corpora_for(self, entry: Entry) -> list[str]:
        """Return the corpora of an entry, of its vocabularies, and of the entries whose models it starts from."""
        pairs = [
            (start.corpus, self.texts[start.system.text].learnt_on or start.corpus) for start in self.starts(entry)
        ]
        return list(dict.fromkeys(corpus for pair in pairs for corpus in pair))

    def checkpoints_for(self, entry: Entry) -> list[str]:
        """Return the folders of pretrained models that an entry needs, as a start of training or as a tokenizer."""
        pairs = [(start.pretrained, self.texts[start.system.text].pretrained) for start in self.starts(entry)]
        return list(dict.fromkeys(folder for pair in pairs for folder in pair if folder is not None))

    def translations_for(self, entry: Entry) -> list[str]:
        """Return the paths of the translations that an external system has on its corpus, one for each seed."""
        source = entry.system.source if isinstance(entry.system, ExternalSystem) else None
        if not isinstance(source, FileTranslations) or self.fixtures is not None:
            return []
        return list(dict.fromkeys(source.path_of(entry.corpus, seed) for seed in entry.seeds))

    def left_out(self, entry: Entry) -> str | None:
        """Return why an entry is not run; None where it needs nothing from outside that is missing."""
        if f"{entry.corpus}/{entry.folder}" in self.available:
            return None
        needed = [*self.corpora_for(entry), *self.checkpoints_for(entry), *self.translations_for(entry)]
        return next((self.not_run[name] for name in needed if name in self.not_run), None)

    @property
    def ways_by_reason(self) -> dict[str, str]:
        """How what is missing can be had, by the reason for which corpora, systems and metrics are left out."""
        return {reason: self.ways.get(name, "") for name, reason in {**self.not_scored, **self.not_run}.items()}


def load_grid(root: Path, overrides: dict | None = None, clone: Path | None = None) -> Grid:
    """Read and check config.yaml, all studies, all corpora and the scale, and return the grid of the folder `root`.

    `overrides` replaces keys of config.yaml. `clone`: the clone of the workflow that runs; None = that of `root`
    (`docmt.base.clone`). Raises UserError for the first mistake, before any job runs; its `others` are further mistakes
    of all files.
    """
    folders, overrides = Folders.of(root, clone), overrides or {}
    try:
        return grid_of(folders, *load_main_config(folders.settings, overrides))
    except UserError as first:
        with suppress(UserError):
            _, problems = what_is_right(folders, overrides)
            broken = broken_names(problems)
            first.others = tuple(one for one in problems if str(one) != str(first) and not follows(one, broken))
            first.tells_all = True
        raise


def what_is_right(folders: Folders, overrides: dict) -> tuple[Grid | None, list[UserError]]:
    """Return the grid of the settings that are right, and every mistake in the others, each once.

    The grid is None where `defaults` of config.yaml cannot be used. Raises UserError where there is no config.yaml, or
    where it is no YAML.
    """
    config, lines, problems = load_what_is_right(folders.settings, overrides)
    problems += mistakes_in_files(folders, config)
    grid = None if config is None else grid_of(folders, config, lines, partial(noting, problems))
    # The schema and the reader of a file say the same of its first mistake.
    return grid, list({str(problem): problem for problem in problems}.values())


def grid_of(folders: Folders, config: MainConfig, lines: Lines, attempt: Attempt = nullcontext) -> Grid:
    """Read all studies, all corpora and the scale that config.yaml of some folders names, and return the grid.

    `lines`: the lines of config.yaml. Each file, and each name in config.yaml, is read and checked inside a block of
    `attempt`. A block that ends all the same where a UserError is raised in it leaves out of the grid what was wrong.
    """
    root, settings, clone = folders.root, folders.settings, folders.clone
    scale = Scale()
    with attempt():
        scale = load_scale(clone / WORKFLOW / "scales", config.scale, lines.place(("scale",)))
    builtin_corpora = sorted((clone / WORKFLOW / "corpora").glob("*.yaml"))
    user_corpora = [settings / path for path in config.corpora]
    corpora, corpus_files = _corpora(root, [*builtin_corpora, *user_corpora], attempt)
    for corpus in config.local:
        with attempt():
            check_known("corpus", corpus, corpora, lines.place(("local", corpus)))
    texts: dict[str, TextConfig] = {}
    for name, text in config.texts.items():
        with attempt():
            if text.learnt_on is not None:
                check_known("corpus", text.learnt_on, corpora, lines.place(("texts", name, "learnt_on")))
            texts[name] = dataclasses.replace(text, pretrained=scale.checkpoint(text.pretrained))
    builtin = sorted((clone / WORKFLOW / "studies").glob("*.yaml"))
    paths, active = {path.stem: path for path in builtin}, []
    for number, name in enumerate(config.studies):
        with attempt():
            active.append(_study_name(settings, name, paths, lines, number))
    studies = Studies(scale, texts, corpora, corpus_files)
    for path in paths.values():
        read = len(studies.configs)
        with attempt():
            studies.add(path, config)
        if len(studies.configs) == read:  # `attempt` goes on after a mistake, and wants the others too
            for problem in mistakes_in(path, config, scale, texts, corpora):
                with attempt():
                    raise problem
    for name in config.human:
        with attempt():
            check_known("study", name, studies.configs, lines.place(("human", name)))
    return Grid(
        **{common.name: getattr(config, common.name) for common in dataclasses.fields(RunConfig)},
        texts=texts,
        corpora=corpora,
        corpus_files=corpus_files,
        studies=studies.configs,
        active=tuple(name for name in active if name in studies.configs),
        scoring=studies.scoring,
        entries=tuple(studies.entries),
        fixtures=scale.fixtures,
        checkpoints={checkpoint.part(config.scale): checkpoint for checkpoint in scale.checkpoints},
        clone=str(clone),
    )


def _corpora(root: Path, files: Iterable[Path], attempt: Attempt) -> tuple[dict[str, CorpusConfig], dict[str, str]]:
    corpora: dict[str, CorpusConfig] = {}
    corpus_files: dict[str, str] = {}
    for path in files:
        with attempt():
            corpus, file = load_corpus(path), str(path.relative_to(root) if path.is_relative_to(root) else path)
            name = corpus.corpus
            if corpus_files.setdefault(name, file) != file:
                remedy = "rename the file, and the corpus in it"
                raise UserError(
                    "a corpus of this name exists", where=file, found=f"{corpus_files[name]} too", remedy=remedy
                )
            corpora[name] = corpus
    return corpora, corpus_files


def _study_name(root: Path, name: str, paths: dict[str, Path], lines: Lines, number: int) -> str:
    """Return the name of a study, or of a user's file, whose path is added to `paths`."""
    if name in paths:
        return name
    path = root / name
    if path.suffix != ".yaml":
        check_known("study", name, paths, lines.place(("studies", number)))
    if paths.get(path.stem, path) != path:
        raise UserError("a study of this name exists", where=str(path), found=path.stem, remedy="rename the file")
    paths[path.stem] = path
    return path.stem
