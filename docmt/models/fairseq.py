"""Trained models of fairseq, and of G-Transformer's code, which is built on it: their weights as a model of ours.

| there | here |
| --- | --- |
| `args` (0.9), `cfg.model` (0.12) | `docmt.models.fairseq_settings` |
| rows by a dictionary: `<s> <pad> </s> <unk>`, pieces | rows by a vocabulary: our symbols, pieces: `Numbering` |
| names of tensors | `FAMILY` |
| tensors that play no part | `UNUSED` |

A checkpoint is a pickle. Nothing in it is run: only tensors, plain values and `argparse.Namespace` are read.
"""

import re
from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from docmt.base.errors import UserError
from docmt.base.foreign import explained, is_of_system, reading
from docmt.base.vocabulary import SPECIALS
from docmt.models import build
from docmt.models.fairseq_settings import config_of, is_g_transformer, read_argument
from docmt.models.families import BART, BART_PROJECTIONS, attention
from docmt.models.store import check_fit, defect_in, fill, load_plain
from docmt.models.transformer import Transformer
from docmt.nn.layers import FIRST_POSITION
from docmt.nn.shapes import Tensor
from docmt.settings.models import TransformerConfig

FIRST_SYMBOLS = ("<s>", "<pad>", "</s>", "<unk>")
"""The first entries of every dictionary; its file does not have them."""

KNOWN_SYMBOLS = (*FIRST_SYMBOLS, "<mask>")
"""Entries that are symbols here too, of the same meaning."""

END_OF_DOCUMENT = "<sep>"
"""Our symbol for the target's language token, with which G-Transformer's code ends a document."""

TABLES = {
    "source_embedding": "encoder.embed_tokens",
    "target_embedding": "decoder.embed_tokens",
    "output": "decoder.output_projection",
}
"""Modules whose weight has a row for each piece."""
SOURCE, TARGET, OUTPUT = (f"{table}.weight" for table in TABLES)

FAMILY = replace(
    BART,
    outside={**BART.outside, **TABLES},
    parts={
        **BART.parts,
        **attention("self_attention.group", "self_attn_local", BART_PROJECTIONS),
        **attention("self_attention.global_", "self_attn_global", BART_PROJECTIONS),
        **attention("cross_attention.group", "encoder_attn_local", BART_PROJECTIONS),
        **attention("cross_attention.global_", "encoder_attn_global", BART_PROJECTIONS),
        "self_attention.gate": "self_attn_gate.0",
        "cross_attention.gate": "encoder_attn_gate.0",
    },
    embeddings=(),
)
"""BART has fairseq's names; and what G-Transformer's code has besides."""

UNUSED = re.compile(
    r"(en|de)coder\.version"
    r"|(en|de)coder\.embed_positions\._float_tensor"
    r"|encoder\.layers\.\d+\.(in_proj|out_proj|fc1|fc2)_(weight|bias)"
)
"""Format numbers, the type of a table that is computed, and places that 0.12 keeps for a fused computation."""

TIED = {"shared": {TARGET: SOURCE, OUTPUT: SOURCE}, "target": {OUTPUT: TARGET}, "separate": {}}
"""By `config.embeddings`: the parameter that stands for others; a checkpoint may have the values of each."""


@dataclass(frozen=True)
class Checkpoint:
    """`args`: the training's arguments; `weights`: tensors by their names there; `where`: the file."""

    args: Namespace
    weights: dict[str, Tensor]
    where: str


def read_checkpoint(path: Path | str) -> Checkpoint:
    """Raises UserError where the file is missing, damaged, holds what could run code, or is no such checkpoint."""
    where = str(path)
    content = _read_safely(Path(path))
    parts = content if isinstance(content, dict) else {}
    settings = parts["cfg"].get("model") if isinstance(parts.get("cfg"), dict) else parts.get("args")
    weights = parts.get("model")
    if not isinstance(settings, Namespace) or defect_in(weights):
        raise UserError(
            "not a checkpoint of fairseq",
            where=where,
            found=", ".join(map(str, parts)) or type(content).__name__,
            expected="args (0.9 and later) or cfg (0.12), and model, which has tensors alone",
        )
    return Checkpoint(settings, weights, where)


def _read_safely(path: Path) -> Any:
    try:
        return load_plain(path, [Namespace])
    except Exception as problem:
        # Bytes from anywhere: a damaged pickle can fail in any way.
        if is_of_system(problem):
            raise explained(problem) from None
        called = re.search(r"GLOBAL (\S+)", str(problem))
        raise UserError(
            "not a checkpoint that can be read as weights alone",
            where=str(path),
            found=f"{called[1]}, which might run code" if called else type(problem).__name__,
            expected="tensors, plain values and argparse.Namespace",
            remedy="nothing of the file was run: fetch it again, or name another one",
        ) from None


@dataclass(frozen=True)
class Numbering:
    """Pieces of a dictionary in our order, our symbols first."""

    pieces: tuple[str, ...]
    origins: tuple[int | None, ...]
    """The row that each piece has in the checkpoint; none for our symbols that it does not know."""

    @classmethod
    def of(cls, symbols: Sequence[str], renamed: Mapping[str, str], where: str) -> "Numbering":
        """`symbols`: all entries of a dictionary by their number; `renamed`: entries that are symbols of ours.

        Raises UserError for an entry that stands twice, or that is called like a symbol of ours and is none.
        """
        rows: dict[str, int] = {}
        for row, symbol in enumerate(symbols):
            if symbol in SPECIALS and symbol not in KNOWN_SYMBOLS:
                raise UserError("a piece has the name of a symbol of docmt", where=where, found=symbol)
            if rows.setdefault(renamed.get(symbol, symbol), row) != row:
                raise UserError("a piece stands twice", where=where, found=symbol)
        pieces = SPECIALS + tuple(piece for piece in rows if piece not in SPECIALS)
        return cls(pieces, tuple(rows.get(piece) for piece in pieces))

    @property
    def absent(self) -> tuple[int, ...]:
        """Ids of pieces that the checkpoint does not know."""
        return tuple(number for number, row in enumerate(self.origins) if row is None)

    def take(self, table: Tensor) -> Tensor:
        """The rows of a table in our order; zeros for pieces that the checkpoint does not know."""
        taken = table.new_zeros(len(self.origins), *table.shape[1:])
        known = [(number, row) for number, row in enumerate(self.origins) if row is not None]
        numbers, rows = (torch.tensor(column) for column in zip(*known, strict=True))
        taken[numbers] = table[rows]
        return taken


