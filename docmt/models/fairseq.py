"""Import of models that were trained with fairseq, or with the code of G-Transformer, which is built on fairseq.

| fairseq | docmt |
| --- | --- |
| arguments of the training: `args` (version 0.9), `cfg.model` (0.12) | settings: `docmt.models.fairseq_settings` |
| rows by a dictionary: `<s> <pad> </s> <unk>`, pieces | rows by a vocabulary: special symbols, pieces: `Numbering` |
| names of tensors | names of parameters: `FAMILY` |
| tensors that docmt has no use for | `UNUSED` |

A checkpoint is a pickle. No code in it is run: only tensors, plain values and `argparse.Namespace` are read.
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
from docmt.models.families import BART, BART_PROJECTIONS, attention_names
from docmt.models.store import check_fit, check_room, fill
from docmt.models.transformer import Transformer
from docmt.models.weights import check_weights, defect_in, load_plain
from docmt.nn.layers import FIRST_POSITION
from docmt.nn.shapes import Tensor
from docmt.settings.models import TransformerConfig

FIRST_SYMBOLS = ("<s>", "<pad>", "</s>", "<unk>")
"""The first entries of every dictionary; the dictionary's file does not contain them."""

KNOWN_SYMBOLS = (*FIRST_SYMBOLS, "<mask>")
"""Entries of a dictionary that are special symbols of docmt too, with the same meaning."""

END_OF_DOCUMENT = "<sep>"
"""The special symbol of docmt for the language token of the target, with which G-Transformer's code ends a document."""

TABLES = {
    "source_embedding": "encoder.embed_tokens",
    "target_embedding": "decoder.embed_tokens",
    "output": "decoder.output_projection",
}
"""Modules whose weight has a row for each piece, and their names in the checkpoint."""
SOURCE, TARGET, OUTPUT = (f"{table}.weight" for table in TABLES)

FAMILY = replace(
    BART,
    outside={**BART.outside, **TABLES},
    parts={
        **BART.parts,
        **attention_names("self_attention.group", "self_attn_local", BART_PROJECTIONS),
        **attention_names("self_attention.global_", "self_attn_global", BART_PROJECTIONS),
        **attention_names("cross_attention.group", "encoder_attn_local", BART_PROJECTIONS),
        **attention_names("cross_attention.global_", "encoder_attn_global", BART_PROJECTIONS),
        "self_attention.gate": "self_attn_gate.0",
        "cross_attention.gate": "encoder_attn_gate.0",
    },
    embeddings=(),
)
"""The names in a checkpoint: fairseq's, which BART has too, and the additional names of G-Transformer's code."""

UNUSED = re.compile(
    r"(en|de)coder\.version"
    r"|(en|de)coder\.embed_positions\._float_tensor"
    r"|encoder\.layers\.\d+\.(in_proj|out_proj|fc1|fc2)_(weight|bias)"
)
"""The names of tensors that docmt has no use for.

These tensors are format numbers, markers of the type of computed position tables, and places that fairseq 0.12 reserves
for a fused computation.
"""

