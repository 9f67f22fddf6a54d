"""Pretrained checkpoints in the Hugging Face layout: their files, and the fields of models that start from them.

At a scale with fixtures, small random checkpoints replace the pretrained checkpoints. A file of workflow/scales lists
the folders of the replaced checkpoints under `pretrained`; no job reads these folders. For each folder, stage 0 writes
a random checkpoint of the stated kind, with the sizes of the scale's models.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Literal

from docmt.base.artifacts import read_json, read_object
from docmt.base.checks import MOST, need, need_path
from docmt.base.errors import UserError, check_known, quoted
from docmt.base.names import NAMES_HAVE, is_name
from docmt.base.parse import mapping, parse
from docmt.base.paths import CHECKPOINT
from docmt.base.untrusted import check_names
from docmt.base.yaml_files import Lines
from docmt.settings.models import TransformerConfig

# The name of the file with the fields of a checkpoint's model, and the name of the file with its tokenizer.
CONFIG, TOKENIZER = "config.json", "tokenizer.json"
ROWS = "rows.{side}.json"
"""The name of a file beside the vocabulary of a side, in the folder `text/`. The file is a JSON list with the row of
each piece in the embeddings of the checkpoint; a piece without a row has null."""
WEIGHTS = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin")
"""The possible names of the file of the weights. The first file that exists in a folder is read. An index names further
files in the same folder."""

ALIGNER_WEIGHTS = WEIGHTS[-1]  # The name of the file of the weights that awesome-align reads.
ALIGNER_FILES = {
    CONFIG: None,
    "vocab.txt": None,
    "tokenizer_config.json": "without it awesome-align lower-cases, and a cased model does not know most words",
    ALIGNER_WEIGHTS: "awesome-align reads no model.safetensors; to convert one: "
    "torch.save(safetensors.torch.load_file('model.safetensors'), 'pytorch_model.bin')",
}
"""The names of the files of a BERT that awesome-align reads. Each has the remedy for messages about a missing file
(none = the usual remedy)."""

ALIGNER_LAYER = 8  # The number of the BERT layer, counted from 1, whose hidden states awesome-align compares.

# The supported values of `model_type`, each with the row of the position table that belongs to the first token.
POSITION_OFFSET = {"mbart": 2, "bart": 2, "bert": 0}

ACTIVATIONS = ("gelu", "relu")  # The activation functions that docmt's models support.


def checkpoint_files(folder: Path | str) -> list[Path]:
    """Return the paths of config.json and of the files of the weights, from which a training takes parameters.

    Raises UserError where the folder or one of these files is missing.
    """
    folder = Path(folder)
    return [_file(folder, CONFIG), *weight_files(folder)]


def files_by_role(role: str, files: Iterable[Path]) -> dict[str, Path]:
    """Return the files of a checkpoint by the roles that they have among the inputs of a job: `<role>/<name>`."""
    return {f"{role}/{file.name}": file for file in files}


def has_weights(folder: Path) -> bool:
    """Return whether a folder holds a model's config.json and weights."""
    return (folder / CONFIG).is_file() and any((folder / name).is_file() for name in WEIGHTS)


def weight_files(folder: Path) -> list[Path]:
    """Return the path of the file of the weights (`WEIGHTS`) and, after an index, the paths of the files that it names.

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
    """Return the path of a folder's tokenizer.json. Raises UserError where it is missing."""
    return _file(Path(folder), TOKENIZER)


def read_rows(path: Path) -> list[int | None]:
    """Read the row of each piece in a checkpoint's embeddings (`ROWS`).

    Raises UserError where the file is missing, or is not a list of whole numbers and nulls.
    """
    rows = read_json(path)
    if not isinstance(rows, list) or not all(row is None or (type(row) is int and row >= 0) for row in rows):
        raise UserError(
            "not the numbers of the pieces of a vocabulary",
            where=str(path),
            expected="a list of numbers, null where none",
        )
    return rows


def aligner_files(folder: Path | str) -> list[Path]:
    """Return the paths of the files of awesome-align's model.

    Raises UserError where a file is missing, or where the model has fewer than `ALIGNER_LAYER` layers.
    """
    files = [_file(Path(folder), name, remedy) for name, remedy in ALIGNER_FILES.items()]
    layers = read_object(files[0]).get("num_hidden_layers", 0)
    if not isinstance(layers, int) or layers < ALIGNER_LAYER:
        expected = f"{ALIGNER_LAYER} or more, of which awesome-align takes the {ALIGNER_LAYER}th"
        raise UserError("the model has too few layers", where=str(files[0]), found=layers, expected=expected)
    return files


def read_config(folder: Path | str) -> dict[str, Any]:
    """Read config.json in the folder of a checkpoint.

    Raises UserError where the file is missing, or where its `model_type` is not supported.
    """
    path = _file(Path(folder), CONFIG)
    config = read_object(path, "model_type")
    check_known("model_type", config.get("model_type"), POSITION_OFFSET, str(path))
    return config


