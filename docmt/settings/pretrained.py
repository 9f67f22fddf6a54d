"""Pretrained checkpoints in the Hugging Face layout: their files, and the fields of a model that starts from one.

Small random checkpoints replace them at a scale with fixtures. Such a scale lists folders under `pretrained`
(workflow/scales) and reads none of them: stage 0 writes a random checkpoint for each, of the stated kind and with the
sizes of the scale's models.
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
"""The files of the model's fields and of its tokenizer."""
ROWS = "rows.{side}.json"
"""A file beside the vocabulary in `text/`: for each piece, its row in the checkpoint's embeddings; null where there is
none."""
WEIGHTS = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin")
"""The possible files of the weights: the first that a folder has is read. An index names further files beside it."""

ALIGNER_FILES = {
    CONFIG: None,
    "vocab.txt": None,
    "tokenizer_config.json": "without it awesome-align lower-cases, and a cased model does not know most words",
    "pytorch_model.bin": "awesome-align reads no model.safetensors; to convert one: "
    "torch.save(safetensors.torch.load_file('model.safetensors'), 'pytorch_model.bin')",
}
"""The files of awesome-align's model, a BERT, and the remedy where one is missing (none = the usual remedy)."""

ALIGNER_LAYER = 8
"""The layer whose states awesome-align compares."""

POSITION_OFFSET = {"mbart": 2, "bart": 2, "bert": 0}
"""The supported `model_type`s, and the row of their position tables that the first token has."""

ACTIVATIONS = ("gelu", "relu")
"""The activations that models here have."""


def checkpoint_files(folder: Path | str) -> list[Path]:
    """Return config.json and the files of the weights: everything that a training takes parameters from.

    Raises UserError where the folder or one of the files is missing.
    """
    folder = Path(folder)
    return [_file(folder, CONFIG), *weight_files(folder)]


def missing_checkpoints(folders: Iterable[str]) -> dict[str, str]:
    """Return the folders that hold no pretrained model and, for each, the reason for the report (`missing: skip`)."""
    return {folder: f"{folder} is missing: a pretrained model" for folder in folders if not _has_weights(Path(folder))}


def _has_weights(folder: Path) -> bool:
    """Return whether a folder holds a model's config.json and weights."""
    return (folder / CONFIG).is_file() and any((folder / name).is_file() for name in WEIGHTS)


def weight_files(folder: Path) -> list[Path]:
    """Return the file of the weights (`WEIGHTS`); an index is followed by the files that it names.

    Raises UserError where a file is missing.
    """
    names = [name for name in WEIGHTS if (folder / name).is_file()]
    if not names:
        raise UserError("no weights of a pretrained model", where=str(folder), expected=" or ".join(WEIGHTS))
    first = folder / names[0]
    if not first.name.endswith(".index.json"):
        return [first]
    return [first, *(_file(folder, name) for name in sorted(set(_weight_map(first).values())))]


def tokenizer_file(folder: Path | str) -> Path:
    """Return the path of a folder's tokenizer.json.

    Raises UserError where it is missing.
    """
    return _file(Path(folder), TOKENIZER)


def read_rows(path: Path) -> list[int | None]:
    """Read the row of each piece in a checkpoint's embeddings (`ROWS`).

    Raises UserError where the file is missing or is not such a list.
    """
    rows = read_json(path)
    if not isinstance(rows, list) or not all(row is None or type(row) is int for row in rows):
        raise UserError("not the rows of a vocabulary", where=str(path), expected="a list of numbers, null where none")
    return rows


def aligner_files(folder: Path | str) -> list[Path]:
    """Return the files of awesome-align's model.

    Raises UserError where one is missing, or where the model has too few layers.
    """
    files = [_file(Path(folder), name, remedy) for name, remedy in ALIGNER_FILES.items()]
    layers = read_object(files[0]).get("num_hidden_layers", 0)
    if not isinstance(layers, int) or layers < ALIGNER_LAYER:
        expected = f"{ALIGNER_LAYER} or more, of which awesome-align takes the {ALIGNER_LAYER}th"
        raise UserError("too few layers", where=str(files[0]), found=layers, expected=expected)
    return files


