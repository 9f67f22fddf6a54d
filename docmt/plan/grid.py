"""The grid: every system of every study, resolved, with the folder that its files stand in.

Pure data. The workflow's rules ask it what to make; a job never does, it reads its own `settings.json`.
"""

import dataclasses
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from docmt.base.artifacts import as_object, canonical_json
from docmt.base.checks import need, need_between, need_path, need_seeds, setting
from docmt.base.errors import UserError, check_known
from docmt.base.names import NAMES_HAVE, DeviceName, is_name
from docmt.base.parse import check_keys, mapping, parse
from docmt.base.paths import RESULTS
from docmt.base.yaml_files import Lines, load_text, load_yaml
from docmt.catalogue.corpus import CorpusConfig, as_fixture, load_corpus
from docmt.catalogue.fixtures import FixtureConfig
from docmt.catalogue.missing import Places
from docmt.kinds.item import Checks
from docmt.kinds.study import StudyConfig
from docmt.plan.entries import Systems
from docmt.plan.resolve import Resolver
from docmt.plan.scale import load_scale
from docmt.plan.study import check_items, load_study
from docmt.settings.data import TextConfig
from docmt.settings.decode import DecodeConfig
from docmt.settings.models import MODEL_CONFIGS
from docmt.settings.pretrained import RandomCheckpoint
from docmt.settings.scoring import ScoringConfig
from docmt.settings.system import Entry
from docmt.settings.train import TrainConfig

MOST_SHARDS = 10_000


@dataclass(frozen=True)
class DefaultsConfig:
    """What every system starts from."""

    text: str
    view: dict
    model: dict[str, dict]
    train: dict
    decode: dict


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """What of config.yaml is told on as it stands."""

    mirror: str | None = setting(None, "a path or URL that is tried before the catalogue's sources")
    local: dict[str, str] = field(default_factory=dict)
    missing: Literal["stop", "skip"] = setting("stop", "what a corpus does whose files only a person can bring")
    scale: str = setting("paper", "an overlay of workflow/scales")
    device: DeviceName = "auto"
    shards: int = setting(1, "jobs that each pass of stage 2 over a corpus is cut into")
    human: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class MainConfig(RunConfig):
    """config.yaml."""

    studies: tuple[str, ...] = setting(("demo",), "names in workflow/studies, or paths of your own")
    corpora: tuple[str, ...] = setting((), "paths of your own corpus files, beside those in workflow/corpora")
    seeds: tuple[int, ...] = setting((1,), "one training each")
    texts: dict[str, TextConfig] = field(default_factory=dict)
    defaults: DefaultsConfig = field(metadata={"about": "what every system starts from"})
    scoring: ScoringConfig = field(default_factory=ScoringConfig)

    def __post_init__(self) -> None:
        need_path("mirror", self.mirror)
        for name in ("studies", "corpora"):
            for path in getattr(self, name):
                need_path(name, path)
        for name in ("local", "human"):
            for key, path in getattr(self, name).items():
                need_path(f"{name}.{key}", path)
        for text in self.texts:
            need(is_name(text), "texts", text, NAMES_HAVE)
        need_seeds("seeds", self.seeds)
        need_between(1, MOST_SHARDS, "shards", self.shards)


