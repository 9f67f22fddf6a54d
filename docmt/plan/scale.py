"""A scale: what a file of `workflow/scales` lays over all systems and scores, and what it makes instead of data."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docmt.base.checks import need, setting
from docmt.base.errors import UserError, check_known
from docmt.base.names import check_name
from docmt.base.parse import check_keys, mapping, parse
from docmt.base.yaml_files import Lines, load_yaml
from docmt.catalogue.fixtures import FixtureConfig
from docmt.settings.data import ViewConfig
from docmt.settings.decode import DecodeConfig
from docmt.settings.models import TransformerConfig
from docmt.settings.pretrained import RandomCheckpoint, parse_random_checkpoints
from docmt.settings.scoring import ScoringConfig
from docmt.settings.train import TrainConfig

KEYS = ("about", "fixtures", "pretrained", "view", "model", "train", "decode", "scoring")
SECTIONS = {"model": TransformerConfig, "train": TrainConfig, "decode": DecodeConfig}
"""Sections of systems that a scale lays its own settings over."""


@dataclass(frozen=True)
class ScaledView:
    """`view` of a scale."""

    sample_share: float = setting(1.0, "of a training cut's `sample` this share is drawn, one segment at least")

    def __post_init__(self) -> None:
        need(0 < self.sample_share <= 1, "sample_share", self.sample_share, "above 0 and at most 1")

    def laid_over(self, view: ViewConfig) -> ViewConfig:
        if view.train.sample is None:
            return view
        sample = max(1, round(self.sample_share * view.train.sample))
        return dataclasses.replace(view, train=dataclasses.replace(view.train, sample=sample))


@dataclass(frozen=True)
class Scale:
    """`sections`: settings by section and name; `fixtures`: how large made-up corpora are, none = corpora are not made;
    `checkpoints`: what is made instead of pretrained ones."""

    name: str = "paper"
    view: ScaledView = ScaledView()
    sections: Mapping[str, dict] = field(default_factory=dict)
    scoring: ScoringConfig = field(default_factory=ScoringConfig)
    fixtures: FixtureConfig | None = None
    checkpoints: tuple[RandomCheckpoint, ...] = ()

    def checkpoint(self, stated: Any) -> Any:
        """The folder of the checkpoint that is made instead of the one at `stated`; that itself where none is."""
        return _folders(self.checkpoints, self.name).get(stated, stated) if isinstance(stated, str) else stated


def load_scale(folder: Path, name: str, where: str, scoring: ScoringConfig) -> Scale:
    """The scale of this name among the files of a folder; `scoring`: config.yaml's, under the scale's own.

    Raises UserError where there is none (`where` it was asked for), and for what scales cannot state.
    """
    known = {path.stem: path for path in folder.glob("*.yaml")}
    check_known("scale", name, known, where)
    check_name("scale", name, str(known[name]))
    value, lines = load_yaml(known[name])
    check_keys(mapping(value, lines), KEYS, lines)
    sections = {section: mapping(value.get(section, {}), lines, (section,)) for section in SECTIONS}
    for section, schema in SECTIONS.items():
        check_keys(sections[section], [f.name for f in dataclasses.fields(schema)], lines, (section,))
    made = parse_random_checkpoints(value.get("pretrained", {}), sections["model"], lines)
    if made and value.get("fixtures") is None:
        where = lines.place(("pretrained",))
        raise UserError("a scale makes checkpoints where it makes corpora too", where=where, expected="fixtures")
    return Scale(
        name,
        parse(ScaledView, value.get("view", {}), lines, ("view",)),
        sections,
        scaled_scoring(scoring, value.get("scoring", {}), _folders(made, name), lines),
        None if value.get("fixtures") is None else parse(FixtureConfig, value["fixtures"], lines, ("fixtures",)),
        made,
    )


def _folders(made: tuple[RandomCheckpoint, ...], scale: str) -> dict[str, str]:
    """Where checkpoints are made, by the folders that they stand for."""
    return {one.stands_for: one.folder(scale) for one in made}


def scaled_scoring(config: ScoringConfig, stated: Any, made: Mapping[str, str], lines: Lines) -> ScoringConfig:
    """`stated`: the scale's, key by key; `made`: folders of checkpoints that it makes, by those that they stand for.

    Raises UserError for what `scoring` cannot have.
    """
    # By itself first, so that a message is about what the scale states.
    parse(ScoringConfig, mapping(stated, lines, ("scoring",)), lines, ("scoring",))
    merged = _merged(dataclasses.asdict(config), stated)
    models = merged["cohesion"]["models"]
    merged["cohesion"]["models"] = {language: made.get(model, model) for language, model in models.items()}
    merged["aligner"]["model"] = made.get(merged["aligner"]["model"], merged["aligner"]["model"])
    return parse(ScoringConfig, merged, lines, ("scoring",))


def _merged(below: dict, above: Mapping) -> dict:
    """Mappings key by key, all else whole."""
    both = {
        key: _merged(below[key], value) if isinstance(below.get(key), dict) else value for key, value in above.items()
    }
    return {**below, **both}
