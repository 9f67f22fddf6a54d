"""The grid: the plan of the workflow, with all settings and the folder of each system of each study.

The grid is data without behaviour of its own. The rules of the workflow read from it which files to write; a job reads
only its own `settings.json`.
"""

import dataclasses
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from docmt.base.artifacts import as_object
from docmt.base.checks import need, need_between, need_path, need_seeds, setting
from docmt.base.digests import canonical_json
from docmt.base.errors import UserError, check_known
from docmt.base.names import NAMES_HAVE, DeviceName, is_name
from docmt.base.parse import check_keys, mapping, parse
from docmt.base.paths import PAPER, RESULTS
from docmt.base.yaml_files import Lines, load_text, load_yaml
from docmt.catalogue.corpus import CorpusConfig, as_fixture, load_corpus
from docmt.catalogue.fixtures import FixtureConfig
from docmt.catalogue.missing import Places, is_remote
from docmt.kinds.study import StudyConfig
from docmt.plan.scale import load_scale
from docmt.plan.studies import Studies
from docmt.settings.data import TextConfig
from docmt.settings.decode import DecodeConfig
from docmt.settings.external import FileTranslations
from docmt.settings.models import MODEL_CONFIGS
from docmt.settings.pretrained import RandomCheckpoint
from docmt.settings.scoring import ScoringConfig
from docmt.settings.system import Entry, ExternalSystem, TrainedSystem
from docmt.settings.train import TrainConfig

MOST_SHARDS = 10_000
"""The largest number of shards; a larger number is a typing mistake."""
MOST_HOURS = 1e9
"""The largest number of device-hours of a run."""


@dataclass(frozen=True)
class DefaultsConfig:
    """The section `defaults` of config.yaml: the settings that every system starts from."""

    text: str
    view: dict
    model: dict[str, dict]
    train: dict
    decode: dict


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """The keys of config.yaml that enter the grid without change."""

    mirror: str | None = setting(
        None, "a path or URL where files of corpora are looked for before the sources of the catalogue"
    )
    local: dict[str, str] = field(default_factory=dict)
    hosts: dict[str, str] = field(
        default_factory=dict,
        metadata={
            "about": "addresses that stand in for hosts of the catalogue, such as a copy of the Hub at your site"
        },
    )
    missing: Literal["stop", "skip"] = setting(
        "skip", "what to do with studies where files are missing that docmt cannot download"
    )
    fetch_checkpoints: bool = setting(False, "whether to download missing pretrained checkpoints, some GB each")
    scale: str = setting(PAPER, "a file of workflow/scales, whose settings replace those of studies")
    device: DeviceName = "auto"
    shards: int = setting(1, "number of jobs that each pass of stage 2 over a corpus is divided into")
    retrain_hours: float = setting(
        1.0, "device-hours of finished trainings that a run may replace; above them it stops before the first job"
    )
    human: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class MainConfig(RunConfig):
    """All keys of config.yaml."""

    studies: tuple[str, ...] = setting(("demo",), "names of studies in workflow/studies, or paths of your own studies")
    corpora: tuple[str, ...] = setting((), "paths of your own corpus files, beside those in workflow/corpora")
    seeds: tuple[int, ...] = setting((1,), "seeds of trainings; a system is trained once with each seed")
    texts: dict[str, TextConfig] = field(default_factory=dict)
    defaults: DefaultsConfig = field(
        metadata={"about": "the settings of a system that neither it nor a system that it extends states"}
    )
    scoring: ScoringConfig = field(default_factory=ScoringConfig)

    def __post_init__(self) -> None:
        """Raise BadValue for a path, the name of a text, a seed or a number of shards that is not allowed."""
        need_path("mirror", self.mirror)
        for name in ("studies", "corpora"):
            for path in getattr(self, name):
                need_path(name, path)
        for name in ("local", "human"):
            for key, path in getattr(self, name).items():
                need_path(f"{name}.{key}", path)
        for host, base in self.hosts.items():
            need(is_remote(base), f"hosts.{host}", base, "an http or https address")
        for text in self.texts:
            need(is_name(text), "texts", text, NAMES_HAVE)
        need_seeds("seeds", self.seeds)
        need_between(1, MOST_SHARDS, "shards", self.shards)
        need_between(0, MOST_HOURS, "retrain_hours", self.retrain_hours)


