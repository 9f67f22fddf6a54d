"""The settings, the corpora and the seeds of each system of a study.

A study states only the settings in which a system differs from others. The settings of a system come, in this order,
from the defaults of config.yaml, from the systems that it extends (its ancestors, the oldest first), from the system
itself and from the scale; a later source replaces the values of an earlier one. `precision` and `engine` of
config.yaml come after all of these (`docmt.grid.studies`).
"""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from docmt.base.checks import Checked, need_path, need_seeds, needed, setting
from docmt.base.errors import UserError, check_known
from docmt.base.parse import check_keys, mapping, parse
from docmt.base.yaml_files import Lines
from docmt.grid.external import check_external, check_runs, check_trained, external_key
from docmt.grid.scale import Scale
from docmt.reporting.study import StudyConfig
from docmt.settings.external import EXTERNAL
from docmt.settings.models import MODEL_CONFIGS, TransformerConfig
from docmt.settings.pretrained import is_random_checkpoint
from docmt.settings.system import ExternalSystem, SystemConfig, TrainedSystem

# The keys that name the model whose parameters a training starts from; a system that states one inherits neither.
STARTS = ("init_from", "pretrained")
# The largest number of systems in a chain where each extends, or starts from, the next; studies have about five.
LONGEST_CHAIN = 50
# The sections in which a system replaces single fields of its parent; it replaces each other section as a whole.
MERGED = ("model", "train", "decode")


@dataclass(frozen=True)
class Elsewhere:
    """The value of `init_from` where training starts from a model that was trained on another corpus."""

    system: str = needed("name of the study's system whose model training starts from")
    corpus: str = needed("the corpus on which that model was trained")


@dataclass(frozen=True)
class StatedSystem(Checked):
    """What a study may state of a system that docmt trains; `Resolver` fills in what it inherits.

    The sections `view`, `model`, `train` and `decode` have the keys of a `TrainedSystem`, and each of them may be left
    out.
    """

    extends: str | None = setting(None, "the system whose settings this one has, where it states no others")
    corpora: tuple[str, ...] | None = setting(
        None, "corpora of the study that the system is trained on; none = all of them"
    )
    seeds: tuple[int, ...] | None = setting(None, "seeds of its trainings; none = those of the study", need_seeds)
    init_from: str | Elsewhere | None = setting(None, "the system of the study whose model training starts from")
    pretrained: str | None = setting(
        None, "folder of the mBART, BART or BERT checkpoint that training starts from", need_path
    )
    text: str | None = setting(None, "preset of `texts` of config.yaml, by which its corpora become pieces")
    view: dict | None = setting(None, "cut of documents into segments")
    model: dict | None = setting(None, "settings of the model; `kind` is its architecture")
    train: dict | None = setting(None, "settings of training")
    decode: dict | None = setting(None, "settings of decoding")


# The keys of a system that docmt trains.
SYSTEM_KEYS = tuple(declared.name for declared in dataclasses.fields(StatedSystem))


CIRCLE, TOO_LONG = "the system extends or starts from itself", "too many systems extend or start from each other"
CIRCLES = (CIRCLE, TOO_LONG)  # After these mistakes no system can be resolved.


def check_stated(name: str, system: Any, lines: Lines) -> None:
    """Raise UserError unless what a study states of a system is a mapping with known keys that go together."""
    check_keys(mapping(system, lines, ("systems", name)), (*SYSTEM_KEYS, *EXTERNAL), lines, ("systems", name))
    check_external(name, system, lines)


