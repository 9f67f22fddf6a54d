"""The grid: every system of every study, resolved, with the folder that its files stand in.

Pure data. The workflow's rules ask it what to make; a job never does, it reads its own `settings.json`.
"""

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import yaml

from docmt.core.architectures import MODEL_CONFIGS, READS_CHAINS, TransformerConfig
from docmt.core.artifacts import canonical_json, digest
from docmt.core.catalogue import CorpusConfig, load_corpus
from docmt.core.checks import setting
from docmt.core.config import DecodeConfig, SystemConfig, TextConfig, TrainConfig
from docmt.core.errors import UserError, check_known
from docmt.core.parse import Lines, check_keys, load_yaml, mapping, parse
from docmt.core.scoring import ScoringConfig
from docmt.core.study import Resolver, StudyConfig, load_study


@dataclass(frozen=True)
class DefaultsConfig:
    """What every system starts from."""

    text: str
    view: dict
    model: dict[str, dict]
    train: dict
    decode: dict


@dataclass(frozen=True)
class MainConfig:
    """config.yaml."""

    studies: tuple[str, ...] = setting(("demo",), "names in workflow/studies, or paths of your own")
    corpora: tuple[str, ...] = setting((), "paths of your own corpus files, beside those in workflow/corpora")
    mirror: str | None = setting(None, "a path or URL that is tried before the catalogue's sources")
    local: dict[str, str] = field(default_factory=dict)
    missing: Literal["stop", "skip"] = setting("stop", "what a corpus does whose files only a person can bring")
    seeds: tuple[int, ...] = setting((1,), "one training each")
    scale: str = setting("paper", "an overlay of workflow/scales")
    device: str = setting("auto", "auto, cpu or cuda")
    shards: int = setting(1, "jobs that each pass of stage 2 over a corpus is cut into")
    texts: dict[str, TextConfig] = field(default_factory=dict)
    defaults: DefaultsConfig | None = None
    scoring: ScoringConfig = field(default_factory=ScoringConfig)


@dataclass(frozen=True)
class Entry:
    """One system on one corpus: what it is, and where its files stand.

    `folder` is the system's part of paths; `trained` is that of the system whose model it uses: itself, or the
    ancestor from which it differs only in decoding. `identity` is equal where everything is, down to the systems
    that training starts from.
    """

    study: str
    corpus: str
    folder: str
    trained: str
    extends: str | None
    identity: str
    system: SystemConfig


@dataclass(frozen=True)
class Grid:
    """Everything that can be asked for. `not_run`: corpora that are left out (`missing: skip`), and why."""

    scale: str
    device: str
    shards: int
    mirror: str | None
    local: dict[str, str]
    missing: Literal["stop", "skip"]
    seeds: dict[str, tuple[int, ...]]
    texts: dict[str, TextConfig]
    corpora: dict[str, CorpusConfig]
    corpus_files: dict[str, str]
    studies: dict[str, StudyConfig]
    active: tuple[str, ...]
    scoring: ScoringConfig
    entries: tuple[Entry, ...]
    not_run: dict[str, str] = field(default_factory=dict)

    def of_study(self, study: str) -> list[Entry]:
        return [entry for entry in self.entries if entry.study == study]

    def find(self, corpus: str, folder: str) -> Entry:
        """Raises UserError where no study has such a system on such a corpus."""
        by_path = {f"{entry.corpus}/{entry.folder}": entry for entry in reversed(self.entries)}
        check_known("system", f"{corpus}/{folder}", by_path)
        return by_path[f"{corpus}/{folder}"]

    def started_from(self, entry: Entry) -> Entry | None:
        """The entry whose model this one's training starts from."""
        if entry.system.init_from is None:
            return None
        same = [e for e in self.of_study(entry.study) if e.corpus == entry.corpus]
        return next(e for e in same if e.system.name == entry.system.init_from)

    def to_json(self) -> str:
        return canonical_json(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, value: Any, where: str) -> "Grid":
        return parse(cls, value, where)