def check_model(model: TransformerConfig, folder: Path | str) -> None:
    """Raise UserError where the fields of a model do not fit the weights of a checkpoint.

    The message lists all fields that must change.
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
    """Return whether a field of a model has the needed value; a model may have more positions than the checkpoint."""
    return value >= needed if name == "max_positions" else value == needed


def needed_fields(folder: Path | str) -> dict[str, Any]:
    """Return the fields of a model that a checkpoint determines, with their values.

    The value of `max_positions` is a minimum. Raises UserError for a checkpoint from which no model of docmt can start.
    """
    config, where = read_config(folder), str(Path(folder) / CONFIG)
    fields = bert_fields(config, where) if config["model_type"] == "bert" else _bart(config, where)
    fields |= {"embedding_norm": True, "position_table": "learned"}
    fields["max_positions"] = size_in(config, where, "max_position_embeddings")
    if fields["activation"] not in ACTIVATIONS:
        activation = fields["activation"]
        raise UserError("unknown activation", where=where, found=activation, expected=" or ".join(ACTIVATIONS))
    return fields


def _bart(config: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the fields of a model that the config.json of mBART or BART determines."""
    # mBART has a layer norm before each sublayer and one after each stack; BART has one after each sublayer.
    return {
        "encoder_layers": size_in(config, where, "encoder_layers"),
        "decoder_layers": size_in(config, where, "decoder_layers"),
        "width": size_in(config, where, "d_model"),
        "inner": size_in(config, where, "encoder_ffn_dim", "decoder_ffn_dim"),
        "heads": size_in(config, where, "encoder_attention_heads", "decoder_attention_heads"),
        "activation": config.get("activation_function", "gelu"),
        "norm": "pre" if config["model_type"] == "mbart" else "post",
        "norm_epsilon": 1e-5,
        "embedding_scale": config.get("scale_embedding", False),
    }


def bert_fields(config: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the fields of a model that the config.json of a BERT determines; a BERT is an encoder alone.

    The decoder starts from random parameters. The decoder has the width, the inner width and the heads of the BERT, and
    the number of layers that the system states.
    """
    kind = config.get("position_embedding_type", "absolute")
    if kind != "absolute":
        raise UserError("the kind of positions is not supported", where=where, found=kind, expected="absolute")
    return {
        "encoder_layers": size_in(config, where, "num_hidden_layers"),
        "width": size_in(config, where, "hidden_size"),
        "inner": size_in(config, where, "intermediate_size"),
        "heads": size_in(config, where, "num_attention_heads"),
        "activation": config.get("hidden_act", "gelu"),
        "norm": "post",
        "norm_epsilon": config.get("layer_norm_eps", 1e-12),
        "embedding_scale": False,
    }


def size_in(config: Mapping[str, Any], where: str, *names: str) -> int:
    """Return a required size of config.json.

    Several `names` are keys of one size of the encoder and of the decoder. Raises UserError where a key is missing or
    is no number above 0, and where the two sizes differ.
    """
    for name in names:
        if name not in config:
            raise UserError("key is missing", where=f"{where} {name}")
        if type(config[name]) is not int or not 0 < config[name] <= MOST:
            expected = f"a whole number from 1 to {MOST:,}"
            raise UserError("not a size", where=f"{where} {name}", found=quoted(config[name]), expected=expected)
    if any(config[name] != config[names[0]] for name in names):
        what = "encoder and decoder differ in a size that they must share"
        values = ", ".join(f"{name} {config[name]}" for name in names)
        raise UserError(what, where=where, found=values, expected="the same number")
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
    if not files or not all(isinstance(name, str) for name in files):
        raise UserError("not an index of weights", where=str(index), expected="weight_map: files beside the index")
    check_names({*files}, str(index))
    return weight_map


def _yaml(fields: Mapping[str, Any]) -> str:
    import yaml  # imported here, since jobs may run on machines without this library

    return str(yaml.safe_dump(fields, default_flow_style=True, sort_keys=False, width=1000)).strip()


# The fields of `model` that a scale with random checkpoints must state: they are the sizes of these checkpoints.
SIZES = ("encoder_layers", "decoder_layers", "width", "inner", "heads")
# The key of config.json that marks a random checkpoint. Its value is the folder of the replaced checkpoint.
STANDS_FOR = "stands_for"


@dataclass(frozen=True)
class RandomCheckpoint:
    """A small random checkpoint that a scale writes in place of a pretrained one.

    `stands_for` is the folder of the replaced checkpoint, as config.yaml and systems name it. The sizes are fields of
    `TransformerConfig`; a BERT has no decoder. A checkpoint of the kind `aligner` replaces awesome-align's model: it is
    a BERT with at least `ALIGNER_LAYER` layers, in the files that awesome-align reads.
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
        """Return the name of the checkpoint's folder in results/0_models: `<name>@<scale>`."""
        return f"{PurePath(self.stands_for).name}@{scale}"


def parse_random_checkpoints(stated: Any, model: Mapping[str, Any], lines: Lines) -> tuple[RandomCheckpoint, ...]:
    """Read the random checkpoints of a scale.

    `stated` has the kind of each random checkpoint by the folder that it replaces. `model` has the fields of models
    that the scale states. Raises UserError for an unknown kind, for two folders whose last parts are equal, and where
    the scale lacks one of `SIZES`.
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
    """Return whether a folder, as a resolved system names it, is the folder of a random checkpoint."""
    return folder is not None and folder.startswith(CHECKPOINT.at(checkpoint=""))


def random_model(name: str) -> str:
    """Return the reason why a number is no number of a pretrained model; `name` is that of the model."""
    return f"a small random model takes the place of {name}"
