"""Model folders: `model.safetensors` has the weights, `model.json` is the card: the settings, sizes and provenance.

This module also reads the weights of pretrained checkpoints. It reads all files as data: no code in them is ever run.
"""

import dataclasses
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save

from docmt.base.artifacts import as_object, atomic_file, read_object, write_json
from docmt.base.errors import UserError, check_known
from docmt.base.foreign import MEND, need_file, reading
from docmt.base.manifest import check_file
from docmt.base.model_folder import CARD
from docmt.base.parse import parse
from docmt.models import build
from docmt.models.transformer import Transformer
from docmt.settings.models import MODEL_CONFIGS
from docmt.settings.pretrained import weight_files

WEIGHTS = "model.safetensors"
"""The name of the file of a model folder that holds the parameters."""
LISTED_NAMES = 5
"""The number of parameter names that a message lists; it only counts the others."""


def save_model(folder: Path | str, model: Transformer, provenance: Mapping[str, Any]) -> None:
    """Write the weights and the card into `folder`, which may contain other files.

    A tensor that has several names, such as tied embeddings, is stored once, by the first of its names.
    """
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

    On a CPU the parameters are the bytes of the file, mapped to memory: processes that load the same model share them,
    until one of them changes a parameter. Raises UserError for a missing or damaged file, and for a parameter that is
    missing, unknown, or of another shape.
    """
    card = read_card(folder)
    where = str(Path(folder) / CARD)
    config = parse(MODEL_CONFIGS[card["kind"]], card["config"], where, ("config",))
    model = build(config, card["source_size"], card["target_size"])
    path = Path(folder) / WEIGHTS
    weights = read_tensors(path)
    check_fit(model, weights, str(path))
    for name, parameter in model.named_parameters():
        # Without a copy, where the file has numbers of the same type.
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
    if not all(type(size) is int and size > 0 for size in sizes):
        expected = "numbers of pieces: source_size, target_size"
        raise UserError(
            "not the card of a model", where=str(path), found=f"{sizes[0]!r}, {sizes[1]!r}", expected=expected
        )
    as_object(card.get("provenance", {}), f"{path} provenance")
    return card


def read_tensors(path: Path) -> dict[str, torch.Tensor]:
    """Read a safetensors file. Raises UserError where it is missing, damaged, or of another format."""
    with reading(path, "not a safetensors file, or a damaged one"):
        need_file(path)
        check_file(path)
        return load_file(path)


def init_from(model: Transformer, folder: Path | str) -> tuple[list[str], list[str]]:
    """Fill `model` from the trained model in `folder`; return the transferred and the other parameters (`transfer`)."""
    weights = Path(folder) / WEIGHTS
    return transfer(model, read_tensors(weights), str(weights))


def transfer(model: Transformer, weights: Mapping[str, torch.Tensor], where: str) -> tuple[list[str], list[str]]:
    """Fill `model`; return the names of the parameters that were transferred, and the names of the others.

    A parameter starts from the weight of its own name; where there is none, from the weight that the architecture names
    (`transfer_source`). Raises UserError where no parameter can be transferred, and where a shape differs.
    """
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


PLAIN = "tensors by name and nothing else"
"""The expected content of a pickle, as messages state it."""


def read_checkpoint(folder: Path | str) -> dict[str, torch.Tensor]:
    """Read all weights of `folder` by their names, from the files that `weight_files` returns.

    Raises UserError where a file is missing or damaged, and for a pickle that holds anything but tensors.
    """
    weights: dict[str, torch.Tensor] = {}
    for path in weight_files(Path(folder)):
        if path.suffix == ".safetensors":
            weights |= read_tensors(path)
        elif path.suffix == ".bin":
            weights |= _read_pickle(path)
    return weights


def _read_pickle(path: Path) -> dict[str, torch.Tensor]:
    remedy = "take the checkpoint's model.safetensors instead, or download it again"
    with reading(path, "refused: a pickle of weights that is damaged, or would run code", PLAIN, remedy):
        check_file(path)
        weights = load_plain(path)
    if defect := defect_in(weights):
        raise UserError("not weights by name", where=str(path), found=defect, expected=PLAIN, remedy=MEND)
    return weights


def load_plain(path: Path, allowed: Sequence[type] = ()) -> Any:
    """Return the content of a pickle: tensors, plain values, objects of the `allowed` classes.

    Other content raises any kind of error. Torch's warnings are suppressed, since callers check the content themselves.
    """
    with warnings.catch_warnings(), torch.serialization.safe_globals(list(allowed)):
        warnings.simplefilter("ignore")
        return torch.load(path, map_location="cpu", weights_only=True)


def defect_in(weights: Any) -> str | None:
    """Return a description of the defect of `weights`, which should be tensors by name; None where there is no defect.

    A damaged pickle may give other objects, or tensors without values.
    """
    named = isinstance(weights, dict) and all(isinstance(name, str) for name in weights)
    if not named or not all(isinstance(tensor, torch.Tensor) for tensor in weights.values()):
        return type(weights).__name__
    return next((f"{name} is none" for name, tensor in weights.items() if not is_plain(tensor)), None)


def is_plain(tensor: torch.Tensor) -> bool:
    """Return whether all values of the tensor are in memory."""
    return tensor.device.type == "cpu" and tensor.layout is torch.strided and not tensor.is_quantized
