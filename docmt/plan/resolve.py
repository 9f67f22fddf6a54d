"""The settings of each system of a study, from defaults, ancestors, itself and the scale; its corpora and seeds."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from docmt.base.checks import need_seeds
from docmt.base.errors import UserError, check_known
from docmt.base.parse import check_keys, mapping, parse
from docmt.base.yaml_files import Lines
from docmt.kinds.study import StudyConfig
from docmt.plan.scale import Scale
from docmt.settings.data import both_cuts
from docmt.settings.models import MODEL_CONFIGS, TransformerConfig
from docmt.settings.pretrained import is_random_checkpoint
from docmt.settings.system import SystemConfig

SYSTEM_KEYS = (
    "extends", "corpora", "seeds", "init_from", "pretrained", "text", "view", "model", "train", "decode"
)  # fmt: skip
STARTS = ("init_from", "pretrained")
"""The keys for the start of a training; a system that states one of them inherits neither."""
LONGEST_CHAIN = 50
"""The most systems in a row that extend, or start from, each other; studies written by people have about five."""
MERGED = ("model", "train", "decode")
"""Sections that a system merges into its parent's field by field; it replaces the others whole."""


@dataclass(frozen=True)
class _Scope:
    """The corpora and the seeds of a system; none means those of the study."""

    corpora: tuple[str, ...] | None = None
    seeds: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        """Raise BadValue where `seeds` is empty, or has a seed twice or out of range."""
        need_seeds("seeds", self.seeds)


@dataclass(frozen=True)
class _Elsewhere:
    """The value of `init_from` for a model on another corpus."""

    system: str
    corpus: str


