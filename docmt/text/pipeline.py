"""Both sides' way from text to ids and back, kept in a `text/` folder that goes with every model."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from docmt.base.artifacts import atomic_folder, read_json, write_json
from docmt.base.parse import parse
from docmt.base.vocabulary import Vocabulary
from docmt.settings.data import TextConfig
from docmt.text.pretrained import PretrainedSide
from docmt.text.side import Side

Sides = Mapping[str, Side | PretrainedSide]
"""By name: "source", "target"."""


@dataclass(frozen=True, kw_only=True)
class PipelineConfig(TextConfig):
    """What `text.json` holds: TextConfig and the two languages (ISO 639-1 codes).

    `input`: what the pipeline is given and gives. `pieces` are those of a model that was imported without its codes:
    they come parted by blanks, as another tool made them, and nothing else of TextConfig is used.
    """

    source_language: str
    target_language: str
    input: Literal["text", "pieces"] = "text"


SIDES = ("source", "target")


@dataclass(frozen=True)
class TokensSettings:
    """The stage's `settings.json`. `version`: of the stage's code, in docmt.plan.versions."""

    version: int
    corpus: str
    source_language: str
    target_language: str
    text: TextConfig

    @property
    def takes_from(self) -> str | None:
        """The other corpus whose text is taken; none where it is learnt here."""
        return self.text.takes_from(self.corpus)

    @property
    def pipeline(self) -> PipelineConfig:
        """What `text.json` is to hold."""
        text = dataclasses.asdict(self.text)
        return PipelineConfig(**text, source_language=self.source_language, target_language=self.target_language)

    def language(self, side: str) -> str:
        return self.source_language if side == "source" else self.target_language


@dataclass(frozen=True)
class TextPipeline:
    config: PipelineConfig
    source: Side | PretrainedSide
    target: Side | PretrainedSide

    @property
    def sides(self) -> Sides:
        return {"source": self.source, "target": self.target}

    def save(self, folder: Path | str) -> None:
        with atomic_folder(folder) as files:
            write_json(files / "text.json", dataclasses.asdict(self.config))
            self.source.save(files, "source")
            self.target.save(files, "target")

    @classmethod
    def load(cls, folder: Path | str) -> "TextPipeline":
        """Raises UserError where a file of the folder is missing or damaged."""
        folder = Path(folder)
        card = folder / "text.json"
        config = parse(PipelineConfig, read_json(card), str(card))
        return cls(config, **{name: _load_side(folder, name, config) for name in SIDES})


def _load_side(folder: Path, name: str, config: PipelineConfig) -> Side | PretrainedSide:
    if config.is_pretrained(name):
        return PretrainedSide.load(folder, name)
    if config.input == "pieces":
        return Side.of_pieces(Vocabulary.load(folder / f"vocabulary.{name}.txt"))
    language = config.source_language if name == "source" else config.target_language
    return Side.load(folder, name, language, config)