def load_grid(root: Path, overrides: dict | None = None) -> Grid:
    """Read config.yaml under `root` (with `overrides` on top), its studies, corpora and scale; check all of it.

    Raises UserError for whatever is wrong, before any job.
    """
    config, lines = _main_config(root, overrides or {})
    overlay = _overlay(root, config, lines)
    corpora, corpus_files = _corpora(root, config)
    for corpus in config.local:
        check_known("corpus", corpus, corpora, lines.place(("local", corpus)))
    builtin = sorted((root / "workflow" / "studies").glob("*.yaml"))
    paths = {path.stem: path for path in builtin}
    active = tuple(_study_name(root, name, paths, lines, number) for number, name in enumerate(config.studies))
    studies: dict[str, StudyConfig] = {}
    entries: list[Entry] = []
    for name, path in paths.items():
        study, study_lines = load_study(path)
        _check_corpora(study, study_lines, corpora)
        resolver = Resolver(study, study_lines, dataclasses.asdict(config.defaults), overlay)
        resolver.check_cycles()
        entries += _entries(resolver, config.texts, entries)
        studies[name] = study
    seeds = {name: study.seeds or config.seeds for name, study in studies.items()}
    return Grid(
        scale=config.scale,
        device=config.device,
        shards=config.shards,
        mirror=config.mirror,
        local=config.local,
        missing=config.missing,
        seeds=seeds,
        texts=config.texts,
        corpora=corpora,
        corpus_files=corpus_files,
        studies=studies,
        active=active,
        scoring=config.scoring,
        entries=tuple(entries),
    )


def _main_config(root: Path, overrides: dict) -> tuple[MainConfig, Lines]:
    value, lines = load_yaml(root / "config.yaml")
    value = {**mapping(value, lines), **{key: _typed(item) for key, item in overrides.items()}}
    config = parse(MainConfig, value, lines)
    if config.defaults is None:
        raise UserError("key is missing", where=lines.place(("defaults",)), expected="the defaults of every system")
    _check_defaults(config.defaults, lines)
    if config.device not in ("auto", "cpu", "cuda"):
        where = lines.place(("device",))
        raise UserError("unknown name", where=where, found=config.device, expected="auto, cpu or cuda")
    if config.shards < 1:
        raise UserError(
            "not a number of jobs", where=lines.place(("shards",)), found=config.shards, expected="1 or more"
        )
    if not config.seeds:
        raise UserError("no seed", where=lines.place(("seeds",)), expected="at least one whole number")
    return config, lines


def _typed(value: Any) -> Any:
    """An override with its types: `--config seeds=[1,2]` comes from the workflow engine as a list of texts."""
    if isinstance(value, list):
        return [yaml.safe_load(item) if isinstance(item, str) else _typed(item) for item in value]
    return value


def _check_defaults(defaults: DefaultsConfig, lines: Lines) -> None:
    """Name a misspelt default by its own line, not by that of every system that inherits it."""
    check_keys(defaults.model, MODEL_CONFIGS, lines, ("defaults", "model"))
    for kind, values in defaults.model.items():
        parse(MODEL_CONFIGS[kind], {**values, "kind": kind}, lines, ("defaults", "model", kind))
    parse(TrainConfig, defaults.train, lines, ("defaults", "train"))
    parse(DecodeConfig, defaults.decode, lines, ("defaults", "decode"))


def _overlay(root: Path, config: MainConfig, lines: Lines) -> dict:
    folder = root / "workflow" / "scales"
    known = {path.stem: path for path in folder.glob("*.yaml")}
    check_known("scale", config.scale, known, lines.place(("scale",)))
    value, overlay_lines = load_yaml(known[config.scale])
    check_keys(mapping(value, overlay_lines), ("about", "model", "train", "decode"), overlay_lines)
    for section, schema in (("model", TransformerConfig), ("train", TrainConfig), ("decode", DecodeConfig)):
        valid = [f.name for f in dataclasses.fields(schema)]
        check_keys(mapping(value.setdefault(section, {}), overlay_lines, (section,)), valid, overlay_lines, (section,))
    return value


def _corpora(root: Path, config: MainConfig) -> tuple[dict[str, CorpusConfig], dict[str, str]]:
    files = sorted((root / "workflow" / "corpora").glob("*.yaml")) + [root / path for path in config.corpora]
    loaded = {path: load_corpus(path) for path in files}
    shown = {path: path.relative_to(root) if path.is_relative_to(root) else path for path in files}
    return (
        {corpus.corpus: corpus for corpus in loaded.values()},
        {corpus.corpus: str(shown[path]) for path, corpus in loaded.items()},
    )


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