TIED = {"shared": {TARGET: SOURCE, OUTPUT: SOURCE}, "target": {OUTPUT: TARGET}, "separate": {}}
"""The parameter that replaces each tied table, for each value of `config.embeddings`; a file may hold both tables."""


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint: `args` are the arguments of its training, `weights` its tensors by name, `where` is its path."""

    args: Namespace
    weights: dict[str, Tensor]
    where: str


def read_checkpoint(path: Path | str) -> Checkpoint:
    """Read a checkpoint without running code in it.

    Raises UserError where the file is missing, damaged, could run code, or is no checkpoint of fairseq.
    """
    where = str(path)
    content = _read_safely(Path(path))
    entries = content if isinstance(content, dict) else {}
    settings = entries["cfg"].get("model") if isinstance(entries.get("cfg"), dict) else entries.get("args")
    weights = entries.get("model")
    if not isinstance(settings, Namespace) or defect_in(weights):
        raise UserError(
            "not a checkpoint of fairseq",
            where=where,
            found=", ".join(filter(lambda name: isinstance(name, str), entries)) or type(content).__name__,
            expected="args (0.9 and later) or cfg (0.12), and model, which has tensors alone",
        )
    check_weights(weights, Path(path))
    return Checkpoint(Namespace(**dict(map(_plain_argument, vars(settings).items()))), weights, where)


def _plain_argument(argument: tuple[str, Any]) -> tuple[str, Any]:
    # A value that is no text or number gets the name of its type: docmt needs no such values, and the text of a list
    # that holds one list twice, and so on, has no end.
    name, value = argument
    return name, value if isinstance(value, str | int | float | None) else type(value).__name__


def _read_safely(path: Path) -> Any:
    try:
        return load_plain(path, [Namespace])
    except UserError:
        raise
    except Exception as problem:
        # A damaged pickle can raise any error. Errors of the operating system, such as a missing file, have messages of
        # their own.
        if is_of_system(problem):
            raise explained(problem) from None
        refused_name = re.search(r"GLOBAL (\S+)", str(problem))
        raise UserError(
            "not a checkpoint that can be read as weights alone",
            where=str(path),
            found=f"{refused_name[1]}, which might run code" if refused_name else type(problem).__name__,
            expected="tensors, plain values and argparse.Namespace",
            remedy="nothing of the file was run: download it again, or name another one",
        ) from None


@dataclass(frozen=True)
class Numbering:
    """The pieces of a dictionary in the order of docmt's vocabularies: special symbols first."""

    pieces: tuple[str, ...]
    """All pieces of the vocabulary."""
    origins: tuple[int | None, ...]
    """The row of each piece in the checkpoint; None for a special symbol of docmt that the checkpoint does not have."""

    @classmethod
    def from_symbols(cls, symbols: Sequence[str], renamed: Mapping[str, str], where: str) -> "Numbering":
        """Return the numbering of the entries of a dictionary.

        `symbols` are all entries in the order of their numbers; `renamed` maps entries to special symbols of docmt.

        Raises UserError for an entry that occurs twice, and for an ordinary entry that has the name of a special symbol
        of docmt.
        """
        rows: dict[str, int] = {}
        for row, symbol in enumerate(symbols):
            if symbol in SPECIALS and symbol not in KNOWN_SYMBOLS:
                raise UserError("a piece has the name of a symbol of docmt", where=where, found=symbol)
            if rows.setdefault(renamed.get(symbol, symbol), row) != row:
                raise UserError("a piece occurs twice", where=where, found=symbol)
        pieces = SPECIALS + tuple(piece for piece in rows if piece not in SPECIALS)
        return cls(pieces, tuple(rows.get(piece) for piece in pieces))

    @property
    def absent(self) -> tuple[int, ...]:
        """Ids of the pieces that the checkpoint does not have."""
        return tuple(number for number, row in enumerate(self.origins) if row is None)

    def reorder(self, table: Tensor) -> Tensor:
        """Return the rows of a table in the order of `pieces`; pieces that the checkpoint does not have get zeros."""
        reordered = table.new_zeros(len(self.origins), *table.shape[1:])
        known = [(number, row) for number, row in enumerate(self.origins) if row is not None]
        numbers, rows = (torch.tensor(column) for column in zip(*known, strict=True))
        reordered[numbers] = table[rows]
        return reordered


def numberings(checkpoint: Checkpoint, source: Sequence[str], target: Sequence[str]) -> tuple[Numbering, Numbering]:
    """Return the numberings of both dictionaries; `source` and `target` are the pieces of their files.

    Raises UserError for an entry that occurs twice, and for an ordinary entry that has the name of a special symbol.
    """
    # G-Transformer's code appends a token for each language, and `<mask>`, to a dictionary that lacks them.
    appended, renamed = [], {}
    if is_g_transformer(checkpoint.args):
        languages, target_language = (
            read_argument(checkpoint.args, name, str, checkpoint.where) for name in ("langs", "target_lang")
        )
        appended = [*(f"[{language}]" for language in languages.split(",")), "<mask>"]
        renamed = {f"[{target_language}]": END_OF_DOCUMENT}

    def numbering_of(pieces: Sequence[str], side: str) -> Numbering:
        missing = [symbol for symbol in appended if symbol not in pieces]
        return Numbering.from_symbols((*FIRST_SYMBOLS, *pieces, *missing), renamed, f"{side} dictionary")

    return numbering_of(source, "source"), numbering_of(target, "target")