class Resolver:
    """Resolves the systems of a study: defaults, then ancestors, then the system itself, then the scale."""

    def __init__(self, study: StudyConfig, lines: Lines, defaults: dict, scale: Scale) -> None:
        """Take a study with the places of its lines, for messages. Raises UserError for a system with unknown keys."""
        self.study, self.lines, self.defaults, self.scale = study, lines, defaults, scale
        for name, system in study.systems.items():
            check_keys(mapping(system, lines, ("systems", name)), SYSTEM_KEYS, lines, ("systems", name))

    def resolve(self, name: str) -> SystemConfig:
        """Return the system with all settings filled in. Raises UserError for any that its schema does not allow."""
        stated = self._inherited(name)
        start, corpus = self._started(name)
        values = {"name": name, "init_from": start, "init_corpus": corpus, "pretrained": self._checkpoint(name)}
        for section in ("text", "view"):
            values[section] = stated.get(section, self.defaults[section])
        for section in MERGED:
            overlay = self._overlaid(section, name)
            values[section] = {**self._defaults(section, stated), **stated.get(section, {}), **overlay}
        system = parse(SystemConfig, values, self.lines, ("systems", name))
        return dataclasses.replace(system, view=self.scale.view.laid_over(system.view))

    def extends(self, name: str) -> str | None:
        """Return the parent of a system, if it has one. Raises UserError for an unknown one."""
        return self._known(name, "extends", self.study.systems[name].get("extends"))

    def init_from(self, name: str) -> str | None:
        """Return the system whose model the training starts from, if any.

        A system inherits it unless it states one of `STARTS`; `init_from: null` removes an inherited start.
        """
        return self._started(name)[0]

    def corpora(self, name: str) -> tuple[str, ...]:
        """Return the corpora of a system, in the study's order; `corpora: null` removes inherited ones.

        Raises UserError for an empty list, and for a corpus that is not the study's.
        """
        where, scope = self._scope(name, "corpora")
        if scope.corpora is None:
            return self.study.corpora
        for number, corpus in enumerate(scope.corpora):
            check_known("corpus of the study", corpus, self.study.corpora, self.lines.place((*where, number)))
        if not scope.corpora:
            raise UserError("no corpus", where=self.lines.place(where), expected="one of the study's, or more")
        return tuple(corpus for corpus in self.study.corpora if corpus in scope.corpora)

    def seeds(self, name: str, otherwise: tuple[int, ...]) -> tuple[int, ...]:
        """Return the seeds of a system: its own, else those of its nearest ancestor, of the study, or `otherwise`.

        There is one training for each seed.
        """
        _, scope = self._scope(name, "seeds")
        return scope.seeds or self.study.seeds or otherwise

    def check_cycles(self) -> None:
        """Raise UserError where a system extends, or starts from, itself through others, or through too many others."""
        for key, follow in (("extends", self.extends), ("init_from", self.init_from)):
            for name in self.study.systems:
                self._check_chain(name, key, follow)

    def _check_chain(self, name: str, key: str, follow: Callable[[str], str | None]) -> None:
        """Raise UserError where `follow`, which returns the next system of `key`, leads in a circle or too far."""
        chain, where = [name], self.lines.place(("systems", name, key))
        while (following := follow(chain[-1])) is not None:
            if following in chain:
                circle, remedy = " -> ".join([*chain, following]), f"take {key} from one of them"
                raise UserError("the system leads back to itself", where=where, found=circle, remedy=remedy)
            chain.append(following)
            if len(chain) > LONGEST_CHAIN:
                raise UserError(
                    "too many systems extend or start from each other",
                    where=where,
                    found=" -> ".join([*chain[:3], "..."]),
                    expected=f"at most {LONGEST_CHAIN} systems in a row",
                    remedy="state what is common to all in the first of them, or in config.yaml's defaults",
                )

    def _stating(self, name: str, *keys: str) -> str:
        """Return the system that states one of the keys: itself, else its nearest ancestor, else its last ancestor."""
        while not any(key in self.study.systems[name] for key in keys):
            if (parent := self.extends(name)) is None:
                break
            name = parent
        return name

    def _scope(self, name: str, key: str) -> tuple[tuple, _Scope]:
        """Return the path in the study of a system's `key` ("corpora" or "seeds"), inherited or not, and its value."""
        stating = self._stating(name, key)
        stated = {key: self.study.systems[stating].get(key)}
        return ("systems", stating, key), parse(_Scope, stated, self.lines, ("systems", stating))

    def _start(self, name: str, key: str) -> Any:
        """Return the value of one of the keys `STARTS`, inherited or not."""
        return self.study.systems[self._stating(name, *STARTS)].get(key)

    def _started(self, name: str) -> tuple[str | None, str | None]:
        """Return the system whose model training starts from, and its corpus where that is another one."""
        # A message about the value has to name the line of the system that states it, which may be an ancestor.
        stating, start = self._stating(name, *STARTS), self._start(name, "init_from")
        if not isinstance(start, dict):
            return self._known(stating, "init_from", start), None
        path = ("systems", stating, "init_from")
        elsewhere = parse(_Elsewhere, start, self.lines, path)
        check_known("system", elsewhere.system, self.study.systems, self.lines.place((*path, "system")))
        check_known("corpus of the study", elsewhere.corpus, self.study.corpora, self.lines.place((*path, "corpus")))
        return elsewhere.system, elsewhere.corpus

    def _overlaid(self, section: str, name: str) -> dict:
        """Return the scale's settings of a section for a system.

        The size of a pretrained checkpoint is given, and the models of trainings that start from it have the same size:
        for these the section `model` is empty. A random checkpoint has the size of the scale.
        """
        if section == "model":
            while (start := self.init_from(name)) is not None:
                name = start
            if (folder := self._checkpoint(name)) is not None and not is_random_checkpoint(folder):
                return {}
        return self.scale.sections.get(section, {})

    def _checkpoint(self, name: str) -> Any:
        """Return the folder of the checkpoint that training starts from, a random one where the scale replaces it."""
        return self.scale.checkpoint(self._start(name, "pretrained"))

    def _known(self, name: str, key: str, other: Any) -> str | None:
        """Return the system `other` that `key` of a system names, or none. Raises UserError for an unknown one."""
        if other is not None:
            check_known("system", other, self.study.systems, self.lines.place(("systems", name, key)))
        return other

    def _inherited(self, name: str) -> dict:
        """Return all that the ancestors of a system and it itself state, merged by section."""
        system = self.study.systems[name]
        self._check_sections(name, system)
        parent = self.extends(name)
        stated = self._inherited(parent) if parent else {}
        for section, value in system.items():
            merged = section in MERGED
            stated[section] = {**self._inherited_fields(section, stated, value), **value} if merged else value
        return stated

    def _check_sections(self, name: str, system: dict) -> None:
        """Raise UserError where a section of a system is no mapping of keys."""
        for section in MERGED:
            if section in system:
                mapping(system[section], self.lines, ("systems", name, section))
        if "view" in system:
            both_cuts(mapping(system["view"], self.lines, ("systems", name, "view")))

    def _inherited_fields(self, section: str, stated: dict, value: dict) -> dict:
        """Return the fields that a system inherits in a section; a new architecture drops those that it lacks."""
        inherited = stated.get(section, {})
        kind = value.get("kind")
        if section != "model" or kind not in MODEL_CONFIGS:
            return inherited
        valid = {f.name for f in dataclasses.fields(MODEL_CONFIGS[kind])}
        return {key: item for key, item in inherited.items() if key in valid}

    def _defaults(self, section: str, stated: dict) -> dict:
        """Return the defaults of a section; of `model` those of all architectures, then of the stated one."""
        if section != "model":
            return self.defaults[section]
        kind = stated.get("model", {}).get("kind", "transformer")
        common = {k: v for k, v in self.defaults["model"]["transformer"].items() if k != "kind"}
        specific = {} if kind == TransformerConfig.kind else self.defaults["model"].get(kind, {})
        return {**common, **specific, "kind": kind}
