"""Starts from pretrained checkpoints: mBART and BART give a whole model, BERT an encoder.

Paper: G-Transformer (Bao et al. 2021), section 5.2 and appendix C.1: parameters are copied from mBART25, those of its
    attention to the group attention; global attention and gates start anew. Of BERT the paper says no more than
    "G-Transformer+BERT"; our reading: the encoder starts from it, the decoder anew.

The weights get the names of the Transformer (`docmt.models.families`); then each architecture takes what its
`transfer_source` names, as from any other initial model.

| checkpoint | here |
| --- | --- |
| shared embeddings, lm_head | a row for each of our pieces, in source and target embedding and in the output |
| embed_positions | `source_embedding.position`, `target_embedding.position`, without the first two rows |
| layernorm_embedding | `source_embedding.norm`, `target_embedding.norm` |
| BERT's embeddings of positions and token types | `source_embedding.position`: their sum, of type 0 |

A model may have more positions than the checkpoint: those beyond its end start anew. (BERT has 512, and a translation
may be longer than its source.)

Departs: mBART's language codes are in no frame of ours (`docmt.nn.frames`), so their embeddings are not taken. Pieces
that the checkpoint lacks (`<sep>`, `<cls>`) start as the mean of all its rows.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import torch

from docmt.base.errors import UserError
from docmt.base.foreign import reading as reading_of
from docmt.models.families import BIAS_OF_LOGITS, FAMILIES, TOKEN_TYPES, CheckpointFamily
from docmt.models.store import read_checkpoint, transfer
from docmt.models.transformer import Transformer, parameter_shapes
from docmt.nn.shapes import EmbeddingRows, EmbeddingTable, Tensor
from docmt.settings.pretrained import POSITION_OFFSET, STANDS_FOR, check_model, read_config

Counterparts = Mapping[str, int | None]
"""The pieces of our vocabulary in order, and the row that the checkpoint's table of embeddings has for each."""

NO_PART = "no part of a translation model"


@dataclass(frozen=True)
class Start:
    """The parameters that a model took and those that start anew.

    Of a pretrained checkpoint also `fates`: what each of its weights became, by its name there; `new_pieces`: in each
    table of embeddings those that the checkpoint lacks; `new_positions`: the first new row of a table of positions
    that is longer than the checkpoint's; `stands_for`: the folder of the real checkpoint, where this is a small random
    one that stands for it.
    """

    transferred: list[str]
    new: list[str]
    fates: dict[str, str] = field(default_factory=dict)
    new_pieces: dict[str, list[str]] = field(default_factory=dict)
    new_positions: dict[str, int] = field(default_factory=dict)
    stands_for: str | None = None


@dataclass
class RenamedCheckpoint:
    """A checkpoint under our names."""

    where: str
    parameters: dict[str, Tensor] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    """What each parameter is called in the checkpoint."""
    table: Tensor | None = None
    tied: list[str] = field(default_factory=list)
    """What the table of embeddings is called there."""
    left: dict[str, str] = field(default_factory=dict)
    """Why others became no parameter."""


def start_from(
    model: Transformer, folder: Path | str, source: Counterparts | None, target: Counterparts | None
) -> Start:
    """Fill `model` from the checkpoint in `folder`; None = the pieces of that side are not the checkpoint's.

    Raises: UserError where the checkpoint cannot be read, the model is not like it, it lacks a weight, or it has one
        that is not known here.
    """
    check_model(model.config, folder)
    config = read_config(folder)
    kind = config["model_type"]
    family, own = FAMILIES[kind], parameter_shapes(model.config, model.source_size, model.target_size)
    with reading_of(folder, "weights of other shapes than a checkpoint's"):
        reading = read_names(kind, folder, own)
    counterparts = {"source_embedding.weight": source, "target_embedding.weight": target, "output.weight": target}
    tables = {name: counterparts[name] for name in family.embeddings if name in own and counterparts[name] is not None}
    check_complete(reading, family, own)
    with reading_of(folder, "positions of another shape than a checkpoint's"):
        new_positions = lengthen_positions(reading, family, model)
    for name, rows in tables.items():
        with reading_of(folder, "embeddings of another shape than a checkpoint's"):
            reading.parameters[name] = gather_rows(reading.table, list(rows.values()), reading.where)
    taken, new = transfer(model, reading.parameters, reading.where)
    new_pieces = {name: [piece for piece, row in rows.items() if row is None] for name, rows in tables.items()}
    became = fates(reading, model, taken, tables)
    return Start(taken, new, became, new_pieces, new_positions, config.get(STANDS_FOR))


