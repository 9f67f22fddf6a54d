"""Model folders: `model.safetensors` has the weights, `model.json` is the card: the settings, sizes and provenance.

This module also reads the weights of pretrained checkpoints. It reads all files as data: no code in them is ever run.
"""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save

from docmt.base.artifacts import as_object, atomic_file, read_object, write_json
from docmt.base.checks import MOST
from docmt.base.errors import UserError, check_known, quoted
from docmt.base.foreign import MEND
from docmt.base.parse import parse
from docmt.base.recipe import CARD
from docmt.models import build
from docmt.models.transformer import Transformer
from docmt.models.weights import read_pickle, read_tensors
from docmt.settings.models import MODEL_CONFIGS, TransformerConfig
from docmt.settings.pretrained import weight_files

WEIGHTS = "model.safetensors"  # The name of the file of a model folder that holds the parameters
SMALL = 10_000_000  # A number of numbers that fit into any memory
LISTED_NAMES = 5  # The number of parameter names that a message lists; it only counts the others


def save_model(folder: Path | str, model: Transformer, provenance: Mapping[str, Any]) -> None:
    """Write the weights and the card into `folder`, which may contain other files."""
    # A tensor that has several names, such as tied embeddings, is stored once, by the first of its names.
    weights = {name: tensor.detach().cpu().contiguous() for name, tensor in model.named_parameters()}
    card = {
        "kind": model.config.kind,
        "config": dataclasses.asdict(model.config),
        "source_size": model.source_size,
        "target_size": model.target_size,
        "provenance": dict(provenance),
    }
    # The card is written last: a folder with a card also has the weights.
    with atomic_file(Path(folder) / WEIGHTS, "wb") as stream:
        stream.write(save(weights))
    write_json(Path(folder) / CARD, card)


def load_model(folder: Path | str, device: torch.device | str = "cpu") -> Transformer:
    """Return the model that `model.json` describes, with the weights of the folder, in evaluation mode.

    Raises UserError for a missing or damaged file, and for a parameter that is missing, unknown, or of another shape.
    """
    card = read_card(folder)
    where = str(Path(folder) / CARD)
    config = parse(MODEL_CONFIGS[card["kind"]], card["config"], where, ("config",))
    path = Path(folder) / WEIGHTS
    weights = read_tensors(path)
    sizes = card["source_size"], card["target_size"]
    check_room(weights, config, *sizes, str(path))
    # The shapes are checked before the model is allocated.
    with torch.device("meta"):
        check_fit(build(config, *sizes), weights, str(path))
    model = build(config, *sizes)
    for name, parameter in model.named_parameters():
        # Without a copy, where the file has numbers of the same type.
        # On a CPU the parameters are the bytes of the file, mapped to memory: processes that load the same model share
        # them, until one of them changes a parameter.
        parameter.data = weights[name].to(parameter.dtype)
    return model.to(device).eval()


def read_card(folder: Path | str) -> dict[str, Any]:
    """Read `model.json`.

    Raises UserError where it is missing, is not the card of a model, or names an unknown architecture.
    """
    path = Path(folder) / CARD
    card = read_object(path, "kind", "config", "source_size", "target_size")
    check_known("model", card["kind"], MODEL_CONFIGS, str(path))
    sizes = card["source_size"], card["target_size"]
    # `type` instead of isinstance, since true and false are integers in Python.
    if not all(type(size) is int and 0 < size <= MOST for size in sizes):
        expected = "numbers of pieces: source_size, target_size"
        raise UserError("not the description of a model", where=str(path), found=quoted(sizes), expected=expected)
    as_object(card.get("provenance", {}), f"{path} provenance")
    return card


def init_from(model: Transformer, folder: Path | str) -> tuple[list[str], list[str]]:
    """Fill `model` from the trained model in `folder`; return the transferred and the other parameters (`transfer`)."""
    weights = Path(folder) / WEIGHTS
    return transfer(model, read_tensors(weights), str(weights))


