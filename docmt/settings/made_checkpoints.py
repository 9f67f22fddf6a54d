"""Small random checkpoints, which stand for pretrained ones at a scale with fixtures.

A scale that lists folders under `pretrained` (workflow/scales) reads none of them: its texts and systems get
checkpoints that stage 0 makes, of the kind that is stated and of the scale's sizes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Literal

from docmt.base.checks import need, need_path
from docmt.base.errors import UserError
from docmt.base.names import NAMES_HAVE, is_name
from docmt.base.parse import mapping, parse
from docmt.base.paths import CHECKPOINT
from docmt.base.yaml_files import Lines
from docmt.settings.pretrained import ALIGNER_LAYER, CONFIG, WEIGHTS

FILES = (CONFIG, WEIGHTS[0])
SIZES = ("encoder_layers", "decoder_layers", "width", "inner", "heads")
"""What a scale that makes checkpoints states of its models: a system must have the sizes of what it starts from."""
STANDS_FOR = "stands_for"
"""The key of config.json that tells such a checkpoint from a real one, and what stands under it in records."""


@dataclass(frozen=True)
class MadeCheckpoint:
    """`stands_for`: the folder that config.yaml and systems name. Sizes are those of `TransformerConfig`; a BERT has no
    decoder. `aligner`: awesome-align's, a BERT with as many layers as that needs, in files of its own."""

    stands_for: str
    kind: Literal["mbart", "bert", "aligner"]
    encoder_layers: int
    decoder_layers: int
    width: int
    inner: int
    heads: int

    def __post_init__(self) -> None:
        need_path("stands_for", self.stands_for)
        name = PurePath(self.stands_for).name
        need(is_name(name), "stands_for", self.stands_for, f"a folder whose name has {NAMES_HAVE}")

    @property
    def family(self) -> Literal["mbart", "bert"]:
        """The `model_type` of config.json."""
        return "mbart" if self.kind == "mbart" else "bert"

    @property
    def layers(self) -> int:
        """Of the encoder."""
        return max(self.encoder_layers, ALIGNER_LAYER) if self.kind == "aligner" else self.encoder_layers

    def folder(self, scale: str) -> str:
        return CHECKPOINT.at(checkpoint=self.part(scale))

    def part(self, scale: str) -> str:
        """Its part of paths: `<name>@<scale>`."""
        return f"{PurePath(self.stands_for).name}@{scale}"


def parse_made(stated: Any, model: Mapping[str, Any], lines: Lines) -> tuple[MadeCheckpoint, ...]:
    """`stated`: kinds by the folders that they stand for; `model`: the settings that the scale overlays.

    Raises UserError for an unknown kind, two folders of one name, and where the scale leaves a size open.
    """
    kinds = mapping(stated, lines, ("pretrained",))
    missing = [name for name in SIZES if name not in model]
    if kinds and missing:
        raise UserError(
            "checkpoints are made in the sizes of the scale's models",
            where=lines.place(("pretrained",)),
            expected=f"{', '.join(missing)} under model",
        )
    sizes = {name: model.get(name) for name in SIZES}
    made = tuple(
        parse(MadeCheckpoint, {"stands_for": folder, "kind": kind, **sizes}, lines, ("pretrained", folder))
        for folder, kind in kinds.items()
    )
    if len({PurePath(folder).name for folder in kinds}) < len(kinds):
        where, expected = lines.place(("pretrained",)), "folders of different names"
        raise UserError("two folders have one name", where=where, found=", ".join(kinds), expected=expected)
    return made


def is_made(folder: str | None) -> bool:
    """Whether a folder, as a resolved system names it, is that of a small random checkpoint."""
    return folder is not None and folder.startswith(CHECKPOINT.at(checkpoint=""))


def made_files(folder: str, names: Iterable[str] = FILES) -> list[str]:
    """The files of a checkpoint before they are there: its own, those of awesome-align's model, or its tokenizer."""
    return [f"{folder}/{name}" for name in names]
