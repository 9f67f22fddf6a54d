"""What a training is given: its folders, and settings.json."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docmt.base.artifacts import read_object, sha256_file
from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.models import check_chains
from docmt.models.store import WEIGHTS
from docmt.settings.models import TransformerConfig
from docmt.settings.pretrained import TOKENIZER, check_model, checkpoint_files, tokenizer_file
from docmt.settings.train import TrainConfig

KEYS = ("version", "study", "corpus", "system", "scale", "seed", "init_from", "pretrained", "view", "model", "train")
VOCABULARIES = ("vocabulary.source.txt", "vocabulary.target.txt")
TRAINED_ON = ("train.arrow", "dev.arrow")
"""What a training reads of a view, and of its chains."""


@dataclass(frozen=True)
class Paths:
    """What the job reads, and where it writes.

    `init` is the model folder of the system named by `init_from`, `pretrained` the folder of that checkpoint.
    """

    settings: Path
    view: Path
    text: Path
    output: Path
    state: Path
    init: Path | None = None
    chains: Path | None = None
    """Lexical chains of the view's segments, where the model reads them."""
    pretrained: Path | None = None

    def inputs(self) -> dict[str, Path]:
        """The files whose content decides the result, beside the settings, by what they are."""
        folders = {"view": self.view} | ({"chains": self.chains} if self.chains else {})
        files = {f"{name}/{file}": path / file for name, path in folders.items() for file in TRAINED_ON}
        files |= {f"text/{path.name}": path for path in sorted(self.text.iterdir()) if path.is_file()}
        if self.pretrained:
            files |= {f"pretrained/{path.name}": path for path in checkpoint_files(self.pretrained)}
        return files | ({"init": self.init / WEIGHTS} if self.init else {})


@dataclass(frozen=True)
class Settings:
    """settings.json: as it stands, and its parts in their types."""

    plain: dict[str, Any]
    model: TransformerConfig = field(repr=False)
    train: TrainConfig = field(repr=False)

    @property
    def seed(self) -> int:
        return self.plain["seed"]


def read_settings(paths: Paths) -> Settings:
    """Raises UserError where a key is missing, a value is not allowed, `init_from` and --init (`pretrained` and
    --pretrained) do not go together, or the model is not like the pretrained checkpoint."""
    plain, where = read_object(paths.settings, *KEYS), str(paths.settings)
    for key, option, path in (("init_from", "--init", paths.init), ("pretrained", "--pretrained", paths.pretrained)):
        if (plain[key] is None) != (path is None):
            raise UserError(
                "settings and arguments differ in what training starts from",
                where=where,
                found=f"{key} {plain[key]}, {option} {path}",
                expected="both or neither",
            )
    model = parse(TransformerConfig, plain["model"], where, ("model",))
    check_chains(model.kind, paths.chains)
    if paths.pretrained:
        checkpoint_files(paths.pretrained)
        check_model(model, paths.pretrained)
    return Settings(plain, model, parse(TrainConfig, plain["train"], where, ("train",)))


def check_text(paths: Paths) -> None:
    """Raises UserError where a vocabulary is missing, or is not that of the initial model; see `check_pieces`."""
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
    if paths.pretrained:
        check_pieces(paths.text, paths.pretrained)


def check_pieces(text: Path, checkpoint: Path) -> None:
    """Raises UserError where the text's pieces were not cut by the checkpoint's tokenizer."""
    own, other = text / TOKENIZER, tokenizer_file(checkpoint)
    if not own.is_file() or sha256_file(own) != sha256_file(other):
        raise UserError(
            "the text does not have the pieces of the pretrained checkpoint",
            where=str(text),
            found=f"another {TOKENIZER}" if own.is_file() else f"no {TOKENIZER}",
            expected=f"that of {checkpoint}",
            remedy=f"give the system a text with pretrained: {checkpoint}",
        )