def read_config(folder: Path | str) -> dict[str, Any]:
    """Read a folder's config.json.

    Raises UserError where it is missing, or where its kind of model is not supported.
    """
    path = _file(Path(folder), CONFIG)
    config = read_object(path, "model_type")
    check_known("model_type", config.get("model_type"), POSITION_OFFSET, str(path))
    return config


def check_model(model: TransformerConfig, folder: Path | str) -> None:
    """Raise UserError where a model cannot have the checkpoint's weights.

    The message has all fields that must change.
    """
    needed = needed_fields(folder)
    differing = [name for name, value in needed.items() if not _fits(name, getattr(model, name), value)]
    if differing:
        raise UserError(
            "the model differs from the checkpoint that it starts from",
            where=str(Path(folder) / CONFIG),
            found=f"model: {_yaml({name: getattr(model, name) for name in differing})}",
            expected=f"model: {_yaml({name: needed[name] for name in differing})}",
            remedy="give the system these fields under model:",
        )


def _fits(name: str, value: Any, needed: Any) -> bool:
    """Return whether a field has the needed value; a model may have more positions than the checkpoint."""
    return value >= needed if name == "max_positions" else value == needed


def needed_fields(folder: Path | str) -> dict[str, Any]:
    """Return the fields of a model that a checkpoint determines, with their values.

    `max_positions` is a minimum. Raises UserError for a checkpoint that no model here can start from.
    """
    config, where = read_config(folder), str(Path(folder) / CONFIG)
    fields = _bert(config, where) if config["model_type"] == "bert" else _bart(config, where)
    fields |= {"embedding_norm": True, "position_table": "learned"}
    fields["max_positions"] = _entry(config, where, "max_position_embeddings")
    if fields["activation"] not in ACTIVATIONS:
        activation = fields["activation"]
        raise UserError("unknown activation", where=where, found=activation, expected=" or ".join(ACTIVATIONS))
    return fields


