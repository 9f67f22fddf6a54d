"""The systems of a study, resolved, each on its corpora, with the folder that its files stand in."""

import dataclasses
from collections.abc import Iterator

from docmt.base.artifacts import digest
from docmt.base.errors import UserError, check_known
from docmt.base.yaml_files import Lines
from docmt.plan.resolve import Resolver
from docmt.settings.data import TextConfig
from docmt.settings.system import Entry, SystemConfig

SHAPES = ("encoder_layers", "decoder_layers", "width", "inner", "heads", "embeddings")
"""What a model must have like the one that its training starts from."""


class Systems:
    """A study's systems, checked, beside what is known of all of them."""

    def __init__(self, resolver: Resolver, texts: dict[str, TextConfig]) -> None:
        self.resolver, self.texts = resolver, texts
        self.systems = {name: resolver.resolve(name) for name in resolver.study.systems}
        self.corpora = {name: resolver.corpora(name) for name in self.systems}
        for system in self.systems.values():
            _check_text(system, texts, resolver.lines)
            if system.init_from:
                self._check_start(system)

    def entries(self, seeds: tuple[int, ...], before: list[Entry]) -> Iterator[Entry]:
        """One for each corpus and system on it; `seeds` are those of systems and studies that state none.

        The first study that has a system of this name keeps the plain name as folder; where a later one's differs,
        its folder is `<system>@<study>`, so that adding a study never moves another's files.
        """
        study = self.resolver.study
        identities = {name: self._identity(name) for name in self.systems}
        taken = {(entry.corpus, entry.folder): entry for entry in before}
        for corpus in study.corpora:
            here = [name for name in self.systems if corpus in self.corpora[name]]
            known = {name: taken[corpus, name] for name in here if (corpus, name) in taken}
            shared = {name: entry for name, entry in known.items() if entry.identity == identities[name]}
            folders = {name: name if name in shared or name not in known else f"{name}@{study.study}" for name in here}
            for name, folder in folders.items():
                origin = name if name in shared else self._trained_as(name, corpus)
                yield Entry(
                    study=study.study,
                    corpus=corpus,
                    folder=folder,
                    trained=shared[origin].trained if origin in shared else folders[origin],
                    extends=self.resolver.extends(name),
                    identity=identities[name],
                    seeds=self.resolver.seeds(name, seeds),
                    system=self.systems[name],
                )

    def _identity(self, name: str) -> str:
        system = dataclasses.asdict(self.systems[name])
        start = system["init_from"]
        return digest({**system, "init_from": self._identity(start) if start else None})

    def _trained_as(self, name: str, corpus: str) -> str:
        """The farthest ancestor whose training is the same: a system that differs only in decoding trains nothing."""
        trained, own, ancestor = name, _training(self.systems[name]), self.resolver.extends(name)
        while ancestor is not None and _training(self.systems[ancestor]) == own:
            trained = ancestor if corpus in self.corpora[ancestor] else trained
            ancestor = self.resolver.extends(ancestor)
        return trained

    def _check_start(self, system: SystemConfig) -> None:
        """What a system takes weights from must be trained there, have the same pieces and the same shapes."""
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
                f"{start.name} is trained on another corpus, whose vocabulary is another",
                where=lines.place(("systems", system.name, "text")),
                found=f"text {system.text}, which each corpus learns for itself",
                expected="a text with learnt_on: a corpus, from which it is taken on all of them",
            )


def _training(system: SystemConfig) -> tuple:
    start = system.init_from, system.init_corpus, system.pretrained
    return system.text, system.view, system.model, system.train, start


def _check_text(system: SystemConfig, texts: dict[str, TextConfig], lines: Lines) -> None:
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


def _check_likeness(system: SystemConfig, start: SystemConfig, lines: Lines) -> None:
    pairs = [("text", system.text, start.text)]
    pairs += [(f"model.{key}", getattr(system.model, key), getattr(start.model, key)) for key in SHAPES]
    for key, own, other in pairs:
        if own != other:
            raise UserError(
                f"{key} differs from that of {start.name}, which training starts from",
                where=lines.place(("systems", system.name, *key.split("."))),
                found=own,
                expected=other,
            )