@dataclass(frozen=True, kw_only=True)
class Grid(RunConfig):
    """The plan of the workflow: config.yaml, the corpora, the studies and an entry for each of their systems.

    `corpus_files`: the path of the catalogue's file of each corpus. `active`: the studies that config.yaml names.
    `scoring`: the settings of scoring of each study. `not_run`: why a corpus, a checkpoint or a file of translations is
    left out (`missing: skip`), by its name. `not_scored`: why metrics are left out, by the path of a file that a study
    names for its scores. `ways`: how a person gets each of these. `fixtures`: the size of the generated corpora of this
    scale; None where the scale reads the real corpora. `checkpoints`: the random checkpoints of this scale, by the
    folder name that paths have for them.
    """

    texts: dict[str, TextConfig]
    corpora: dict[str, CorpusConfig]
    corpus_files: dict[str, str]
    studies: dict[str, StudyConfig]
    active: tuple[str, ...]
    scoring: dict[str, ScoringConfig]
    entries: tuple[Entry, ...]
    not_run: dict[str, str] = field(default_factory=dict)
    not_scored: dict[str, str] = field(default_factory=dict)
    ways: dict[str, str] = field(default_factory=dict)
    fixtures: FixtureConfig | None = None
    checkpoints: dict[str, RandomCheckpoint] = field(default_factory=dict)

    def places(self, root: Path = Path(), mirror: str | None = None) -> Places:
        """Return the places where files of corpora may be; `mirror` replaces the mirror of config.yaml."""
        return Places(root / RESULTS, mirror or self.mirror, self.local)

    def data_folder(self, corpus: str) -> str:
        """Return the folder name of a corpus in stages 1 to 4, whose paths have no scale.

        It is the name of the corpus, or `<corpus>@<scale>` for its fixture.
        """
        return corpus if self.fixtures is None else f"{corpus}@{self.scale}"

    def corpus_in(self, folder: str, where: str) -> str:
        """Return the name of the corpus whose folder in stages 1 to 4 is `folder`.

        Raises UserError, at `where`, where no corpus has such a folder, and for the fixture of another scale.
        """
        folders = {self.data_folder(corpus): corpus for corpus in self.corpora}
        check_known("corpus", folder, folders, where)
        return folders[folder]

    def corpus_at_scale(self, corpus: str) -> CorpusConfig:
        """Return the corpus that this scale reads: the real corpus, or its fixture."""
        config = self.corpora[corpus]
        return config if self.fixtures is None else as_fixture(config, self.fixtures)

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
        """The entries by study, corpus and system."""
        return {(entry.study, entry.corpus, entry.system.name): entry for entry in self.entries}

    @cached_property
    def origins(self) -> dict[str, str]:
        """How the translations of each system are made (`SystemConfig.origin`), by the folder of the system."""
        return {entry.folder: entry.system.origin for entry in self.entries}

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
        """Return the entry whose folder is `corpus/folder`, as `find` does.

        Raises UserError also where docmt trains no such system: its translations come from elsewhere.
        """
        entry = self.find(corpus, folder)
        if isinstance(entry.system, ExternalSystem):
            about = f"{entry.system.source.about}, which docmt does not make"
            raise UserError("a system without a model", where=f"{corpus}/{folder}", found=about)
        return entry

    @property
    def has_stand_ins(self) -> bool:
        """Whether this scale generates its corpora, and with them lines in the place of a user's translations."""
        return self.fixtures is not None

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
        """Return the corpora that an entry needs.

        They are the corpora of the entry and of its vocabularies, and those of the entries whose models it starts from.
        """
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
        if not isinstance(source, FileTranslations) or self.has_stand_ins:
            return []
        return list(dict.fromkeys(source.path_of(entry.corpus, seed) for seed in entry.seeds))

    def left_out(self, entry: Entry) -> str | None:
        """Return why an entry is not run; None where all that it needs from outside is available."""
        needed = [*self.corpora_for(entry), *self.checkpoints_for(entry), *self.translations_for(entry)]
        return next((self.not_run[name] for name in needed if name in self.not_run), None)

    @property
    def ways_by_reason(self) -> dict[str, str]:
        """How what is missing can be had, by the reason for which corpora, systems and metrics are left out."""
        return {reason: self.ways.get(name, "") for name, reason in {**self.not_scored, **self.not_run}.items()}

    def to_json(self) -> str:
        """Return the grid as canonical JSON, which `from_json` reads."""
        return canonical_json(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, value: Any, where: str) -> "Grid":
        """Build a grid from the JSON value that `to_json` wrote.

        Raises UserError, at `where`, for any other value, also for a grid that lacks a field with a default.
        """
        return parse(cls, as_object(value, where, [field.name for field in dataclasses.fields(cls)]), where)


