"""The studies of a project: their systems, their entries, their settings of scoring, and whether corpora fit them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path

from docmt.base.digests import digest
from docmt.base.errors import UserError, check_known
from docmt.base.names import SPLITS
from docmt.base.yaml_files import Lines
from docmt.catalogue.corpus import CorpusConfig
from docmt.catalogue.held_out import TRAIN
from docmt.grid.main_config import MainConfig
from docmt.grid.resolve import Resolver
from docmt.grid.scale import Scale
from docmt.grid.scoring import (
    check_measured_as,
    check_metrics,
    check_shared,
    scoring_of_study,
    with_score_folders,
)
from docmt.grid.study import check_items, load_study
from docmt.reporting.item import Checks
from docmt.reporting.study import StudyConfig, check_findings
from docmt.settings.ctranslate2 import engine_obstacles
from docmt.settings.data import TextConfig
from docmt.settings.scoring import ScoringConfig
from docmt.settings.system import Entry, TrainedSystem


class Studies:
    """The studies that were read, in their order: `configs` and `scoring` by name, and the `entries` of all."""

    def __init__(
        self, scale: Scale, texts: dict[str, TextConfig], corpora: dict[str, CorpusConfig], files: Mapping[str, str]
    ) -> None:
        """Begin without a study; `files` has the path of the catalogue's file of each corpus."""
        self.scale, self.texts, self.corpora, self.files = scale, texts, corpora, files
        self.configs: dict[str, StudyConfig] = {}
        self.scoring: dict[str, ScoringConfig] = {}
        self.entries: list[Entry] = []
        self._lines: dict[str, Lines] = {}

    def add(self, path: Path, config: MainConfig) -> None:
        """Read and check a study. Raises UserError for the first mistake."""
        study, lines = load_study(path)
        for number, corpus in enumerate(study.corpora):
            check_known("corpus", corpus, self.corpora, lines.place(("corpora", number)))
        check_splits(study.corpora, self.corpora, self.files, lines)
        resolver = Resolver(study, lines, asdict(config.defaults), self.scale)
        # Cycles are refused before any system is resolved, since resolving a cycle would not end.
        resolver.check_cycles()
        systems = Systems(resolver, self.texts, config)
        checks = Checks(study.corpora, systems.systems, systems.corpora, self.corpora, lines)
        check_items(study, checks)
        check_findings(study.findings, study.items, checks)
        entries = list(systems.entries(config.seeds, self.entries))
        check_languages(entries, self.texts, self.corpora, lines)
        check_measured_as(study, lines)
        self.scoring[study.study] = scoring_of_study(config.scoring, study.scoring, self.scale, lines)
        check_metrics(study, self.scoring[study.study], lines)
        self.configs[study.study], self._lines[study.study] = study, lines
        self.entries += list(with_score_folders(entries, self.entries, self.scoring))
        check_shared(self.entries, self.scoring, self.corpora, self._lines)


Corpora = Mapping[str, CorpusConfig]  # All corpora by their names.


def check_splits(names: Iterable[str], corpora: Corpora, corpus_files: Mapping[str, str], lines: Lines) -> None:
    """Raise UserError where a corpus of a study has no files for one of the splits, before anything is computed.

    `names`: the corpora of the study whose lines are `lines`. `corpus_files`: the path of each corpus' file.
    """
    for number, name in enumerate(names):
        missing = [split for split in SPLITS if split not in corpora[name].splits]
        if missing:
            held = ", ".join(f"{split}: {{first: 20}}" for split in missing)
            hold = f", or hold documents of train out: `held_out: {{{held}}}` in its reader"
            raise UserError(
                f"the corpus has no {' and no '.join(missing)}, without which no system is trained and scored",
                where=lines.place(("corpora", number)),
                found=f"{name}, with {', '.join(corpora[name].splits) or 'contrastive sets alone'}",
                expected=", ".join(SPLITS),
                remedy=f"add files for it to {corpus_files[name]}{'' if TRAIN in missing else hold}",
            )