@dataclass(frozen=True, kw_only=True)
class Grid(RunConfig):
    """Everything that can be asked for. `not_run`: corpora that are left out (`missing: skip`), and why.

    `fixtures`: what stands instead of the corpora at this scale; none = they are run themselves. `checkpoints`: what
    stands instead of pretrained ones, by the part of paths.
    """

    texts: dict[str, TextConfig]
    corpora: dict[str, CorpusConfig]
    corpus_files: dict[str, str]
    studies: dict[str, StudyConfig]
    active: tuple[str, ...]
    scoring: ScoringConfig
    entries: tuple[Entry, ...]
    not_run: dict[str, str] = field(default_factory=dict)
    fixtures: FixtureConfig | None = None
    checkpoints: dict[str, RandomCheckpoint] = field(default_factory=dict)

    def places(self, root: Path = Path(), mirror: str | None = None) -> Places:
        """Where files of corpora may stand. `mirror`: another than that of config.yaml."""
        return Places(root / RESULTS, mirror or self.mirror, self.local)

    def data_folder(self, corpus: str) -> str:
        """The corpus' part of paths that name no scale (stages 1 to 4): `<corpus>@<scale>` where it is a fixture."""
        return corpus if self.fixtures is None else f"{corpus}@{self.scale}"

    def corpus_in(self, folder: str, where: str) -> str:
        """The corpus of such a folder. Raises UserError, at `where`, for what is no corpus, or one of another scale."""
        folders = {self.data_folder(corpus): corpus for corpus in self.corpora}
        check_known("corpus", folder, folders, where)
        return folders[folder]

    def corpus_at_scale(self, corpus: str) -> CorpusConfig:
        """The corpus as this scale runs it: itself, or its fixture."""
        config = self.corpora[corpus]
        return config if self.fixtures is None else as_fixture(config, self.fixtures)

    @cached_property
    def _by_path(self) -> dict[str, Entry]:
        """The first study that has a system keeps it, where several have the same."""
        return {f"{entry.corpus}/{entry.folder}": entry for entry in reversed(self.entries)}

    @cached_property
    def _by_name(self) -> dict[tuple[str, str, str], Entry]:
        return {(entry.study, entry.corpus, entry.system.name): entry for entry in self.entries}

    def of_study(self, study: str) -> list[Entry]:
        return [entry for entry in self.entries if entry.study == study]

    def named(self, study: str, corpus: str, system: str) -> Entry:
        """The entry of a system that the study is known to have on this corpus."""
        return self._by_name[study, corpus, system]

    def find(self, corpus: str, folder: str) -> Entry:
        """Raises UserError where no study has such a system on such a corpus."""
        check_known("system", f"{corpus}/{folder}", self._by_path)
        return self._by_path[f"{corpus}/{folder}"]

    def started_from(self, entry: Entry) -> Entry | None:
        """The entry whose model this one's training starts from."""
        system = entry.system
        if system.init_from is None:
            return None
        return self.named(entry.study, system.init_corpus or entry.corpus, system.init_from)

    def starts(self, entry: Entry) -> list[Entry]:
        """The entry itself, the one whose model its training starts from, and so on."""
        found: list[Entry] = []
        needed: Entry | None = entry
        while needed is not None:
            found.append(needed)
            needed = self.started_from(needed)
        return found

    def corpora_for(self, entry: Entry) -> list[str]:
        """All corpora that an entry needs: its own, that of its text, and those of the models that it starts from."""
        pairs = [(one.corpus, self.texts[one.system.text].learnt_on or one.corpus) for one in self.starts(entry)]
        return list(dict.fromkeys(corpus for pair in pairs for corpus in pair))

    def checkpoints_for(self, entry: Entry) -> list[str]:
        """The folders of pretrained models that an entry needs, to start from or to cut pieces."""
        pairs = [(one.system.pretrained, self.texts[one.system.text].pretrained) for one in self.starts(entry)]
        return list(dict.fromkeys(folder for pair in pairs for folder in pair if folder is not None))

    def left_out(self, entry: Entry) -> str | None:
        """Why an entry is not run; none where all corpora and checkpoints that it needs are to be had."""
        needed = [*self.corpora_for(entry), *self.checkpoints_for(entry)]
        return next((self.not_run[name] for name in needed if name in self.not_run), None)

    def to_json(self) -> str:
        return canonical_json(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, value: Any, where: str) -> "Grid":
        """Raises UserError for what is no grid as `to_json` writes it: whole, also where a field has a default."""
        return parse(cls, as_object(value, where, [own.name for own in dataclasses.fields(cls)]), where)


