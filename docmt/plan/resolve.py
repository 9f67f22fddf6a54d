"""What each system of a study is: filled in from defaults, ancestors, itself and the scale, and where it stands."""

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
"""What training starts from; a system that states one of them inherits neither."""
LONGEST_CHAIN = 50
"""Systems that extend, or start from, each other; a study for people has chains of five."""
MERGED = ("model", "train", "decode")
"""Sections that a system merges into its parent's by field; the others are replaced whole."""


@dataclass(frozen=True)
class _Standing:
    """On which corpora and with which seeds; none = the study's."""

    corpora: tuple[str, ...] | None = None
    seeds: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        need_seeds("seeds", self.seeds)


@dataclass(frozen=True)
class _Elsewhere:
    """`init_from` of a model on another corpus."""

    system: str
    corpus: str


class Resolver:
    """Fills in what each system of a study inherits: defaults, then ancestors, then itself, then the scale."""

    def __init__(self, study: StudyConfig, lines: Lines, defaults: dict, scale: Scale) -> None:
        self.study, self.lines, self.defaults, self.scale = study, lines, defaults, scale
        for name, system in study.systems.items():
            check_keys(mapping(system, lines, ("systems", name)), SYSTEM_KEYS, lines, ("systems", name))

    def resolve(self, name: str) -> SystemConfig:
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
        return self._known(name, "extends", self.study.systems[name].get("extends"))

    def init_from(self, name: str) -> str | None:
        """See `STARTS`; `init_from: null` takes an inherited start back."""
        return self._started(name)[0]

    def corpora(self, name: str) -> tuple[str, ...]:
        """On which the system stands, in the study's order. `corpora: null` takes inherited ones back."""
        where, standing = self._standing(name, "corpora")
        if standing.corpora is None:
            return self.study.corpora
        for number, corpus in enumerate(standing.corpora):
            check_known("corpus of the study", corpus, self.study.corpora, self.lines.place((*where, number)))
        if not standing.corpora:
            raise UserError("no corpus", where=self.lines.place(where), expected="one of the study's, or more")
        return tuple(corpus for corpus in self.study.corpora if corpus in standing.corpora)

    def seeds(self, name: str, otherwise: tuple[int, ...]) -> tuple[int, ...]:
        """One training each: those that the system states, or its nearest ancestor, or the study, or `otherwise`."""
        _, standing = self._standing(name, "seeds")
        return standing.seeds or self.study.seeds or otherwise

    def check_cycles(self) -> None:
        """Raises UserError where a system extends, or starts from, itself in the end, or does so over many others."""
        for key, follow in (("extends", self.extends), ("init_from", self.init_from)):
            for name in self.study.systems:
                self._check_chain(name, key, follow)

    def _check_chain(self, name: str, key: str, follow: Callable[[str], str | None]) -> None:
        chain, where = [name], self.lines.place(("systems", name, key))
        while (following := follow(chain[-1])) is not None:
            if following in chain:
                found, remedy = " -> ".join([*chain, following]), f"take {key} from one of them"
                raise UserError("goes in a circle", where=where, found=found, remedy=remedy)
            chain.append(following)
            if len(chain) > LONGEST_CHAIN:
                raise UserError(
                    "leads through too many",
                    where=where,
                    found=" -> ".join([*chain[:3], "..."]),
                    expected=f"at most {LONGEST_CHAIN} systems in a row",
                    remedy="state what is common to all in the first of them, or in config.yaml's defaults",
                )

    def _stating(self, name: str, *keys: str) -> str:
        """The system itself, or the nearest ancestor that states one of the keys, or the last ancestor."""
        while not any(key in self.study.systems[name] for key in keys):
            if (parent := self.extends(name)) is None:
                break
            name = parent
        return name

    def _standing(self, name: str, key: str) -> tuple[tuple, _Standing]:
        stating = self._stating(name, key)
        stated = {key: self.study.systems[stating].get(key)}
        return ("systems", stating, key), parse(_Standing, stated, self.lines, ("systems", stating))

    def _start(self, name: str, key: str) -> Any:
        return self.study.systems[self._stating(name, *STARTS)].get(key)

    def _started(self, name: str) -> tuple[str | None, str | None]:
        """The system whose model training starts from, and its corpus where that is another."""
        stating, start = self._stating(name, *STARTS), self._start(name, "init_from")
        if not isinstance(start, dict):
            return self._known(stating, "init_from", start), None
        path = ("systems", stating, "init_from")
        elsewhere = parse(_Elsewhere, start, self.lines, path)
        check_known("system", elsewhere.system, self.study.systems, self.lines.place((*path, "system")))
        check_known("corpus of the study", elsewhere.corpus, self.study.corpora, self.lines.place((*path, "corpus")))
        return elsewhere.system, elsewhere.corpus

    def _overlaid(self, section: str, name: str) -> dict:
        """The scale's settings; a checkpoint has the size that it has, and so has what starts from such a system.

        But for one that is made at this scale: it has the scale's.
        """
        if section == "model":
            while (start := self.init_from(name)) is not None:
                name = start
            if (folder := self._checkpoint(name)) is not None and not is_random_checkpoint(folder):
                return {}
        return self.scale.sections.get(section, {})

    def _checkpoint(self, name: str) -> Any:
        """The pretrained checkpoint that training starts from: the scale's, where it makes one instead."""
        return self.scale.checkpoint(self._start(name, "pretrained"))

    def _known(self, name: str, key: str, other: Any) -> str | None:
        if other is not None:
            check_known("system", other, self.study.systems, self.lines.place(("systems", name, key)))
        return other

    def _inherited(self, name: str) -> dict:
        own = self.study.systems[name]
        self._check_sections(name, own)
        parent = self.extends(name)
        stated = self._inherited(parent) if parent else {}
        for section, value in own.items():
            merged = section in MERGED
            stated[section] = {**self._kept(section, stated, value), **value} if merged else value
        return stated

    def _check_sections(self, name: str, own: dict) -> None:
        for section in MERGED:
            if section in own:
                mapping(own[section], self.lines, ("systems", name, section))
        if "view" in own:
            both_cuts(mapping(own["view"], self.lines, ("systems", name, "view")))

    def _kept(self, section: str, stated: dict, value: dict) -> dict:
        """What a system keeps of its parent's section: a new architecture drops the fields that it lacks."""
        inherited = stated.get(section, {})
        kind = value.get("kind")
        if section != "model" or kind not in MODEL_CONFIGS:
            return inherited
        valid = {f.name for f in dataclasses.fields(MODEL_CONFIGS[kind])}
        return {key: item for key, item in inherited.items() if key in valid}

    def _defaults(self, section: str, stated: dict) -> dict:
        if section != "model":
            return self.defaults[section]
        kind = stated.get("model", {}).get("kind", "transformer")
        common = {k: v for k, v in self.defaults["model"]["transformer"].items() if k != "kind"}
        own = {} if kind == TransformerConfig.kind else self.defaults["model"].get(kind, {})
        return {**common, **own, "kind": kind}