def check_languages(entries: Iterable[Entry], texts: Mapping[str, TextConfig], corpora: Corpora, lines: Lines) -> None:
    """Raise UserError where an entry's preset of text is learnt on a corpus of other languages than the entry's."""
    for entry in entries:
        name = entry.system.text
        corpus, learnt = (corpora[corpus_name] for corpus_name in (entry.corpus, texts[name].learnt_on or entry.corpus))
        languages, expected = ((config.source_language, config.target_language) for config in (learnt, corpus))
        if languages != expected:
            raise UserError(
                "the text is learnt on a corpus of other languages",
                where=lines.place(("systems", entry.system.name, "text")),
                found=f"text {name}, learnt on {learnt.corpus} ({'-'.join(languages)})",
                expected=f"a text of {corpus.corpus} ({'-'.join(expected)})",
            )


# Settings of a model that must equal the settings of the model from which its training starts.
SHAPES = ("encoder_layers", "decoder_layers", "width", "inner", "heads", "embeddings")


class Systems:
    """The systems of a study with all of their settings; `corpora` has the corpora of each system."""

    def __init__(self, resolver: Resolver, texts: dict[str, TextConfig], config: MainConfig) -> None:
        """Resolve and check every system of the resolver's study.

        `texts` are the presets of text at this scale; `precision` and `engine` of `config` replace those of systems.

        Raises UserError for an unknown preset of text, for a preset that does not fit the model, and for an `init_from`
        whose model the training cannot start from.
        """
        self.resolver, self.texts, self.config = resolver, texts, config
        self.systems = {name: resolver.resolve(name) for name in resolver.study.systems}
        self.corpora = {name: resolver.corpora(name) for name in self.systems}
        for name, system in self.systems.items():
            check_known("text", system.text, texts, resolver.lines.place(("systems", system.name, "text")))
            if isinstance(system, TrainedSystem):
                _check_text(system, texts, resolver.lines)
                system = self.systems[name] = self._on_machine(system)
                _check_engine(system, texts[system.text], resolver.lines)
                if system.init_from:
                    self._check_start(system)

    def _on_machine(self, system: TrainedSystem) -> TrainedSystem:
        """Return a system with the precision and the engine of config.yaml, which win over those of studies."""
        compared, texts = self.resolver.study.compares, self.texts
        if self.config.precision and "precision" not in compared:
            system = replace(system, train=replace(system.train, precision=self.config.precision))
        # CTranslate2 is the engine only of systems that it translates as docmt does.
        if self.config.engine and "engine" not in compared:
            decode = replace(system.decode, engine=self.config.engine)
            obstacles = engine_obstacles(system.model, system.view.test, texts[system.text], decode)
            if self.config.engine == "docmt" or not any(obstacles):
                system = replace(system, decode=decode)
        return system

    def entries(self, seeds: tuple[int, ...], before: list[Entry]) -> Iterator[Entry]:
        """Yield an entry for each corpus and each system on the corpus.

        `seeds`: those of systems for which neither the system nor the study states seeds. `before`: the entries of
        earlier studies.
        """
        study = self.resolver.study
        digests = {name: self._settings_digest(name) for name in self.systems}
        earlier = {(entry.corpus, entry.folder): entry for entry in before}
        origins = {entry.folder: entry.system.origin for entry in before}
        for corpus in study.corpora:
            here = [name for name in self.systems if corpus in self.corpora[name]]
            known = {name: earlier[corpus, name] for name in here if (corpus, name) in earlier}
            shared = {name: entry for name, entry in known.items() if entry.settings_digest == digests[name]}
            # Rules know by a folder's name how its translations are made, so this is the same on all corpora.
            occupied = {
                *known,
                *(name for name in here if origins.get(name) not in (None, self.systems[name].origin)),
            }
            # A different system with the name of an earlier study's one gets a folder of its own, so that a new study
            # never moves the files of another study.
            folders = {
                name: name if name in shared or name not in occupied else f"{name}@{study.study}" for name in here
            }
            for name, folder in folders.items():
                yield Entry(
                    study=study.study,
                    corpus=corpus,
                    folder=folder,
                    trained=self._trained(name, corpus, shared, folders),
                    scored=folder,
                    extends=self.resolver.extends(name),
                    settings_digest=digests[name],
                    seeds=self.resolver.seeds(name, seeds),
                    system=self.systems[name],
                )

    def _trained(self, name: str, corpus: str, shared: dict[str, Entry], folders: dict[str, str]) -> str | None:
        """Return the folder of the training whose model a system uses; None for an external system."""
        if not isinstance(self.systems[name], TrainedSystem):
            return None
        # Equal systems of several studies share one folder, and therefore one training.
        origin = name if name in shared else self._trained_as(name, corpus)
        return shared[origin].trained if origin in shared else folders[origin]

    def _settings_digest(self, name: str) -> str:
        system = asdict(self.systems[name])
        start = system.get("init_from")
        # A training also depends on the training whose model it starts from.
        return digest({**system, "init_from": self._settings_digest(start) if start else None})

    def _trained_as(self, name: str, corpus: str) -> str:
        """Return the farthest ancestor on the corpus with the same settings of training; else the system itself."""
        trained, training, ancestor = name, _training(self.systems[name]), self.resolver.extends(name)
        while ancestor is not None and _training(self.systems[ancestor]) == training:
            trained = ancestor if corpus in self.corpora[ancestor] else trained
            ancestor = self.resolver.extends(ancestor)
        return trained

    def _check_start(self, system: TrainedSystem) -> None:
        """Raise UserError unless the system in `init_from` is on the corpora, with the same pieces and shapes."""
        start, lines = self.systems[system.init_from], self.resolver.lines
        needed = (system.init_corpus,) if system.init_corpus else self.corpora[system.name]
        lacking = [corpus for corpus in needed if corpus not in self.corpora[start.name]]
        if lacking:
            raise UserError(
                f"{start.name}, which training starts from, is not on this corpus",
                where=lines.place(("systems", system.name, "init_from")),
                found=", ".join(lacking),
                expected=f"some of {', '.join(self.corpora[start.name])}",
                remedy="`init_from: {system: ..., corpus: ...}` starts from a model on another corpus",
            )
        _check_likeness(system, start, lines)
        if system.init_corpus and self.texts[system.text].learnt_on is None:
            raise UserError(
                f"{start.name} is trained on another corpus, with another vocabulary",
                where=lines.place(("systems", system.name, "text")),
                found=f"text {system.text}, which each corpus learns for itself",
                expected="a text with learnt_on, which is the same on all corpora",
            )


