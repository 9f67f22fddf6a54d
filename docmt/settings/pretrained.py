"""Pretrained checkpoints in the Hugging Face layout: their files, and what a model must be like to start from one.

And small random ones, which stand for them at a scale with fixtures: one that lists folders under `pretrained`
(workflow/scales) reads none of them. Its texts and systems get checkpoints that stage 0 makes, of the kind that is
stated and of the scale's sizes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Literal

from docmt.base.artifacts import read_json, read_object
from docmt.base.checks import need, need_path
from docmt.base.errors import UserError, check_known
from docmt.base.names import NAMES_HAVE, is_name
from docmt.base.parse import mapping, parse
from docmt.base.paths import CHECKPOINT
from docmt.base.yaml_files import Lines
from docmt.settings.models import TransformerConfig

CONFIG, TOKENIZER = "config.json", "tokenizer.json"
ROWS = "rows.{side}.json"
"""Beside a vocabulary in `text/`: the rows that the checkpoint's embeddings have for its pieces; null where none."""
WEIGHTS = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin")
"""Forms of the weights: the first that a folder has is read. An index names further files beside it."""

ALIGNER_FILES = {
    CONFIG: None,
    "vocab.txt": None,
    "tokenizer_config.json": "without it awesome-align lower-cases, and a cased model does not know most words",
    "pytorch_model.bin": "awesome-align reads no model.safetensors; to convert one: "
    "torch.save(safetensors.torch.load_file('model.safetensors'), 'pytorch_model.bin')",
}
"""Of awesome-align's model, a BERT, and what to say where one is missing."""

ALIGNER_LAYER = 8
"""The layer whose states awesome-align compares."""

POSITION_OFFSET = {"mbart": 2, "bart": 2, "bert": 0}
"""Kinds of checkpoints (`model_type`), and the first row of their tables of positions that a token takes."""

ACTIVATIONS = ("gelu", "relu")


def checkpoint_files(folder: Path | str) -> list[Path]:
    """config.json and the files of the weights: what decides what is taken.

    Raises: UserError where the folder or one of them is missing.
    """
    folder = Path(folder)
    return [_file(folder, CONFIG), *weight_files(folder)]


def missing_checkpoints(folders: Iterable[str]) -> dict[str, str]:
    """The folders that hold no pretrained model, and what a report says of them (`missing: skip`)."""
    return {folder: f"{folder} is missing: a pretrained model" for folder in folders if not _has_weights(Path(folder))}


def _has_weights(folder: Path) -> bool:
    return (folder / CONFIG).is_file() and any((folder / name).is_file() for name in WEIGHTS)


def weight_files(folder: Path) -> list[Path]:
    """See `WEIGHTS`; with an index, the files that it names come after it."""
    names = [name for name in WEIGHTS if (folder / name).is_file()]
    if not names:
        raise UserError("no weights of a pretrained model", where=str(folder), expected=" or ".join(WEIGHTS))
    first = folder / names[0]
    if not first.name.endswith(".index.json"):
        return [first]
    return [first, *(_file(folder, name) for name in sorted(set(_weight_map(first).values())))]


def tokenizer_file(folder: Path | str) -> Path:
    """Raises: UserError where it is missing."""
    return _file(Path(folder), TOKENIZER)


def read_rows(path: Path) -> list[int | None]:
    """See `ROWS`. Raises: UserError where the file is missing or is no such list."""
    rows = read_json(path)
    if not isinstance(rows, list) or not all(row is None or type(row) is int for row in rows):
        raise UserError("not the rows of a vocabulary", where=str(path), expected="a list of numbers, null where none")
    return rows


def aligner_files(folder: Path | str) -> list[Path]:
    """Raises: UserError where one is missing, or the model has too few layers."""
    files = [_file(Path(folder), name, remedy) for name, remedy in ALIGNER_FILES.items()]
    layers = read_object(files[0]).get("num_hidden_layers", 0)
    if not isinstance(layers, int) or layers < ALIGNER_LAYER:
        expected = f"{ALIGNER_LAYER} or more, of which awesome-align takes the {ALIGNER_LAYER}th"
        raise UserError("too few layers", where=str(files[0]), found=layers, expected=expected)
    return files


def read_config(folder: Path | str) -> dict[str, Any]:
    """config.json. Raises: UserError where it is missing, or of a kind of model that is not known here."""
    path = _file(Path(folder), CONFIG)
    config = read_object(path, "model_type")
    check_known("model_type", config.get("model_type"), POSITION_OFFSET, str(path))
    return config


def check_model(model: TransformerConfig, folder: Path | str) -> None:
    """Raises: UserError where the model cannot take the checkpoint's weights, with all fields that have to differ."""
    needed = needed_fields(folder)
    differing = [name for name, value in needed.items() if not _fits(name, getattr(model, name), value)]
    if differing:
        raise UserError(
            "the model is not like the checkpoint that it starts from",
            where=str(Path(folder) / CONFIG),
            found=f"model: {_yaml({name: getattr(model, name) for name in differing})}",
            expected=f"model: {_yaml({name: needed[name] for name in differing})}",
            remedy="give the system these fields under model:",
        )


def _fits(name: str, own: Any, needed: Any) -> bool:
    """Positions may be more than the checkpoint has."""
    return own >= needed if name == "max_positions" else own == needed