def _check_corpora(study: StudyConfig, lines: Lines, corpora: dict[str, CorpusConfig]) -> None:
    for number, corpus in enumerate(study.corpora):
        check_known("corpus", corpus, corpora, lines.place(("corpora", number)))


def _entries(resolver: Resolver, texts: dict[str, TextConfig], before: list[Entry]) -> list[Entry]:
    """One entry for each corpus and system of a study.

    The first study that has a system of this name keeps the plain name as folder; where a later one's differs, its
    folder is `<system>@<study>`, so that adding a study never moves another's files.
    """
    study = resolver.study
    systems = {name: resolver.resolve(name) for name in study.systems}
    for system in systems.values():
        _check_text(system, systems, texts, resolver.lines)
    _check_inspected(study, systems, resolver.lines)
    identities = {name: _identity(name, systems) for name in systems}
    taken = {(entry.corpus, entry.folder): entry.identity for entry in before}
    entries = []
    for corpus in study.corpora:
        folders = {
            name: name if taken.get((corpus, name), own) == own else f"{name}@{study.study}"
            for name, own in identities.items()
        }
        for name, system in systems.items():
            trained = folders[_trained_as(name, systems, resolver)]
            extends = resolver.extends(name)
            entries.append(Entry(study.study, corpus, folders[name], trained, extends, identities[name], system))
    return entries


def _identity(name: str, systems: dict[str, SystemConfig]) -> str:
    system = dataclasses.asdict(systems[name])
    start = system["init_from"]
    return digest({**system, "init_from": _identity(start, systems) if start else None})


def _trained_as(name: str, systems: dict[str, SystemConfig], resolver: Resolver) -> str:
    """The farthest ancestor whose training is the same: a system that differs only in decoding trains nothing."""
    while (parent := resolver.extends(name)) is not None and _training(systems[parent]) == _training(systems[name]):
        name = parent
    return name


def _training(system: SystemConfig) -> tuple:
    return system.text, system.view, system.model, system.train, system.init_from, system.pretrained


def _check_text(
    system: SystemConfig, systems: dict[str, SystemConfig], texts: dict[str, TextConfig], lines: Lines
) -> None:
    path = ("systems", system.name)
    check_known("text", system.text, texts, lines.place((*path, "text")))
    if system.model.embeddings == "shared" and texts[system.text].bpe == "separate":
        raise UserError(
            "shared embeddings need joint BPE",
            where=lines.place((*path, "model", "embeddings")),
            found=f"text {system.text} with bpe separate",
            remedy="set model.embeddings to target or separate, or take a text with bpe: joint",
        )
    if system.pretrained and texts[system.text].pretrained is None:
        raise UserError(
            "a pretrained start needs a text of the checkpoint's pieces",
            where=lines.place((*path, "text")),
            found=f"text {system.text}, which has none",
            expected=f"one of config.yaml's texts with pretrained: {system.pretrained}",
        )
    if system.init_from:
        _check_start(system, systems[system.init_from], lines)


def _check_inspected(study: StudyConfig, systems: dict[str, SystemConfig], lines: Lines) -> None:
    for number, name in enumerate(study.inspected):
        if (kind := systems[name].model.kind) not in READS_CHAINS:
            where = lines.place(("inspected", number))
            raise UserError(
                "not a system that reads lexical chains",
                where=where,
                found=f"{name}, model.kind {kind}",
                expected=" or ".join(READS_CHAINS),
            )


def _check_start(system: SystemConfig, start: SystemConfig, lines: Lines) -> None:
    """What a system takes weights from must have the same pieces and the same shapes."""
    same = ("encoder_layers", "decoder_layers", "width", "inner", "heads", "embeddings")
    pairs = [("text", system.text, start.text)]
    pairs += [(f"model.{key}", getattr(system.model, key), getattr(start.model, key)) for key in same]
    for key, own, other in pairs:
        if own != other:
            raise UserError(
                f"{key} differs from that of {start.name}, which training starts from",
                where=lines.place(("systems", system.name, *key.split("."))),
                found=own,
                expected=other,
            )
