"""The text pipeline: all steps from plain text to ids and back, for the source and the target side.

A pipeline is stored in a folder `text/`; every model has a copy of this folder.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from docmt.base.artifacts import atomic_folder, read_json, write_json
from docmt.base.checks import need_language, needed
from docmt.base.parse import parse
from docmt.base.recipe import GIVEN
from docmt.base.vocabulary import Vocabulary
from docmt.settings.data import TextConfig
from docmt.text.pretrained import PretrainedSide
from docmt.text.side import Side

Sides = Mapping[str, Side | PretrainedSide]
"""The processing of each side, by the name of the side: "source" or "target"."""


@dataclass(frozen=True, kw_only=True)
class PipelineConfig(TextConfig):
    """The settings in `text.json`: TextConfig and the two languages (ISO 639-1 codes).

    `input` is the form of the pipeline's input and output. The form `pieces` is for a model that was imported without
    its BPE codes: another tool cuts the text into pieces, which white space separates, and no setting of TextConfig is
    used.
    """

    source_language: str = needed("language of the source", need_language)
    target_language: str = needed("language of the target", need_language)
    input: Literal["text", "pieces"] = "text"


SIDES = ("source", "target")  # The names of the sides, in the order of their columns


@dataclass(frozen=True)
class TokensSettings:
    """The `job.json` of stage 2. `version`: the version of the step."""

    version: int
    corpus: str
    source_language: str
    target_language: str
    text: TextConfig

    @property
    def takes_from(self) -> str | None:
        """The other corpus whose text this corpus uses, or None where this corpus learns its own text."""
        return self.text.takes_from(self.corpus)

    @property
    def pipeline(self) -> PipelineConfig:
        """The content of the `text.json` that the stage writes."""
        text = dataclasses.asdict(self.text)
        text["pretrained"] = text["pretrained"] and GIVEN
        return PipelineConfig(**text, source_language=self.source_language, target_language=self.target_language)

    def with_checkpoint(self, folder: Path) -> "TokensSettings":
        """Return the same settings with the folder of the checkpoint whose pieces the text has."""
        return dataclasses.replace(self, text=dataclasses.replace(self.text, pretrained=str(folder)))

    def language(self, side: str) -> str:
        """Return the language (ISO 639-1) of side "source" or "target"."""
        return self.source_language if side == "source" else self.target_language


@dataclass(frozen=True)
class TextPipeline:
    """The two sides of a text, with the settings from which they were learnt."""

    config: PipelineConfig
    source: Side | PretrainedSide
    target: Side | PretrainedSide

    @property
    def sides(self) -> Sides:
        """The sides by name."""
        return {"source": self.source, "target": self.target}

    def save(self, folder: Path | str) -> None:
        """Write the folder `text/`, all of its files or none."""
        with atomic_folder(folder) as files:
            write_json(files / "text.json", self.config.stated())
            self.source.save(files, "source")
            self.target.save(files, "target")

    @classmethod
    def load(cls, folder: Path | str) -> "TextPipeline":
        """Read the folder that `save` wrote. Raises UserError where a file of the folder is missing or damaged."""
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