def _bart(config: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the fields that an mBART or BART determines.

    mBART has layer norms before each sublayer and after the stacks, BART after each sublayer.
    """
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
    """Return the fields that a BERT determines, which is the encoder.

    The decoder starts from random parameters. It has the same width, inner width and heads, and as many layers as the
    system states.
    """
    kind = config.get("position_embedding_type", "absolute")
    if kind != "absolute":
        raise UserError("the kind of positions is not supported", where=where, found=kind, expected="absolute")
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
    """Return a required value of config.json.

    Several names are the values of encoder and decoder, which must be equal.
    """
    for name in names:
        if name not in config:
            raise UserError("key is missing", where=f"{where} {name}")
    if any(config[name] != config[names[0]] for name in names):
        what, values = (
            "encoder and decoder differ in a size that they must share",
            [f"{name} {config[name]}" for name in names],
        )
        raise UserError(what, where=where, found=", ".join(values), expected="the same number")
    return config[names[0]]


def _file(folder: Path, name: str, remedy: str | None = None) -> Path:
    """Return the path of a file in a model's folder; raise UserError where it is missing."""
    if not folder.is_dir():
        raise UserError("no folder of a pretrained model", where=str(folder), expected=f"a folder with {name}")
    path = folder / name
    if not path.is_file():
        remedy = remedy or "it belongs to the pretrained model's folder"
        raise UserError("file not found", where=str(path), remedy=remedy)
    return path


def _weight_map(index: Path) -> dict[str, str]:
    """Return the file of each parameter from an index of weights; raise UserError for a damaged index."""
    weight_map = read_object(index).get("weight_map")
    files = weight_map.values() if isinstance(weight_map, dict) else ()
    if not files or any(not isinstance(name, str) or Path(name).name != name for name in files):
        raise UserError("not an index of weights", where=str(index), expected="weight_map: files beside the index")
    return weight_map


def _yaml(fields: Mapping[str, Any]) -> str:
    """Return fields as a YAML mapping for a message."""
    return "{" + ", ".join(f"{name}: {_scalar(value)}" for name, value in fields.items()) + "}"


def _scalar(value: Any) -> str:
    """Return a value in YAML; YAML would read 1e-12, which has no point, as text."""
    if isinstance(value, float) and "." not in repr(value):
        return repr(value).replace("e", ".0e")
    return str(value).lower()


RANDOM_CHECKPOINT_FILES = (CONFIG, WEIGHTS[0])
"""The files of a random checkpoint."""
SIZES = ("encoder_layers", "decoder_layers", "width", "inner", "heads")
"""The fields of `model` that a scale with random checkpoints must state: a system has the sizes of its checkpoint."""
STANDS_FOR = "stands_for"
"""The key of config.json that marks a random checkpoint, and the name of the replaced folder in records."""


@dataclass(frozen=True)
class RandomCheckpoint:
    """A small random checkpoint that a scale writes in place of a pretrained one.

    `stands_for` is the folder that config.yaml and systems name. The sizes are those of `TransformerConfig`; a BERT has
    no decoder. `kind: aligner` is awesome-align's model: a BERT with at least as many layers as awesome-align needs, in
    the files that it reads.
    """

    stands_for: str
    kind: Literal["mbart", "bert", "aligner"]
    encoder_layers: int
    decoder_layers: int
    width: int
    inner: int
    heads: int

    def __post_init__(self) -> None:
        """Check the name of the replaced folder, which becomes a part of paths."""
        need_path("stands_for", self.stands_for)
        name = PurePath(self.stands_for).name
        need(is_name(name), "stands_for", self.stands_for, f"a folder whose name has {NAMES_HAVE}")

    @property
    def family(self) -> Literal["mbart", "bert"]:
        """The `model_type` of config.json."""
        return "mbart" if self.kind == "mbart" else "bert"

    @property
    def layers(self) -> int:
        """The number of layers of the encoder."""
        return max(self.encoder_layers, ALIGNER_LAYER) if self.kind == "aligner" else self.encoder_layers

    def folder(self, scale: str) -> str:
        """Return the folder of the checkpoint at a scale."""
        return CHECKPOINT.at(checkpoint=self.part(scale))

    def part(self, scale: str) -> str:
        """Return the checkpoint's part of paths: `<name>@<scale>`."""
        return f"{PurePath(self.stands_for).name}@{scale}"


def parse_random_checkpoints(stated: Any, model: Mapping[str, Any], lines: Lines) -> tuple[RandomCheckpoint, ...]:
    """Read the random checkpoints of a scale.

    `stated` has the kinds by the folders that they replace; `model` has the fields of models that the scale changes.
    Raises UserError for an unknown kind, for two folders of one name, and where the scale does not state a size.
    """
    kinds = mapping(stated, lines, ("pretrained",))
    missing = [name for name in SIZES if name not in model]
    if kinds and missing:
        raise UserError(
            "random checkpoints need the sizes of the scale's models",
            where=lines.place(("pretrained",)),
            expected=f"{', '.join(missing)} under model",
        )
    sizes = {name: model.get(name) for name in SIZES}
    checkpoints = tuple(
        parse(RandomCheckpoint, {"stands_for": folder, "kind": kind, **sizes}, lines, ("pretrained", folder))
        for folder, kind in kinds.items()
    )
    # The last part of a folder's path names its checkpoint in results/0_models.
    if len({PurePath(folder).name for folder in kinds}) < len(kinds):
        where, expected = lines.place(("pretrained",)), "folders of different names"
        raise UserError("two folders have one name", where=where, found=", ".join(kinds), expected=expected)
    return checkpoints


def is_random_checkpoint(folder: str | None) -> bool:
    """Return whether a folder in a resolved system is that of a random checkpoint."""
    return folder is not None and folder.startswith(CHECKPOINT.at(checkpoint=""))


def random_checkpoint_files(folder: str, names: Iterable[str] = RANDOM_CHECKPOINT_FILES) -> list[str]:
    """Return the paths of files of a random checkpoint, which may not exist yet.

    `names` are its own files, those of awesome-align's model, or its tokenizer.
    """
    return [f"{folder}/{name}" for name in names]
