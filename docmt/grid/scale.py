"""A scale: settings that replace those of all systems and of `scoring`, and generated corpora in place of real ones."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docmt.base.checks import Checked, above_0, setting
from docmt.base.errors import UserError, check_known
from docmt.base.names import check_name
from docmt.base.parse import check_keys, laid_over, mapping, parse
from docmt.base.paths import PAPER
from docmt.base.yaml_files import Lines, load_yaml
from docmt.catalogue.fixtures import FixtureConfig
from docmt.settings.data import ViewConfig
from docmt.settings.decode import DecodeConfig
from docmt.settings.models import TransformerConfig
from docmt.settings.pretrained import RandomCheckpoint, parse_random_checkpoints
from docmt.settings.scoring import ScoringConfig
from docmt.settings.train import TrainConfig

KEYS = ("about", "fixtures", "pretrained", "view", "model", "train", "decode", "scoring")
# The sections of systems in which a scale replaces settings, with the classes of their settings.
SECTIONS = {"model": TransformerConfig, "train": TrainConfig, "decode": DecodeConfig}


@dataclass(frozen=True)
class ScaledView(Checked):
    """The section `view` of a scale."""

    sample_share: float = setting(
        1.0, "share of a training cut's `sample` that is drawn, one segment at least", above_0(1)
    )

    def laid_over(self, view: ViewConfig) -> ViewConfig:
        """Return the view with its training `sample`, if it has one, times the share: one segment at least."""
        if view.train.sample is None:
            return view
        sample = max(1, round(self.sample_share * view.train.sample))
        return dataclasses.replace(view, train=dataclasses.replace(view.train, sample=sample))


@dataclass(frozen=True)
class Scale:
    """The content of a file of `workflow/scales`."""

    name: str = PAPER
    view: ScaledView = ScaledView()
    # The settings of systems that the scale replaces, by section and name.
    sections: Mapping[str, dict] = field(default_factory=dict)
    scoring: Mapping[str, Any] = field(default_factory=dict)  # The settings of scoring that the scale replaces.
    lines: Lines = field(default_factory=lambda: Lines(""))  # The lines of the file.
    # The size of the generated corpora; None where the scale reads the real corpora.
    fixtures: FixtureConfig | None = None
    checkpoints: tuple[RandomCheckpoint, ...] = ()  # The random checkpoints that replace pretrained ones.

    def checkpoint(self, stated: Any) -> Any:
        """Return the folder of the random checkpoint that replaces `stated`; `stated` itself without any."""
        folders = {checkpoint.stands_for: checkpoint.folder(self.name) for checkpoint in self.checkpoints}
        return folders.get(stated, stated) if isinstance(stated, str) else stated

    def scored(self, config: ScoringConfig) -> ScoringConfig:
        """Return settings of scoring with the keys and the random checkpoints of this scale.

        Raises UserError for settings that `scoring` cannot have.
        """
        stated, lines = self.scoring, self.lines
        # The scale's section is first parsed alone, so that a message is about a value that the scale states.
        parse(ScoringConfig, mapping(stated, lines, ("scoring",)), lines, ("scoring",))
        merged = laid_over(dataclasses.asdict(config), stated)
        models = merged["cohesion"]["models"]
        merged["cohesion"]["models"] = {language: self.checkpoint(model) for language, model in models.items()}
        merged["aligner"]["model"] = self.checkpoint(merged["aligner"]["model"])
        return parse(ScoringConfig, merged, lines, ("scoring",))


def load_scale(folder: Path, name: str, where: str) -> Scale:
    """Read a scale. Raises UserError, at `where`, for an unknown scale, and, at its line, for a wrong key or value."""
    known = {path.stem: path for path in folder.glob("*.yaml")}
    check_known("scale", name, known, where)
    check_name("scale", name, str(known[name]))
    value, lines = load_yaml(known[name])
    check_keys(mapping(value, lines), KEYS, lines)
    sections = {section: mapping(value.get(section, {}), lines, (section,)) for section in SECTIONS}
    for section, schema in SECTIONS.items():
        check_keys(sections[section], [f.name for f in dataclasses.fields(schema)], lines, (section,))
    checkpoints = parse_random_checkpoints(value.get("pretrained", {}), sections["model"], lines)
    if checkpoints and value.get("fixtures") is None:
        where = lines.place(("pretrained",))
        raise UserError(
            "a scale generates checkpoints only where it generates corpora", where=where, expected="fixtures"
        )
    return Scale(
        name,
        parse(ScaledView, value.get("view", {}), lines, ("view",)),
        sections,
        value.get("scoring", {}),
        lines,
        None if value.get("fixtures") is None else parse(FixtureConfig, value["fixtures"], lines, ("fixtures",)),
        checkpoints,
    )