def read_names(kind: str, folder: Path | str, own: Collection[str]) -> RenamedCheckpoint:
    """`own`: the parameters of the Transformer. Raises: UserError for a weight that has no place in it."""
    family, reading = FAMILIES[kind], RenamedCheckpoint(str(folder))
    parameters = {family.named(parameter): parameter for parameter in own}
    weights = {family.short(name): (name, weight) for name, weight in read_checkpoint(folder).items()}
    types = weights.pop(TOKEN_TYPES, None)
    for short, (name, weight) in weights.items():
        if short in family.tied:
            add_table(reading, name, weight)
        elif (parameter := parameters.get(short)) is not None:
            reading.names[parameter] = name
            reading.parameters[parameter] = weight[POSITION_OFFSET[kind] if parameter in family.positions else 0 :]
        elif family.unused.fullmatch(short):
            reading.left[name] = NO_PART
        elif short == BIAS_OF_LOGITS and not weight.any():
            reading.left[name] = f"{NO_PART}: all zero"
        else:
            raise unknown_weight(reading, name)
    if types is not None:
        fold_token_type(reading, *types)
    return reading


def add_table(reading: RenamedCheckpoint, name: str, weight: EmbeddingTable) -> None:
    """Raises: UserError where the table differs from that of another name."""
    if reading.table is not None and not torch.equal(reading.table, weight):
        where = f"{reading.where} {name}"
        raise UserError("embeddings that are not tied", where=where, expected=f"equal to {reading.tied[0]}")
    reading.table = weight
    reading.tied.append(name)


def fold_token_type(reading: RenamedCheckpoint, name: str, types: EmbeddingRows) -> None:
    """A text that stands alone is of type 0, at each of its positions."""
    positions = "source_embedding.position.weight"
    if positions not in reading.parameters:
        raise unknown_weight(reading, name)
    reading.parameters[positions] = reading.parameters[positions] + types[0]
    reading.left[name] = f"row 0 folded into {positions}, the others {NO_PART}"


def gather_rows(table: EmbeddingTable, rows: list[int | None], where: str) -> EmbeddingRows:
    """The rows of our pieces; the mean of all for a piece that has none. Raises: UserError for a row beyond them."""
    last = max((row for row in rows if row is not None), default=0)
    if last >= len(table):
        raise UserError(
            "the checkpoint has fewer embeddings than its tokenizer has pieces",
            where=where,
            found=f"{len(table)} rows, and a piece of number {last}",
        )
    gathered = table.index_select(0, torch.tensor([row or 0 for row in rows]))
    gathered[torch.tensor([row is None for row in rows])] = table.float().mean(dim=0).to(table.dtype)
    return gathered


@torch.no_grad()
def lengthen_positions(reading: RenamedCheckpoint, family: CheckpointFamily, model: Transformer) -> dict[str, int]:
    """Put the model's own start beyond the checkpoint's end; give the first new row of each table that was longer."""
    new = {}
    for name in family.positions:
        table, fresh = reading.parameters[name], model.get_parameter(name)
        if len(fresh) > len(table):
            reading.parameters[name] = torch.cat((table, fresh[len(table) :].to(table.dtype)))
            new[name] = len(table)
    return new


def check_complete(reading: RenamedCheckpoint, family: CheckpointFamily, own: Collection[str]) -> None:
    """Raises: UserError for a weight that the checkpoint lacks."""
    tables = {"source_embedding.weight", "target_embedding.weight", "output.weight"}
    needed = {name for name in own if name.startswith(family.stacks)} - tables
    missing = [*(family.tied[:1] if reading.table is None else ()), *sorted(needed - set(reading.parameters))]
    if missing:
        found = f"nothing for {', '.join(missing)}"
        raise UserError("the checkpoint lacks weights", where=reading.where, found=found)


def unknown_weight(reading: RenamedCheckpoint, name: str) -> UserError:
    return UserError(
        "a weight of the checkpoint that docmt has no place for",
        where=reading.where,
        found=name,
        expected="the weights of mBART, BART or BERT, of as many layers as config.json says, and no other",
    )


def fates(
    reading: RenamedCheckpoint, model: Transformer, taken: Iterable[str], tables: Iterable[str]
) -> dict[str, str]:
    """Of each weight by its name: the parameters that took it, or why none did."""
    takers: dict[str, list[str]] = {}
    for name in taken:
        takers.setdefault(name if name in reading.parameters else model.transfer_source(name), []).append(name)
    took = {
        name: ", ".join(takers.get(parameter, [])) or f"not taken: the model has no {parameter}"
        for parameter, name in reading.names.items()
    }
    rows = f"rows of {', '.join(tables)}" if tables else "not taken: no text has these pieces"
    return {**took, **dict.fromkeys(reading.tied, rows), **reading.left}
