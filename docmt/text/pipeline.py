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


@dataclass(frozen=True)
class TextPipeline:
    config: PipelineConfig
    source: Side | PretrainedSide
    target: Side | PretrainedSide

    @property
    def sides(self) -> Sides:
        return {"source": self.source, "target": self.target}

    def encode_source(self, sentences: list[str]) -> list[list[int]]:
        """Ids without special symbols; an empty list for a sentence without any token."""
        return [self.source.encode(sentence) for sentence in sentences]

    def encode_target(self, sentences: list[str]) -> list[list[int]]:
        """See `encode_source`."""
        return [self.target.encode(sentence) for sentence in sentences]

    def restore_target(self, ids: list[int]) -> tuple[str, str]:
        """One sentence's ids as tokens (joined by spaces) and as plain text; see `Side.restore`."""
        return self.target.restore(ids)

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
        return cls(
            config,
            source=_load_side(folder, "source", config.source_language, config),
            target=_load_side(folder, "target", config.target_language, config),
        )


def _load_side(folder: Path, name: str, language: str, config: PipelineConfig) -> Side | PretrainedSide:
    if config.is_pretrained(name):
        return PretrainedSide.load(folder, name)
    if config.input == "pieces":
        return Side.of_pieces(Vocabulary.load(folder / f"vocabulary.{name}.txt"))
    return Side.load(folder, name, language, config)