class Resolver:
    """A resolver of the systems of a study: it fills in the settings that a system does not state itself."""

    def __init__(self, study: StudyConfig, lines: Lines, defaults: dict, scale: Scale) -> None:
        """Take a study, the `defaults` of config.yaml and the scale; `lines` has the line of each key, for messages.

        Raises UserError for a system with unknown keys.
        """
        self.study, self.lines, self.defaults, self.scale = study, lines, defaults, scale
        for name, system in study.systems.items():
            check_stated(name, system, lines)

    def resolve(self, name: str) -> SystemConfig:
        """Return the system with all settings filled in. Raises UserError for a setting that is not allowed."""
        if key := external_key(self.study.systems[name]):
            external = self.study.systems[name]
            source = parse(EXTERNAL[key], external[key], self.lines, ("systems", name, key))
            system = ExternalSystem(name, external.get("text", self.defaults["text"]), source)
            check_runs(system, self.corpora(name), self._scope(name, "seeds")[1].seeds, self.lines)
            return system
        stated = self._inherited(name)
        start, corpus = self._started(name)
        values = {"name": name, "init_from": start, "init_corpus": corpus, "pretrained": self._checkpoint(name)}
        for section in ("text", "view"):
            values[section] = stated.get(section, self.defaults[section])
        for section in MERGED:
            overlay = self._overlaid(section, name)
            values[section] = {**self._defaults(section, stated), **stated.get(section, {}), **overlay}
        system = parse(TrainedSystem, values, self.lines, ("systems", name))
        return dataclasses.replace(system, view=self.scale.view.laid_over(system.view))

    def extends(self, name: str) -> str | None:
        """Return the system that a system extends, or None. Raises UserError where the study has no such system."""
        return self._known(name, "extends", self.study.systems[name].get("extends"))

    def init_from(self, name: str) -> str | None:
        """Return the system whose model the training of system `name` starts from, or None."""
        # It is inherited unless a key of `STARTS` is stated; `init_from: null` removes an inherited start.
        return self._started(name)[0]

    def corpora(self, name: str) -> tuple[str, ...]:
        """Return the corpora of a system, in the order of the study. Raises UserError for none, and an unknown one."""
        where, scope = self._scope(name, "corpora")
        # The system states `corpora: null`, or neither it nor an ancestor states corpora.
        if scope.corpora is None:
            return self.study.corpora
        for number, corpus in enumerate(scope.corpora):
            check_known("corpus of the study", corpus, self.study.corpora, self.lines.place((*where, number)))
        if not scope.corpora:
            raise UserError("no corpus", where=self.lines.place(where), expected="at least one corpus of the study")
        return tuple(corpus for corpus in self.study.corpora if corpus in scope.corpora)

    def seeds(self, name: str, otherwise: tuple[int, ...]) -> tuple[int, ...]:
        """Return a system's seeds, one for each training; `otherwise` where neither it nor its study states any."""
        _, scope = self._scope(name, "seeds")
        seeds = scope.seeds or self.study.seeds or otherwise
        # An external system with a single run has the first of them.
        is_single = external_key(self.study.systems[name]) and not self.resolve(name).source.has_seeds
        return seeds[:1] if is_single else seeds

    def check_cycles(self) -> None:
        """Raise UserError where `extends` or `init_from` leads from a system to itself, or through too many systems."""
        for key, follow in (("extends", self.extends), ("init_from", self.init_from)):
            for name in self.study.systems:
                self._check_chain(name, key, follow)

    def _check_chain(self, name: str, key: str, follow: Callable[[str], str | None]) -> None:
        """Raise UserError where the systems that `key` names one after another form a circle, or too long a chain."""
        chain, where = [name], self.lines.place(("systems", name, key))
        while (following := follow(chain[-1])) is not None:
            if following in chain:
                circle, remedy = " -> ".join([*chain, following]), f"take {key} from one of them"
                raise UserError(CIRCLE, where=where, found=circle, remedy=remedy)
            chain.append(following)
            if len(chain) > LONGEST_CHAIN:
                raise UserError(
                    TOO_LONG,
                    where=where,
                    found=" -> ".join([*chain[:3], "..."]),
                    expected=f"at most {LONGEST_CHAIN} systems in a row",
                    remedy="state the settings that all share in the first of them, or in config.yaml's defaults",
                )

    def _stating(self, name: str, *keys: str) -> str:
        """Return the system or its nearest ancestor that states one of the keys; else the oldest ancestor."""
        while not any(key in self.study.systems[name] for key in keys):
            if (parent := self.extends(name)) is None:
                break
            name = parent
        return name

    def _scope(self, name: str, key: str) -> tuple[tuple, StatedSystem]:
        """Return the path of the keys of `corpora` or `seeds` of a system, inherited or not, and their value."""
        stating = self._stating(name, key)
        stated = {key: self.study.systems[stating].get(key)}
        return ("systems", stating, key), parse(StatedSystem, stated, self.lines, ("systems", stating))

    def _start(self, name: str, key: str) -> Any:
        """Return the value of a key of `STARTS` that a system states or inherits; None where there is no such value."""
        return self.study.systems[self._stating(name, *STARTS)].get(key)

    def _started(self, name: str) -> tuple[str | None, str | None]:
        """Return the system whose model training starts from, and the corpus of that model, None for the same."""
        # A message about the value has to name the line of the system that states it, which may be an ancestor.
        stating, start = self._stating(name, *STARTS), self._start(name, "init_from")
        if not isinstance(start, dict):
            return self._known(stating, "init_from", start), None
        path = ("systems", stating, "init_from")
        elsewhere = parse(Elsewhere, start, self.lines, path)
        check_known("system", elsewhere.system, self.study.systems, self.lines.place((*path, "system")))
        check_trained(elsewhere.system, self.study.systems[elsewhere.system], self.lines.place((*path, "system")))
        check_known("corpus of the study", elsewhere.corpus, self.study.corpora, self.lines.place((*path, "corpus")))
        return elsewhere.system, elsewhere.corpus

    def _overlaid(self, section: str, name: str) -> dict:
        """Return the settings of a section that the scale replaces in a system."""
        # No scale changes the size of a pretrained checkpoint, or of models that start from one; a random one has its
        # size.
        if section == "model":
            while (start := self.init_from(name)) is not None:
                name = start
            if (folder := self._checkpoint(name)) is not None and not is_random_checkpoint(folder):
                return {}
        return self.scale.sections.get(section, {})

    def _checkpoint(self, name: str) -> Any:
        """Return the folder of the checkpoint that training starts from: the random one where it replaces another."""
        return self.scale.checkpoint(self._start(name, "pretrained"))

    def _known(self, name: str, key: str, other: Any) -> str | None:
        """Return `other`, a system's name that `key` of `name` states. Raises UserError where there is no such one."""
        if other is not None:
            check_known("system", other, self.study.systems, self.lines.place(("systems", name, key)))
            check_trained(other, self.study.systems[other], self.lines.place(("systems", name, key)))
        return other

    def _inherited(self, name: str) -> dict:
        """Return the settings that the ancestors of a system and the system itself state, merged section by section."""
        system = self.study.systems[name]
        for section in ("view", *MERGED):
            if section in system:
                mapping(system[section], self.lines, ("systems", name, section))
        parent = self.extends(name)
        stated = self._inherited(parent) if parent else {}
        for section, value in system.items():
            merged = section in MERGED
            stated[section] = {**self._inherited_fields(section, stated, value), **value} if merged else value
        return stated

    def _inherited_fields(self, section: str, stated: dict, value: dict) -> dict:
        """Return the fields of a section that a system inherits from its ancestors."""
        inherited = stated.get(section, {})
        kind = value.get("kind")
        if section != "model" or not isinstance(kind, str) or kind not in MODEL_CONFIGS:
            return inherited  # `parse` reports a kind that is none
        # A system that states another architecture inherits only the fields that this one has.
        valid = {f.name for f in dataclasses.fields(MODEL_CONFIGS[kind])}
        return {key: item for key, item in inherited.items() if key in valid}

    def _defaults(self, section: str, stated: dict) -> dict:
        if section != "model":
            return self.defaults[section]
        kind = stated.get("model", {}).get("kind", "transformer")
        # All architectures share the defaults of the Transformer, with their own on top.
        common = {k: v for k, v in self.defaults["model"].get("transformer", {}).items() if k != "kind"}
        # A kind that is no text is reported by `parse`.
        has_defaults = isinstance(kind, str) and kind != TransformerConfig.kind
        specific = self.defaults["model"].get(kind, {}) if has_defaults else {}
        return {**common, **specific, "kind": kind}