def needed_fields(folder: Path | str) -> dict[str, Any]:
    """The fields of a model that a checkpoint fixes, and their values; `max_positions` is the least.

    Raises: UserError for a checkpoint that no model here is like.
    """
    config, where = read_config(folder), str(Path(folder) / CONFIG)
    fields = _bert(config, where) if config["model_type"] == "bert" else _bart(config, where)
    fields |= {"embedding_norm": True, "position_table": "learned"}
    fields["max_positions"] = _entry(config, where, "max_position_embeddings")
    if fields["activation"] not in ACTIVATIONS:
        found = fields["activation"]
        raise UserError("unknown activation", where=where, found=found, expected=" or ".join(ACTIVATIONS))
    return fields


def _bart(config: Mapping[str, Any], where: str) -> dict[str, Any]:
    """mBART norms before each sublayer and after the stacks, BART after each sublayer."""
    return {
        "encoder_layers": _entry(config, where, "encoder_layers"),
        "decoder_layers": _entry(config, where, "decoder_layers"),
        "width": _entry(config, where, "d_model"),
        "inner": _entry(config, where, "encoder_ffn_dim", "decoder_ffn_dim"),
        "heads": _entry(config, where, "encoder_attention_heads", "decoder_attention_heads"),
        "activation": config.get("activation_function", "gelu"),
        "norm": "pre" if config["model_type"] == "mbart" else "post",
        "norm_epsilon": 1e-5,
        "embedding_scale": config.get("scale_embedding", False),
    }


def _bert(config: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The encoder's; the decoder, which starts anew, has the same width, inner width and heads, and as many layers as
    the system says."""
    kind = config.get("position_embedding_type", "absolute")
    if kind != "absolute":
        raise UserError("positions of another kind", where=where, found=kind, expected="absolute")
    return {
        "encoder_layers": _entry(config, where, "num_hidden_layers"),
        "width": _entry(config, where, "hidden_size"),
        "inner": _entry(config, where, "intermediate_size"),
        "heads": _entry(config, where, "num_attention_heads"),
        "activation": config.get("hidden_act", "gelu"),
        "norm": "post",
        "norm_epsilon": config.get("layer_norm_eps", 1e-12),
        "embedding_scale": False,
    }


def _entry(config: Mapping[str, Any], where: str, *names: str) -> Any:
    """A value that must be there; of several names, which encoder and decoder have for it, the same."""
    for name in names:
        if name not in config:
            raise UserError("key is missing", where=f"{where} {name}")
    if any(config[name] != config[names[0]] for name in names):
        what, found = "encoder and decoder differ in what they share here", [f"{name} {config[name]}" for name in names]
        raise UserError(what, where=where, found=", ".join(found), expected="the same number")
    return config[names[0]]


def _file(folder: Path, name: str, remedy: str | None = None) -> Path:
    if not folder.is_dir():
        raise UserError("no folder of a pretrained model", where=str(folder), expected=f"a folder with {name}")
    path = folder / name
    if not path.is_file():
        remedy = remedy or "it belongs to the pretrained model's folder"
        raise UserError("file not found", where=str(path), remedy=remedy)
    return path


def _weight_map(index: Path) -> dict[str, str]:
    weight_map = read_object(index).get("weight_map")
    files = weight_map.values() if isinstance(weight_map, dict) else ()
    if not files or any(not isinstance(name, str) or Path(name).name != name for name in files):
        raise UserError("not an index of weights", where=str(index), expected="weight_map: files beside the index")
    return weight_map


def _yaml(fields: Mapping[str, Any]) -> str:
    return "{" + ", ".join(f"{name}: {_scalar(value)}" for name, value in fields.items()) + "}"


def _scalar(value: Any) -> str:
    """As config.yaml has it: YAML reads 1e-12, without a point, as text."""
    if isinstance(value, float) and "." not in repr(value):
        return repr(value).replace("e", ".0e")
    return str(value).lower()


RANDOM_CHECKPOINT_FILES = (CONFIG, WEIGHTS[0])
SIZES = ("encoder_layers", "decoder_layers", "width", "inner", "heads")
"""What a scale that makes checkpoints states of its models: a system must have the sizes of what it starts from."""
STANDS_FOR = "stands_for"
"""The key of config.json that tells such a checkpoint from a real one, and what stands under it in records."""


@dataclass(frozen=True)
class RandomCheckpoint:
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


def parse_random_checkpoints(stated: Any, model: Mapping[str, Any], lines: Lines) -> tuple[RandomCheckpoint, ...]:
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
        parse(RandomCheckpoint, {"stands_for": folder, "kind": kind, **sizes}, lines, ("pretrained", folder))
        for folder, kind in kinds.items()
    )
    if len({PurePath(folder).name for folder in kinds}) < len(kinds):
        where, expected = lines.place(("pretrained",)), "folders of different names"
        raise UserError("two folders have one name", where=where, found=", ".join(kinds), expected=expected)
    return made


def is_random_checkpoint(folder: str | None) -> bool:
    """Whether a folder, as a resolved system names it, is that of a small random checkpoint."""
    return folder is not None and folder.startswith(CHECKPOINT.at(checkpoint=""))


def random_checkpoint_files(folder: str, names: Iterable[str] = RANDOM_CHECKPOINT_FILES) -> list[str]:
    """The files of a checkpoint before they are there: its own, those of awesome-align's model, or its tokenizer."""
    return [f"{folder}/{name}" for name in names]