def import_model(checkpoint: Checkpoint, source: Numbering, target: Numbering) -> Transformer:
    """Return a model with the checkpoint's weights, in evaluation mode.

    Raises UserError for arguments that no setting of docmt can express, for a tensor that is missing or has no place in
    the model, and for dictionaries with a different number of pieces.
    """
    with reading(checkpoint.where, "not the settings of a fairseq Transformer"):
        config = config_of(checkpoint.args, checkpoint.where)
    _check_layers(config, checkpoint)
    if config.embeddings == "shared" and source != target:
        raise UserError("one table of embeddings needs one dictionary", where=checkpoint.where, found="two that differ")
    build_arguments = replace(config, absent_pieces=target.absent), len(source.pieces), len(target.pieces)
    check_room(checkpoint.weights, *build_arguments, checkpoint.where)
    with torch.device("meta"):
        outline = build(*build_arguments)
    with reading(checkpoint.where, "not the weights of a fairseq Transformer"):
        weights = renamed_weights(checkpoint, outline, source, target)
    # The shapes are checked before the model is allocated, since a damaged file may have settings of any size.
    check_fit(outline, weights, checkpoint.where)
    model = build(*build_arguments)
    fill(model, weights, checkpoint.where)
    return model.eval()


def _check_layers(config: TransformerConfig, checkpoint: Checkpoint) -> None:
    for stack, stated in (("encoder", config.encoder_layers), ("decoder", config.decoder_layers)):
        layers = {match[1] for name in checkpoint.weights if (match := re.match(rf"{stack}\.layers\.(\d+)\.", name))}
        if len(layers) != stated:
            expected = f"{stated}, as its arguments say"
            present = f"weights of {len(layers)} {stack} layers"
            raise UserError(
                "checkpoint of another architecture", where=checkpoint.where, found=present, expected=expected
            )


def renamed_weights(
    checkpoint: Checkpoint, model: Transformer, source: Numbering, target: Numbering
) -> dict[str, Tensor]:
    """Return the tensors of a checkpoint by the names of the model's parameters, with the rows of docmt's vocabularies.

    Raises UserError for a tensor that has no place in the model, and for tied tables whose values differ.
    """
    parameters = {name for name, _ in model.named_parameters()}
    names, rows = parameter_names(parameters), {SOURCE: source, TARGET: target, OUTPUT: target}
    tied = TIED[model.config.embeddings]
    weights: dict[str, dict[int, Tensor]] = {}
    for name, tensor in checkpoint.weights.items():
        if UNUSED.fullmatch(name):
            continue
        where = f"{checkpoint.where} {name}"
        target_name, place = parameter_of(name, names)
        tied_name = tied.get(target_name, target_name)
        if tied_name not in parameters:
            raise UserError("a tensor has no place in the model", where=where, found=f"shape {tuple(tensor.shape)}")
        value = _in_our_order(tensor.float(), target_name, rows.get(target_name), where)
        # fairseq stores a tied table under each of its names; a table with other values would be lost without notice.
        if not torch.equal(weights.setdefault(tied_name, {}).setdefault(place, value), value):
            raise UserError("tables that are tied differ", where=where, found=f"other values than {tied_name} has")
    return FAMILY.side_by_side(weights)


def parameter_names(parameters: Iterable[str]) -> dict[str, tuple[str, int]]:
    """Return `places` for all names in a checkpoint, including the names of tables that may be tied to others."""
    return {**FAMILY.places((*parameters, SOURCE, TARGET, OUTPUT)), "decoder.embed_out": (OUTPUT, 0)}


def parameter_of(name: str, names: Mapping[str, tuple[str, int]]) -> tuple[str | None, int]:
    """Return the parameter of a tensor, None where there is no such parameter, and the tensor's place in it."""
    # A checkpoint calls group attention `_attn_local` also in layers without global attention; docmt calls the only
    # attention of a layer `self_attention` or `cross_attention`.
    return names.get(name) or names.get(name.replace("_attn_local.", "_attn."), (None, 0))


def _in_our_order(tensor: Tensor, name: str, numbering: Numbering | None, where: str) -> Tensor:
    if numbering is None:
        # Trained tables of positions begin with rows that fairseq never uses.
        return tensor[FIRST_POSITION:] if name.endswith("position.weight") else tensor
    entries = len(numbering.origins) - len(numbering.absent)
    if len(tensor) != entries:
        raise UserError(
            "dictionary of another checkpoint", where=where, found=f"{entries} entries", expected=f"{len(tensor)}"
        )
    return numbering.reorder(tensor)
