"""Initial parameters from pretrained checkpoints: mBART and BART give a whole model, BERT an encoder.

Paper: G-Transformer (Bao et al. 2021), section 5.2 and appendix C.1: parameters are copied from mBART25; group
    attention starts from the attention of mBART25, global attention and gates start at random. About BERT the paper
    only says "G-Transformer+BERT"; our reading: the encoder starts from BERT, the decoder at random.

The weights get the names of the Transformer's parameters (`docmt.models.families`). Then they are transferred as from
any other initial model: the method `transfer_source` of the architecture says which weight a parameter starts from.

| checkpoint | docmt |
| --- | --- |
| shared embeddings, lm_head | a row for each piece of a vocabulary, in source and target embedding and in the output |
| embed_positions | `source_embedding.position`, `target_embedding.position`, without the first two rows |
| layernorm_embedding | `source_embedding.norm`, `target_embedding.norm` |
| BERT's embeddings of positions and token types | `source_embedding.position`: each position plus token type 0 |

A model may have more positions than the checkpoint: the additional positions start at random. (BERT has 512 positions,
and a translation may be longer than its source.)

Departs: of mBART's language codes, only that of the target language is transferred, as the embedding of `<sep>`
(`docmt.text.pretrained`). The embedding of a piece that the checkpoint lacks (`<cls>`, and `<sep>` where the checkpoint
has no language codes) starts as the mean of all its embeddings.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import torch

from docmt.base.artifacts import read_object, read_text
from docmt.base.errors import UserError
from docmt.base.foreign import MEND, reading
from docmt.base.parse import parse
from docmt.base.vocabulary import check_once
from docmt.models.families import BIAS_OF_LOGITS, FAMILIES, TOKEN_TYPES, CheckpointFamily
from docmt.models.store import check_room, read_checkpoint, transfer
from docmt.models.transformer import Transformer, parameter_shapes
from docmt.models.weights import read_pickle
from docmt.nn.shapes import EmbeddingRows, EmbeddingTable, Tensor
from docmt.settings.models import TransformerConfig
from docmt.settings.pretrained import (
    ALIGNER_WEIGHTS,
    CONFIG,
    POSITION_OFFSET,
    STANDS_FOR,
    bert_fields,
    check_model,
    read_config,
    size_in,
)

Counterparts = Mapping[str, int | None]
"""For each piece of a vocabulary, in order: its row in the checkpoint's embeddings; None where there is no such row."""

NO_PART = "no part of a translation model"  # The outcome of a weight that a translation model does not use


@dataclass(frozen=True)
class Start:
    """The parameters that were transferred from an initial model, and the new parameters, which start at random.

    The other fields describe a start from a pretrained checkpoint. `outcomes` has the use of each weight, by its name
    in the checkpoint. `new_pieces` has the pieces that the checkpoint lacks, for each table of embeddings.
    `new_positions` has the first new row of each table of positions that is longer than the checkpoint's table.
    `stands_for` is the folder of the real checkpoint where a small random checkpoint replaces it.
    """

    transferred: list[str]
    new: list[str]
    outcomes: dict[str, str] = field(default_factory=dict)
    new_pieces: dict[str, list[str]] = field(default_factory=dict)
    new_positions: dict[str, int] = field(default_factory=dict)
    stands_for: str | None = None


@dataclass
class RenamedCheckpoint:
    """The weights of a checkpoint by the names of docmt's parameters."""

    where: str
    parameters: dict[str, Tensor] = field(default_factory=dict)
    """The weight for each parameter."""
    names: dict[str, str] = field(default_factory=dict)
    """The parameter for each name in the checkpoint; several weights may lie side by side in a parameter."""
    table: Tensor | None = None
    """The table of embeddings, which is tied in all supported checkpoints."""
    tied: list[str] = field(default_factory=list)
    """The names of the table of embeddings in the checkpoint."""
    left: dict[str, str] = field(default_factory=dict)
    """The reason why a weight became no parameter, by its name in the checkpoint."""