def transfer(model: Transformer, weights: Mapping[str, torch.Tensor], where: str) -> tuple[list[str], list[str]]:
    """Fill `model`; return the names of the parameters that were transferred, and the names of the others.

    Raises UserError where no parameter can be transferred, and where a shape differs.
    """
    # A parameter starts from the weight of its own name; where there is none, from the weight that the architecture
    # names (`transfer_source`).
    origins = {name: name if name in weights else model.transfer_source(name) for name, _ in model.named_parameters()}
    transferred = [name for name, origin in origins.items() if origin in weights]
    if not transferred:
        raise UserError(
            "no parameter can be transferred from this model",
            where=where,
            found=_list_names(list(weights)),
            expected=_list_names([origin for origin in origins.values() if origin is not None]),
        )
    values = {name: weights[origins[name]] for name in transferred}
    check_shapes(model, values, where)
    put_weights(model, values)
    return transferred, [name for name in origins if name not in transferred]


def fill(model: Transformer, weights: Mapping[str, torch.Tensor], where: str) -> None:
    """Set all parameters of `model` to their values in `weights`; `where` is the file of these weights.

    Raises UserError for a parameter that is missing, unknown, or of another shape.
    """
    check_fit(model, weights, where)
    put_weights(model, weights)


def check_room(
    weights: Mapping[str, torch.Tensor], config: TransformerConfig, source_size: int, target_size: int, where: str
) -> None:
    """Raise UserError where a file of weights is far too small for a model of these sizes."""
    # Whoever wrote the settings may have stated any sizes: a model of them might not fit into any memory, even before
    # its parameters are allocated.
    numbers, layers = sum(map(torch.Tensor.numel, weights.values())), config.encoder_layers + config.decoder_layers
    least = config.width * (max(source_size, target_size) + layers * (config.width + config.inner))
    if len(weights) < layers or numbers + SMALL < least:
        raise UserError(
            "checkpoint of another architecture",
            where=where,
            found=f"{len(weights):,} tensors with {numbers:,} numbers",
            expected=f"those of {layers} layers, at least {least:,} numbers, as its settings say",
            remedy=MEND,
        )


def check_fit(model: Transformer, weights: Mapping[str, torch.Tensor], where: str) -> None:
    """Raise UserError for a parameter that is missing, unknown, or of another shape."""
    names = [name for name, _ in model.named_parameters()]
    missing, unknown = [n for n in names if n not in weights], [n for n in weights if n not in names]
    if missing or unknown:
        raise UserError(
            "checkpoint of another architecture",
            where=where,
            found=f"without {_list_names(missing)}" if missing else f"with {_list_names(unknown)}",
            expected=f"the parameters of a {model.config.kind} as its {CARD} says",
        )
    check_shapes(model, weights, where)


def check_shapes(model: Transformer, weights: Mapping[str, torch.Tensor], where: str) -> None:
    """Raise UserError for a parameter whose shape differs from its shape in `weights`; other parameters are ignored."""
    for name, parameter in model.named_parameters():
        if name in weights and weights[name].shape != parameter.shape:
            raise UserError(
                "checkpoint of another shape",
                where=f"{where} {name}",
                found=tuple(weights[name].shape),
                expected=tuple(parameter.shape),
            )


@torch.no_grad()
def put_weights(model: Transformer, weights: Mapping[str, torch.Tensor]) -> None:
    """Set each parameter of the model that `weights` contains to its value there."""
    for name, parameter in model.named_parameters():
        if name in weights:
            parameter.copy_(weights[name])


def _list_names(names: list[str]) -> str:
    rest = len(names) - LISTED_NAMES
    return ", ".join(names[:LISTED_NAMES]) + (f" and {rest} more" if rest > 0 else "")


def read_checkpoint(folder: Path | str) -> dict[str, torch.Tensor]:
    """Read all weights of `folder` by their names, from the files that `weight_files` returns.

    Raises UserError where a file is missing or damaged, and for a pickle that holds anything but tensors.
    """
    weights: dict[str, torch.Tensor] = {}
    for path in weight_files(Path(folder)):
        if path.suffix == ".safetensors":
            weights |= read_tensors(path)
        elif path.suffix == ".bin":
            remedy = "take the checkpoint's model.safetensors instead, or download it again"
            weights |= read_pickle(path, remedy=remedy)
    return weights