def numberings(checkpoint: Checkpoint, source: Sequence[str], target: Sequence[str]) -> tuple[Numbering, Numbering]:
    """`source`, `target`: the pieces of the two dictionaries' files. Raises UserError as `Numbering.of`.

    G-Transformer's task appends a token for each language, and `<mask>`, where a dictionary lacks them.
    """
    appended, renamed = [], {}
    if is_g_transformer(checkpoint.args):
        languages, last = (
            read_argument(checkpoint.args, name, str, checkpoint.where) for name in ("langs", "target_lang")
        )
        appended = [*(f"[{language}]" for language in languages.split(",")), "<mask>"]
        renamed = {f"[{last}]": END_OF_DOCUMENT}

    def numbered(pieces: Sequence[str], side: str) -> Numbering:
        more = [symbol for symbol in appended if symbol not in pieces]
        return Numbering.of((*FIRST_SYMBOLS, *pieces, *more), renamed, f"{side} dictionary")

    return numbered(source, "source"), numbered(target, "target")


def import_model(checkpoint: Checkpoint, source: Numbering, target: Numbering) -> Transformer:
    """A model with the checkpoint's weights, in evaluation mode.

    Raises UserError for settings that cannot be said here, for a tensor that has no place here or is missing, and for
    dictionaries of another number of pieces.
    """
    with reading(checkpoint.where, "not the settings of a fairseq Transformer"):
        config = config_of(checkpoint.args, checkpoint.where)
    _check_layers(config, checkpoint)
    if config.embeddings == "shared" and source != target:
        raise UserError("one table of embeddings needs one dictionary", where=checkpoint.where, found="two that differ")
    shape = replace(config, absent_pieces=target.absent), len(source.pieces), len(target.pieces)
    with torch.device("meta"):
        described = build(*shape)
    with reading(checkpoint.where, "not the weights of a fairseq Transformer"):
        weights = renamed_weights(checkpoint, described, source, target)
    # Before a model is made of settings that a damaged file may have, of any size.
    check_fit(described, weights, checkpoint.where)
    model = build(*shape)
    fill(model, weights, checkpoint.where)
    return model.eval()


def _check_layers(config: TransformerConfig, checkpoint: Checkpoint) -> None:
    for stack, stated in (("encoder", config.encoder_layers), ("decoder", config.decoder_layers)):
        layers = {found[1] for name in checkpoint.weights if (found := re.match(rf"{stack}\.layers\.(\d+)\.", name))}
        if len(layers) != stated:
            expected = f"{stated}, as its arguments say"
            found = f"weights of {len(layers)} {stack} layers"
            raise UserError(
                "checkpoint of another architecture", where=checkpoint.where, found=found, expected=expected
            )


def renamed_weights(
    checkpoint: Checkpoint, model: Transformer, source: Numbering, target: Numbering
) -> dict[str, Tensor]:
    """The checkpoint's tensors by the names of the model's parameters, in our order of rows.

    Raises UserError for a tensor that has no place in the model, and for tables that should be one and differ.
    """
    parameters = {name for name, _ in model.named_parameters()}
    names, rows = parameter_names(parameters), {SOURCE: source, TARGET: target, OUTPUT: target}
    tied = TIED[model.config.embeddings]
    found: dict[str, Tensor] = {}
    for name, tensor in checkpoint.weights.items():
        if UNUSED.fullmatch(name):
            continue
        where = f"{checkpoint.where} {name}"
        ours = parameter_name(name, names)
        place = tied.get(ours, ours)
        if place not in parameters:
            raise UserError("a tensor has no place in the model", where=where, found=f"shape {tuple(tensor.shape)}")
        value = _in_our_order(tensor.float(), ours, rows.get(ours), where)
        if not torch.equal(found.setdefault(place, value), value):
            raise UserError("tables that are tied differ", where=where, found=f"other values than {place} has")
    return found


def parameter_names(parameters: Iterable[str]) -> dict[str | None, str]:
    """By the names there: these parameters, and the tables that may be one with others."""
    names = {FAMILY.named(parameter): parameter for parameter in (*parameters, SOURCE, TARGET, OUTPUT)}
    return {**names, "decoder.embed_out": OUTPUT}


def parameter_name(name: str, names: Mapping[str | None, str]) -> str | None:
    """The name here of a tensor there; group attention that stands alone has its place without a name of its own."""
    return names.get(name) or names.get(name.replace("_attn_local.", "_attn."))


def _in_our_order(tensor: Tensor, name: str, numbering: Numbering | None, where: str) -> Tensor:
    if numbering is None:
        # Tables of trained positions begin with rows that are never used.
        return tensor[FIRST_POSITION:] if name.endswith("position.weight") else tensor
    entries = len(numbering.origins) - len(numbering.absent)
    if len(tensor) != entries:
        raise UserError(
            "dictionary of another checkpoint", where=where, found=f"{entries} entries", expected=f"{len(tensor)}"
        )
    return numbering.take(tensor)