def start_from(
    model: Transformer, folder: Path | str, source: Counterparts | None, target: Counterparts | None
) -> Start:
    """Fill `model` from the checkpoint in `folder`, and return a record of the parameters that were transferred.

    `source` or `target` is None where the text of that side does not have the checkpoint's pieces; the embeddings of
    that side are then not transferred.

    Raises UserError where the checkpoint cannot be read, where the settings of the model do not fit it, where the
    checkpoint lacks a weight, and where it has a weight that docmt does not know.
    """
    check_model(model.config, folder)
    config = read_config(folder)
    kind = config["model_type"]
    family, model_parameters = FAMILIES[kind], parameter_shapes(model.config, model.source_size, model.target_size)
    with reading(folder, "weights of other shapes than a checkpoint's"):
        checkpoint = read_names(kind, folder, model_parameters)
    counterparts = {"source_embedding.weight": source, "target_embedding.weight": target, "output.weight": target}
    tables = {
        name: counterparts[name]
        for name in family.embeddings
        if name in model_parameters and counterparts[name] is not None
    }
    # Weights are checked before rows are gathered from the table, so that a missing table is reported by its name.
    check_complete(checkpoint, family, model_parameters)
    with reading(folder, "positions of another shape than a checkpoint's"):
        new_positions = lengthen_positions(checkpoint, family, model)
    for name, piece_rows in tables.items():
        with reading(folder, "embeddings of another shape than a checkpoint's"):
            checkpoint.parameters[name] = gather_rows(checkpoint.table, list(piece_rows.values()), checkpoint.where)
    transferred, new = transfer(model, checkpoint.parameters, checkpoint.where)
    new_pieces = {
        name: [piece for piece, row in piece_rows.items() if row is None] for name, piece_rows in tables.items()
    }
    weight_outcomes = outcomes_of(checkpoint, model, transferred, tables)
    return Start(transferred, new, weight_outcomes, new_pieces, new_positions, config.get(STANDS_FOR))


