"""Model folders: `model.safetensors` (weights) and `model.json` (what was built, and where it came from).

The weights of pretrained checkpoints too. All are read as data: no file is ever run.
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
from docmt.base.parse import parse
from docmt.models import build
from docmt.models.transformer import Transformer
from docmt.settings.models import MODEL_CONFIGS
from docmt.settings.pretrained import weight_files

WEIGHTS, CARD = "model.safetensors", "model.json"
SHOWN_NAMES = 5
"""So many parameter names are listed in a message; the rest are counted."""


def save_model(folder: Path | str, model: Transformer, provenance: Mapping[str, Any]) -> None:
    """Write the two files into `folder`, which may hold others; a tied tensor is stored once, by its first name."""
    weights = {name: tensor.detach().cpu().contiguous() for name, tensor in model.named_parameters()}
    card = {
        "kind": model.config.kind,
        "config": dataclasses.asdict(model.config),
        "source_size": model.source_size,
        "target_size": model.target_size,
        "provenance": dict(provenance),
    }
    with atomic_file(Path(folder) / WEIGHTS, "wb") as stream:
        stream.write(save(weights))
    write_json(Path(folder) / CARD, card)


def load_model(folder: Path | str, device: torch.device | str = "cpu") -> Transformer:
    """Build what `model.json` says and fill it; in evaluation mode.

    Raises UserError for a missing or damaged file, and for a parameter that is missing, unknown, or of another shape.
    """
    card = read_card(folder)
    where = str(Path(folder) / CARD)
    config = parse(MODEL_CONFIGS[card["kind"]], card["config"], where, ("config",))
    model = build(config, card["source_size"], card["target_size"])
    weights = Path(folder) / WEIGHTS
    fill(model, read_tensors(weights), str(weights))
    return model.to(device).eval()


def read_card(folder: Path | str) -> dict[str, Any]:
    """`model.json`. Raises UserError where it is missing, is no such card, or names an unknown architecture."""
    path = Path(folder) / CARD
    card = read_object(path, "kind", "config", "source_size", "target_size")
    check_known("model", card["kind"], MODEL_CONFIGS, str(path))
    sizes = card["source_size"], card["target_size"]
    if not all(type(size) is int and size > 0 for size in sizes):
        expected = "numbers of pieces: source_size, target_size"
        raise UserError(
            "not the card of a model", where=str(path), found=f"{sizes[0]!r}, {sizes[1]!r}", expected=expected
        )
    as_object(card.get("provenance", {}), f"{path} provenance")
    return card


def read_tensors(path: Path) -> dict[str, torch.Tensor]:
    """Raises UserError where the file is missing, is no safetensors file, or a damaged one."""
    with reading(path, "not a safetensors file, or a damaged one"):
        need_file(path)
        return load_file(path)


def init_from(model: Transformer, folder: Path | str) -> tuple[list[str], list[str]]:
    """Fill `model` from a trained one; see `transfer`."""
    weights = Path(folder) / WEIGHTS
    return transfer(model, read_tensors(weights), str(weights))


def transfer(model: Transformer, weights: Mapping[str, torch.Tensor], where: str) -> tuple[list[str], list[str]]:
    """Fill `model`; give the names of the parameters that were taken, and of the rest.

    A parameter takes the one of its own name, else the one that the architecture names (`transfer_source`).
    Raises UserError where nothing can be taken, and where a shape differs.
    """
    origins = {name: name if name in weights else model.transfer_source(name) for name, _ in model.named_parameters()}
    taken = [name for name, origin in origins.items() if origin in weights]
    if not taken:
        raise UserError(
            "no parameter can be taken from this model",
            where=where,
            found=_names(list(weights)),
            expected=_names([origin for origin in origins.values() if origin is not None]),
        )
    found = {name: weights[origins[name]] for name in taken}
    check_shapes(model, found, where)
    put_weights(model, found)
    return taken, [name for name in origins if name not in taken]


def fill(model: Transformer, weights: Mapping[str, torch.Tensor], where: str) -> None:
    """Take all parameters of `model` from `weights`, which came from `where`. Raises UserError as `check_fit` does."""
    check_fit(model, weights, where)
    put_weights(model, weights)


def check_fit(model: Transformer, weights: Mapping[str, torch.Tensor], where: str) -> None:
    """Raises UserError for a parameter that is missing, unknown, or of another shape."""
    names = [name for name, _ in model.named_parameters()]
    missing, unknown = [n for n in names if n not in weights], [n for n in weights if n not in names]
    if missing or unknown:
        raise UserError(
            "checkpoint of another architecture",
            where=where,
            found=f"without {_names(missing)}" if missing else f"with {_names(unknown)}",
            expected=f"the parameters of a {model.config.kind} as its {CARD} says",
        )
    check_shapes(model, weights, where)


def check_shapes(model: Transformer, weights: Mapping[str, torch.Tensor], where: str) -> None:
    """Of the parameters that `weights` has. Raises UserError for one of another shape."""
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
    """Give each parameter that `weights` has its values."""
    for name, parameter in model.named_parameters():
        if name in weights:
            parameter.copy_(weights[name])


def _names(names: list[str]) -> str:
    rest = len(names) - SHOWN_NAMES
    return ", ".join(names[:SHOWN_NAMES]) + (f" and {rest} more" if rest > 0 else "")


PLAIN = "tensors by name and nothing else"


def read_checkpoint(folder: Path | str) -> dict[str, torch.Tensor]:
    """All weights of `folder`, by the names that they have there: model.safetensors, its shards, or pytorch_model.bin.

    Raises: UserError where a file is missing or damaged, and for a pickle that holds anything but tensors.
    """
    weights: dict[str, torch.Tensor] = {}
    for path in weight_files(Path(folder)):
        if path.suffix == ".safetensors":
            weights |= read_tensors(path)
        elif path.suffix == ".bin":
            weights |= _read_pickle(path)
    return weights


def _read_pickle(path: Path) -> dict[str, torch.Tensor]:
    remedy = "take the checkpoint's model.safetensors instead, or fetch it again"
    with reading(path, "refused: a pickle of weights that is damaged, or would run code", PLAIN, remedy):
        weights = load_plain(path)
    if found := defect_in(weights):
        raise UserError("not weights by name", where=str(path), found=found, expected=PLAIN, remedy=MEND)
    return weights


def load_plain(path: Path, allowed: Sequence[type] = ()) -> Any:
    """What a pickle holds: tensors, plain values, objects of the `allowed` classes. Raises anything for others.

    Warnings are left out: a damaged pickle that has odd numbers in it is refused, or is as good as any.
    """
    with warnings.catch_warnings(), torch.serialization.safe_globals(list(allowed)):
        warnings.simplefilter("ignore")
        return torch.load(path, map_location="cpu", weights_only=True)


def defect_in(weights: Any) -> str | None:
    """What a damaged pickle may give instead of tensors by name: other things, or tensors that have no values."""
    named = isinstance(weights, dict) and all(isinstance(name, str) for name in weights)
    if not named or not all(isinstance(tensor, torch.Tensor) for tensor in weights.values()):
        return type(weights).__name__
    return next((f"{name} is none" for name, tensor in weights.items() if not is_plain(tensor)), None)


def is_plain(tensor: torch.Tensor) -> bool:
    """Whether all values of it are there."""
    return tensor.device.type == "cpu" and tensor.layout is torch.strided and not tensor.is_quantized