def _training(system: TrainedSystem) -> tuple:
    start = system.init_from, system.init_corpus, system.pretrained
    return system.text, system.view, system.model, system.train, start


def _check_text(system: TrainedSystem, texts: dict[str, TextConfig], lines: Lines) -> None:
    """Raise UserError for a preset of text that does not fit the model or its checkpoint."""
    path = ("systems", system.name)
    if system.model.embeddings == "shared" and texts[system.text].vocabulary == "separate":
        raise UserError(
            "shared embeddings need a shared vocabulary",
            where=lines.place((*path, "model", "embeddings")),
            found=f"text {system.text} with vocabulary separate",
            remedy="set model.embeddings to target or separate, or take a text with vocabulary: shared",
        )
    if system.pretrained and texts[system.text].pretrained is None:
        raise UserError(
            "a system that starts from a pretrained model needs a text of this model's pieces",
            where=lines.place((*path, "text")),
            found=f"text {system.text}, which has none",
            expected=f"one of config.yaml's texts with pretrained: {system.pretrained}",
        )


def _check_engine(system: TrainedSystem, text: TextConfig, lines: Lines) -> None:
    """Raise UserError, with the first obstacle, where CTranslate2 is to translate what it cannot translate as docmt."""
    if system.decode.engine != "ctranslate2":
        return
    for obstacle in engine_obstacles(system.model, system.view.test, text, system.decode):
        raise UserError(
            "CTranslate2 cannot translate as this system does",
            where=lines.place(("systems", system.name, "decode", "engine")),
            found=obstacle.actual,
            expected=obstacle.expected,
            remedy="`decode: {engine: docmt}` in this system",
        )


def _check_likeness(system: TrainedSystem, start: TrainedSystem, lines: Lines) -> None:
    """Raise UserError where the text or a shape differs from that of `start`, whose model training starts from."""
    pairs = [("text", system.text, start.text)]
    pairs += [(f"model.{key}", getattr(system.model, key), getattr(start.model, key)) for key in SHAPES]
    for key, value, expected in pairs:
        if value != expected:
            raise UserError(
                f"{key} differs from that of {start.name}, which training starts from",
                where=lines.place(("systems", system.name, *key.split("."))),
                found=value,
                expected=expected,
            )