def check_aligner(folder: Path) -> None:
    """Raise UserError unless a BERT has the weights of an aligner, of the shapes that its config.json states.

    Raises UserError too for a weight that is none, and for a vocab.txt that does not fit.
    """
    file, where = folder / ALIGNER_WEIGHTS, str(folder / CONFIG)
    stated, family = {"type_vocab_size": 2, **read_object(folder / CONFIG)}, FAMILIES["bert"]
    size, types, positions = (
        size_in(stated, where, name) for name in ("vocab_size", "type_vocab_size", "max_position_embeddings")
    )
    # What is not among the sizes of its encoder does not matter here.
    others = {"decoder_layers": 1, "activation": "gelu", "embedding_norm": True, "position_table": "learned"}
    fields = {**bert_fields(stated, where), **others, "max_positions": positions}
    config = parse(TransformerConfig, fields, where)
    weights = {family.without_prefix(name): weight for name, weight in read_pickle(file).items()}
    check_room(weights, config, size, size, str(file))
    # Awesome-align itself would allocate any shapes, and align by weights of any numbers.
    shapes = {TOKEN_TYPES: (types, config.width)}
    for parameter, shape in parameter_shapes(config, size, size).items():
        if parameter.startswith(family.stacks):
            names = family.checkpoint_names(parameter)
            shapes |= dict.fromkeys(names, (shape[0] // len(names), *shape[1:]))
    for name, shape in shapes.items():
        actual = tuple(weights[name].shape) if name in weights else "nothing"
        if actual != tuple(shape):
            expected = f"{tuple(shape)}, as {CONFIG} says"
            raise UserError("checkpoint of another shape", where=f"{file} {name}", found=actual, expected=expected)
    check_pieces(folder / "vocab.txt", size)


def check_pieces(vocabulary: Path, size: int) -> None:
    """Raise UserError where the vocab.txt of a checkpoint with `size` embeddings has more pieces, or a piece twice."""
    pieces = read_text(vocabulary).removesuffix("\n").split("\n")
    check_once("piece", pieces, vocabulary, MEND)
    if len(pieces) > size:
        actual, expected = f"{len(pieces):,} pieces", f"at most {size:,}, as many as the checkpoint has embeddings"
        raise UserError("the vocabulary of another checkpoint", where=str(vocabulary), found=actual, expected=expected)


def read_names(kind: str, folder: Path | str, model_parameters: Collection[str]) -> RenamedCheckpoint:
    """Read a checkpoint, and give its weights the names in `model_parameters`, which are those of the Transformer.

    Raises UserError for a weight that has no place in the Transformer.
    """
    family, checkpoint = FAMILIES[kind], RenamedCheckpoint(str(folder))
    places, parts = family.places(model_parameters), defaultdict(dict)
    weights = {family.without_prefix(name): (name, weight) for name, weight in read_checkpoint(folder).items()}
    # Token types are handled last: they are added to the positions, which must have been read before.
    types = weights.pop(TOKEN_TYPES, None)
    for name_there, (name, weight) in weights.items():
        if name_there in family.tied:
            add_table(checkpoint, name, weight)
        elif name_there in places:
            parameter, place = places[name_there]
            checkpoint.names[name] = parameter
            parts[parameter][place] = weight[POSITION_OFFSET[kind] if parameter in family.positions else 0 :]
        elif family.unused.fullmatch(name_there):
            checkpoint.left[name] = NO_PART
        elif name_there == BIAS_OF_LOGITS and not weight.any():
            checkpoint.left[name] = f"{NO_PART}: all zero"
        else:
            raise unknown_weight(checkpoint, name)
    checkpoint.parameters |= family.side_by_side(parts)
    if types is not None:
        fold_token_type(checkpoint, *types)
    return checkpoint


def add_table(checkpoint: RenamedCheckpoint, name: str, weight: EmbeddingTable) -> None:
    """Record a table of embeddings under one of its names. Raises UserError where two tables of a checkpoint differ."""
    if checkpoint.table is not None and not torch.equal(checkpoint.table, weight):
        where = f"{checkpoint.where} {name}"
        raise UserError("embeddings that are not tied", where=where, expected=f"equal to {checkpoint.tied[0]}")
    checkpoint.table = weight
    checkpoint.tied.append(name)


def fold_token_type(checkpoint: RenamedCheckpoint, name: str, types: EmbeddingRows) -> None:
    """Add BERT's embedding of token type 0 to all positions; texts without a second text have this type.

    Raises UserError where the checkpoint has no positions.
    """
    positions = "source_embedding.position.weight"
    if positions not in checkpoint.parameters:
        raise unknown_weight(checkpoint, name)
    checkpoint.parameters[positions] = checkpoint.parameters[positions] + types[0]
    checkpoint.left[name] = f"row 0 folded into {positions}, the others {NO_PART}"


def gather_rows(table: EmbeddingTable, rows: list[int | None], where: str) -> EmbeddingRows:
    """Return a row of the table for each entry of `rows`; an entry None gets the mean of all rows of the table.

    Raises UserError for a row beyond the end of the table.
    """
    last = max((row for row in rows if row is not None), default=0)
    if last >= len(table):
        raise UserError(
            "the checkpoint has fewer embeddings than its tokenizer has pieces",
            where=where,
            found=f"{len(table)} rows, and a piece of number {last}",
        )
    # Row 0 is only a placeholder for entries None, which the line below it overwrites. The mean is computed in fp32,
    # since a sum of many rows would overflow or lose digits in 16 bits.
    gathered = table.index_select(0, torch.tensor([row or 0 for row in rows]))
    gathered[torch.tensor([row is None for row in rows])] = table.float().mean(dim=0).to(table.dtype)
    return gathered


@torch.no_grad()
def lengthen_positions(checkpoint: RenamedCheckpoint, family: CheckpointFamily, model: Transformer) -> dict[str, int]:
    """Extend short tables of positions by the model's initial rows; return the first new row of each extended table."""
    new = {}
    for name in family.positions:
        table, initial = checkpoint.parameters[name], model.get_parameter(name)
        if len(initial) > len(table):
            checkpoint.parameters[name] = torch.cat((table, initial[len(table) :].to(table.dtype)))
            new[name] = len(table)
    return new


def check_complete(checkpoint: RenamedCheckpoint, family: CheckpointFamily, model_parameters: Collection[str]) -> None:
    """Raise UserError where the checkpoint lacks a weight that the model needs."""
    tables = {"source_embedding.weight", "target_embedding.weight", "output.weight"}
    needed = {name for name in model_parameters if name.startswith(family.stacks)} - tables
    missing = [*(family.tied[:1] if checkpoint.table is None else ()), *sorted(needed - set(checkpoint.parameters))]
    if missing:
        absence = f"nothing for {', '.join(missing)}"
        raise UserError("the checkpoint lacks weights", where=checkpoint.where, found=absence)


def unknown_weight(checkpoint: RenamedCheckpoint, name: str) -> UserError:
    """Return the error for a weight of the checkpoint that has no place in a Transformer."""
    return UserError(
        "the checkpoint has a weight that docmt has no place for",
        where=checkpoint.where,
        found=name,
        expected="the weights of mBART, BART or BERT, of as many layers as config.json says, and no other",
    )


def outcomes_of(
    checkpoint: RenamedCheckpoint, model: Transformer, transferred: Iterable[str], tables: Iterable[str]
) -> dict[str, str]:
    """Return the use of each weight by its name: the parameters that start from it, or the reason why none does."""
    receivers: dict[str, list[str]] = {}
    for name in transferred:
        # As in `docmt.models.store.transfer`, a weight of the same name is preferred to `transfer_source`.
        receivers.setdefault(name if name in checkpoint.parameters else model.transfer_source(name), []).append(name)
    by_name = {
        name: ", ".join(receivers.get(parameter, [])) or f"not transferred: the model has no {parameter}"
        for name, parameter in checkpoint.names.items()
    }
    rows = f"rows of {', '.join(tables)}" if tables else "not transferred: no text has these pieces"
    return {**by_name, **dict.fromkeys(checkpoint.tied, rows), **checkpoint.left}
