"""Both sides' way from text to ids and back, kept in a `text/` folder that goes with every model."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path

from docmt.core.artifacts import atomic_folder, read_json, write_json
from docmt.core.config import TextConfig
from docmt.core.parse import parse
from docmt.text.side import Side


@dataclass(frozen=True, kw_only=True)
class PipelineConfig(TextConfig):
    """What `text.json` holds: TextConfig and the two languages (ISO 639-1 codes)."""

    source_language: str
    target_language: str


@dataclass(frozen=True)
class TextPipeline:
    config: PipelineConfig
    source: Side
    target: Side

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
            source=Side.load(folder, "source", config.source_language, config),
            target=Side.load(folder, "target", config.target_language, config),
        )