def load_grid(root: Path, overrides: dict | None = None) -> Grid:
    """Read and check config.yaml under `root`, all studies, all corpora and the scale, and return the grid.

    `overrides` replaces keys of config.yaml. Raises UserError for the first mistake, before any job runs.
    """
    config, lines = _main_config(root, overrides or {})
    scale = load_scale(root / "workflow" / "scales", config.scale, lines.place(("scale",)))
    texts = {
        name: dataclasses.replace(text, pretrained=scale.checkpoint(text.pretrained))
        for name, text in config.texts.items()
    }
    corpora, corpus_files = _corpora(root, config)
    for corpus in config.local:
        check_known("corpus", corpus, corpora, lines.place(("local", corpus)))
    for name, text in config.texts.items():
        if text.learnt_on is not None:
            check_known("corpus", text.learnt_on, corpora, lines.place(("texts", name, "learnt_on")))
    builtin = sorted((root / "workflow" / "studies").glob("*.yaml"))
    paths = {path.stem: path for path in builtin}
    active = tuple(_study_name(root, name, paths, lines, number) for number, name in enumerate(config.studies))
    studies = Studies(scale, texts, corpora, corpus_files)
    for path in paths.values():
        studies.add(path, dataclasses.asdict(config.defaults), config.seeds, config.scoring)
    for name in config.human:
        check_known("study", name, studies.configs, lines.place(("human", name)))
    return Grid(
        **{common.name: getattr(config, common.name) for common in dataclasses.fields(RunConfig)},
        texts=texts,
        corpora=corpora,
        corpus_files=corpus_files,
        studies=studies.configs,
        active=active,
        scoring=studies.scoring,
        entries=tuple(studies.entries),
        fixtures=scale.fixtures,
        checkpoints={checkpoint.part(config.scale): checkpoint for checkpoint in scale.checkpoints},
    )


def _main_config(root: Path, overrides: dict) -> tuple[MainConfig, Lines]:
    """Read config.yaml with the overrides of the command line, and check each value by its type and range."""
    value, lines = load_yaml(root / "config.yaml")
    value = {**mapping(value, lines), **{key: _typed(item) for key, item in overrides.items()}}
    config = parse(MainConfig, value, lines)
    _check_defaults(config.defaults, lines)
    return config, lines


def _typed(value: Any) -> Any:
    """Return an override with its types: snakemake passes `--config seeds=[1,2]` as a list of texts, `true` as text."""
    if value in ("true", "false"):
        return value == "true"
    if isinstance(value, list):
        return [load_text(item, "--config") if isinstance(item, str) else _typed(item) for item in value]
    return value


def _check_defaults(defaults: DefaultsConfig, lines: Lines) -> None:
    """Raise UserError for a default that no system could have; the message has the line of config.yaml."""
    check_keys(defaults.model, MODEL_CONFIGS, lines, ("defaults", "model"))
    for kind, values in defaults.model.items():
        parse(MODEL_CONFIGS[kind], {**values, "kind": kind}, lines, ("defaults", "model", kind))
    parse(TrainConfig, defaults.train, lines, ("defaults", "train"))
    parse(DecodeConfig, defaults.decode, lines, ("defaults", "decode"))


def _corpora(root: Path, config: MainConfig) -> tuple[dict[str, CorpusConfig], dict[str, str]]:
    """Return all corpora of the project and of the user by name, and the path of each corpus' file below `root`."""
    files = sorted((root / "workflow" / "corpora").glob("*.yaml")) + [root / path for path in config.corpora]
    corpora: dict[str, CorpusConfig] = {}
    corpus_files: dict[str, str] = {}
    for path in files:
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
    """Return the name of a study that config.yaml lists as `name`: a study of the project, or a path of the user.

    The path of a user's study is added to `paths`.
    """
    if name in paths:
        return name
    path = root / name
    if path.suffix != ".yaml":
        check_known("study", name, paths, lines.place(("studies", number)))
    if paths.get(path.stem, path) != path:
        raise UserError("a study of this name exists", where=str(path), found=path.stem, remedy="rename the file")
    paths[path.stem] = path
    return path.stem
