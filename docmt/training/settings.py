"""What a training is given: its folders, and settings.json."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docmt.core.artifacts import read_json, sha256_file
from docmt.core.config import ModelConfig, TrainConfig, TransformerConfig
from docmt.core.errors import UserError
from docmt.core.parse import parse
from docmt.models.store import WEIGHTS

KEYS = ("version", "study", "corpus", "system", "scale", "seed", "init_from", "view", "model", "train")
VOCABULARIES = ("vocabulary.source.txt", "vocabulary.target.txt")


@dataclass(frozen=True)
class Paths:
    """What the job reads, and where it writes; `init` is the model folder of the system named by `init_from`."""

    settings: Path
    view: Path
    text: Path
    output: Path
    state: Path
    init: Path | None = None

    def inputs(self) -> list[Path]:
        """The files whose content decides the result, beside the settings."""
        views = [self.view / "train.arrow", self.view / "dev.arrow"]
        texts = sorted(path for path in self.text.iterdir() if path.is_file())
        return views + texts + ([self.init / WEIGHTS] if self.init else [])


@dataclass(frozen=True)
class Settings:
    """settings.json: as it stands, and its parts in their types."""

    plain: dict[str, Any]
    model: ModelConfig = field(repr=False)
    train: TrainConfig = field(repr=False)

    @property
    def seed(self) -> int:
        return self.plain["seed"]


def read_settings(paths: Paths) -> Settings:
    """Raises UserError where a key is missing, a value is not allowed, or `init_from` and --init do not go together."""
    plain, where = read_json(paths.settings), str(paths.settings)
    missing = [key for key in KEYS if key not in plain]
    if missing:
        raise UserError("keys are missing", where=where, found=", ".join(plain), expected=", ".join(KEYS))
    if (plain["init_from"] is None) != (paths.init is None):
        raise UserError(
            "settings and arguments differ in what training starts from",
            where=where,
            found=f"init_from {plain['init_from']}, --init {paths.init}",
            expected="both or neither",
        )
    model = parse(TransformerConfig, plain["model"], where, ("model",))
    return Settings(plain, model, parse(TrainConfig, plain["train"], where, ("train",)))


def check_text(paths: Paths) -> None:
    """Raises UserError where a vocabulary is missing, or is not that of the initial model."""
    for name in VOCABULARIES:
        own, other = paths.text / name, paths.init / "text" / name if paths.init else None
        if not own.is_file():
            raise UserError("file not found", where=str(own), remedy="--text is the folder text/ of stage 2")
        if other and other.is_file() and sha256_file(other) != sha256_file(own):
            raise UserError(
                "the initial model was trained with another vocabulary",
                where=str(other),
                expected=f"equal to {own}",
                remedy="give the system the text of the one that it starts from",
            )
