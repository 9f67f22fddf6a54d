"""A study: its systems, each stated as a difference from another, and the tables that compare them."""

import dataclasses
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from docmt.core.architectures import MODEL_CONFIGS, TransformerConfig
from docmt.core.checks import setting
from docmt.core.config import SystemConfig
from docmt.core.errors import UserError, check_known
from docmt.core.metrics import parse_metric
from docmt.core.parse import Lines, both_cuts, check_keys, load_yaml, mapping, parse

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")
"""Names of studies, systems, corpora and texts stand in paths."""

SYSTEM_KEYS = ("extends", "init_from", "pretrained", "text", "view", "model", "train", "decode")
STARTS = ("init_from", "pretrained")
"""What training starts from; a system that states one of them inherits neither."""
MERGED = ("model", "train", "decode")
"""Sections that a system merges into its parent's by field; `text` and `view` are replaced whole."""


@dataclass(frozen=True)
class RowConfig:
    """A row of a table: a system, or numbers that exist only as published."""

    label: str = setting("", "what the row is called; the system's name where it is left out")
    system: str | None = setting(None, "name of the study's system; none for a row that is only published")
    baseline: str | None = setting(None, "the system that the row is compared with, where it is not the table's")
    published: dict[str, dict[str, Any]] = field(default_factory=dict)
    note: str = setting("", "a footnote, such as a slip of the paper")


@dataclass(frozen=True)
class TableConfig:
    """A table of a paper, or of our own: rows by (corpus, metric)."""

    title: str
    metrics: tuple[str, ...]
    rows: tuple[RowConfig, ...]
    caption: str = setting("", "below the table")
    paper: str = setting("", "where the published numbers stand")
    baseline: str | None = setting(None, "the system that rows are compared with; none = no test of significance")
    significance: Literal["bootstrap", "sign"] = setting(
        "bootstrap", "the test: paired bootstrap (Koehn 2004), or the sign test of Collins et al. (2005)"
    )

    def baseline_of(self, row: RowConfig) -> str | None:
        """The system that a row is compared with; none for the baseline itself and for what is only published."""
        baseline = row.baseline or self.baseline
        return baseline if row.system is not None and row.system != baseline else None


@dataclass(frozen=True)
class StudyConfig:
    """A file of `workflow/studies`, its systems as stated (unresolved)."""

    study: str
    title: str
    corpora: tuple[str, ...]
    systems: dict[str, Any]
    about: str = setting("", "what the study asks, in a few sentences")
    seeds: tuple[int, ...] | None = setting(None, "where the study's differ from config.yaml's")
    tables: dict[str, TableConfig] = field(default_factory=dict)
    inspected: tuple[str, ...] = setting(
        (), "systems that read lexical chains, whose attention to one the page shows, and their latent variables"
    )


def load_study(path: Path) -> tuple[StudyConfig, Lines]:
    """Read one study. Raises UserError for anything that its schema does not allow."""
    value, lines = load_yaml(path)
    study = parse(StudyConfig, value, lines)
    for name in (study.study, *study.systems):
        if not NAME.fullmatch(name):
            raise UserError(
                "not a name",
                where=lines.place(("systems", name)),
                found=repr(name),
                expected="letters, digits and . _ + - (it stands in paths)",
            )
    if study.study != path.stem:
        raise UserError("a study is called like its file", where=lines.place(("study",)), found=study.study)
    _check_rows(study, lines)
    return study, lines


def _check_rows(study: StudyConfig, lines: Lines) -> None:
    for number, name in enumerate(study.inspected):
        check_known("system", name, study.systems, lines.place(("inspected", number)))
    for table, config in study.tables.items():
        if config.baseline is not None:
            check_known("system", config.baseline, study.systems, lines.place(("tables", table, "baseline")))
        for number, metric in enumerate(config.metrics):
            parse_metric(metric, lines.place(("tables", table, "metrics", number)))
        for number, row in enumerate(config.rows):
            path = ("tables", table, "rows", number)
            for key in ("system", "baseline"):
                if getattr(row, key) is not None:
                    check_known("system", getattr(row, key), study.systems, lines.place((*path, key)))
            for corpus, cells in row.published.items():
                check_known("corpus", corpus, study.corpora, lines.place((*path, "published", corpus)))
                for metric in cells:
                    check_known("column", metric, config.metrics, lines.place((*path, "published", corpus, metric)))


class Resolver:
    """Fills in what each system of a study inherits: defaults, then ancestors, then itself, then the scale."""

    def __init__(self, study: StudyConfig, lines: Lines, defaults: dict, overlay: dict) -> None:
        self.study, self.lines, self.defaults, self.overlay = study, lines, defaults, overlay
        for name, system in study.systems.items():
            check_keys(mapping(system, lines, ("systems", name)), SYSTEM_KEYS, lines, ("systems", name))

    def resolve(self, name: str) -> SystemConfig:
        stated = self._inherited(name)
        model, train, decode = (
            {**self._defaults(section, stated), **stated.get(section, {}), **self._overlaid(section, name)}
            for section in MERGED
        )
        view = stated.get("view", self.defaults["view"])
        values = {
            "name": name,
            "text": stated.get("text", self.defaults["text"]),
            "init_from": self.init_from(name),
            "pretrained": self._start(name, "pretrained"),
            "view": view,
            "model": model,
            "train": train,
            "decode": decode,
        }
        return parse(SystemConfig, values, self.lines, ("systems", name))

    def extends(self, name: str) -> str | None:
        return self._known(name, "extends", self.study.systems[name].get("extends"))

    def init_from(self, name: str) -> str | None:
        """See `STARTS`; `init_from: null` takes an inherited start back."""
        return self._known(self._starting(name), "init_from", self._start(name, "init_from"))

    def check_cycles(self) -> None:
        """Raises UserError where a system extends, or starts from, itself in the end."""
        for key, follow in (("extends", self.extends), ("init_from", self.init_from)):
            for name in self.study.systems:
                chain = [name]
                while (following := follow(chain[-1])) is not None:
                    if following in chain:
                        where = self.lines.place(("systems", name, key))
                        raise UserError("goes in a circle", where=where, found=" -> ".join([*chain, following]))
                    chain.append(following)

    def _starting(self, name: str) -> str:
        """The system itself, or the nearest ancestor that states what training starts from, or the last ancestor."""
        while not any(key in self.study.systems[name] for key in STARTS):
            if (parent := self.extends(name)) is None:
                break
            name = parent
        return name

    def _start(self, name: str, key: str) -> Any:
        return self.study.systems[self._starting(name)].get(key)

    def _overlaid(self, section: str, name: str) -> dict:
        """The scale's settings; a checkpoint has the size that it has, and so has what starts from such a system."""
        if section == "model":
            while (start := self.init_from(name)) is not None:
                name = start
            if self._start(name, "pretrained") is not None:
                return {}
        return self.overlay.get(section, {})

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