def load_grid(root: Path, overrides: dict | None = None) -> Grid:
    """Read config.yaml under `root` (with `overrides` on top), its studies, corpora and scale; check all of it.

    Raises UserError for whatever is wrong, before any job.
    """
    config, lines = _main_config(root, overrides or {})
    scale = load_scale(root / "workflow" / "scales", config.scale, lines.place(("scale",)), config.scoring)
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
    studies: dict[str, StudyConfig] = {}
    entries: list[Entry] = []
    for name, path in paths.items():
        study, study_lines = load_study(path)
        for number, corpus in enumerate(study.corpora):
            check_known("corpus", corpus, corpora, study_lines.place(("corpora", number)))
        resolver = Resolver(study, study_lines, dataclasses.asdict(config.defaults), scale)
        resolver.check_cycles()
        systems = Systems(resolver, texts)
        check_items(study, Checks(study.corpora, systems.systems, systems.corpora, corpora, study_lines))
        own = list(systems.entries(config.seeds, list(entries)))
        _check_languages(own, texts, corpora, study_lines)
        entries += own
        studies[name] = study
    for name in config.human:
        check_known("study", name, studies, lines.place(("human", name)))
    return Grid(
        **{common.name: getattr(config, common.name) for common in dataclasses.fields(RunConfig)},
        texts=texts,
        corpora=corpora,
        corpus_files=corpus_files,
        studies=studies,
        active=active,
        scoring=scale.scoring,
        entries=tuple(entries),
        fixtures=scale.fixtures,
        checkpoints={one.part(config.scale): one for one in scale.checkpoints},
    )


def _main_config(root: Path, overrides: dict) -> tuple[MainConfig, Lines]:
    value, lines = load_yaml(root / "config.yaml")
    value = {**mapping(value, lines), **{key: _typed(item) for key, item in overrides.items()}}
    config = parse(MainConfig, value, lines)
    _check_defaults(config.defaults, lines)
    return config, lines


def _typed(value: Any) -> Any:
    """An override with its types: `--config seeds=[1,2]` comes from the workflow engine as a list of texts."""
    if isinstance(value, list):
        return [load_text(item, "--config") if isinstance(item, str) else _typed(item) for item in value]
    return value


def _check_defaults(defaults: DefaultsConfig, lines: Lines) -> None:
    """Name a misspelt default by its own line, not by that of every system that inherits it."""
    check_keys(defaults.model, MODEL_CONFIGS, lines, ("defaults", "model"))
    for kind, values in defaults.model.items():
        parse(MODEL_CONFIGS[kind], {**values, "kind": kind}, lines, ("defaults", "model", kind))
    parse(TrainConfig, defaults.train, lines, ("defaults", "train"))
    parse(DecodeConfig, defaults.decode, lines, ("defaults", "decode"))


def _corpora(root: Path, config: MainConfig) -> tuple[dict[str, CorpusConfig], dict[str, str]]:
    files = sorted((root / "workflow" / "corpora").glob("*.yaml")) + [root / path for path in config.corpora]
    corpora: dict[str, CorpusConfig] = {}
    found: dict[str, str] = {}
    for path in files:
        corpus, shown = load_corpus(path), str(path.relative_to(root) if path.is_relative_to(root) else path)
        name = corpus.corpus
        if found.setdefault(name, shown) != shown:
            remedy = "rename the file, and the corpus in it"
            raise UserError("a corpus of this name exists", where=shown, found=f"{found[name]} too", remedy=remedy)
        corpora[name] = corpus
    return corpora, found


def _study_name(root: Path, name: str, paths: dict[str, Path], lines: Lines, number: int) -> str:
    """A study of the project by its name, or one of the user's by its path (added to `paths`)."""
    if name in paths:
        return name
    path = root / name
    if path.suffix != ".yaml":
        check_known("study", name, paths, lines.place(("studies", number)))
    if paths.get(path.stem, path) != path:
        raise UserError("a study of this name exists", where=str(path), found=path.stem, remedy="rename the file")
    paths[path.stem] = path
    return path.stem


def _check_languages(
    entries: list[Entry], texts: dict[str, TextConfig], corpora: dict[str, CorpusConfig], lines: Lines
) -> None:
    """A text that is learnt on another corpus is one of the same languages."""
    for entry in entries:
        name = entry.system.text
        own, learnt = (corpora[corpus] for corpus in (entry.corpus, texts[name].learnt_on or entry.corpus))
        found, expected = ((one.source_language, one.target_language) for one in (learnt, own))
        if found != expected:
            raise UserError(
                "the text is learnt on a corpus of other languages",
                where=lines.place(("systems", entry.system.name, "text")),
                found=f"text {name}, learnt on {learnt.corpus} ({'-'.join(found)})",
                expected=f"a text of {own.corpus} ({'-'.join(expected)})",
            )
