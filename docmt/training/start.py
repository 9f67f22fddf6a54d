"""The start of a training: random weights, a trained model or a pretrained checkpoint, and frozen parameters."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from torch import nn

from docmt.base.errors import UserError, nearest
from docmt.base.vocabulary import Vocabulary
from docmt.models.pretrained import Counterparts, Start, start_from
from docmt.models.store import init_from
from docmt.models.transformer import Transformer
from docmt.settings.pretrained import ROWS, read_rows

SIDES = ("source", "target")
LISTED = 5
"""Number of items of a list that a message names."""


def fill(model: Transformer, text: Path, initial: Path | None, pretrained: Path | None) -> Start:
    """Give a new model the weights that training starts from; return its transferred and its new parameters.

    They are those of the model folder `initial`, or of the checkpoint in the folder `pretrained`; where both are None,
    the model keeps its random weights. Raises UserError where the weights do not fit.
    """
    if pretrained:
        return start_from(model, pretrained, *(counterparts(text, side) for side in SIDES))
    if initial:
        return Start(*init_from(model, initial))
    return Start([], [name for name, _ in model.named_parameters()])


def counterparts(text: Path, side: str) -> Counterparts | None:
    """Return, for each piece of a side, its row in the embeddings of the checkpoint.

    The result is None where the pieces were learnt from a corpus instead of taken from the checkpoint.

    Raises UserError where the list of rows and the vocabulary differ in length.
    """
    path = text / ROWS.format(side=side)
    if not path.is_file():
        return None
    pieces, rows = Vocabulary.load(text / f"vocabulary.{side}.txt").pieces, read_rows(path)
    if len(pieces) != len(rows):
        lengths, expected = f"{len(rows)} numbers", f"{len(pieces)}, one for each piece"
        raise UserError(
            "the list of numbers belongs to another vocabulary", where=str(path), found=lengths, expected=expected
        )
    return dict(zip(pieces, rows, strict=True))


def transfer_summary(start: Start) -> list[str]:
    """Return lines for the log: which parameters are transferred, and which are new.

    For a pretrained checkpoint, the lines also say which of its weights were not simply copied, and which pieces and
    positions of the model are new. A model without transferred parameters has no lines.
    """
    if not start.transferred:
        return []
    transferred = set(start.transferred)
    outcomes = start.outcomes.items()
    others = [f"{name} ({outcome})" for name, outcome in outcomes if not transferred.issuperset(outcome.split(", "))]
    rows = [f"{name}: {first_of(pieces, ' ')}" for name, pieces in start.new_pieces.items()]
    positions = [f"{name} from {first} on" for name, first in start.new_positions.items()]
    warning = f"a small random checkpoint, which stands for {start.stands_for}: its numbers say nothing about quality"
    return [
        *([warning] if start.stands_for else []),
        f"transferred from the initial model: {by_part(start.transferred)}; new: {by_part(start.new)}; "
        "all names: record.json",
        *([f"weights of the checkpoint that were not simply copied: {first_of(others)}"] if others else []),
        *([f"pieces that start as the mean of all: {'; '.join(rows)}"] if rows else []),
        *([f"new positions: {', '.join(positions)}"] if positions else []),
    ]


def by_part(names: Sequence[str]) -> str:
    """Return the number of parameters, in total and by part of the model: `14 parameters (encoder 6, decoder 8)`."""
    parts = Counter(name.partition(".")[0] for name in names)
    counts = ", ".join(f"{part} {count}" for part, count in parts.items())
    return f"{len(names)} parameters ({counts})" if names else "none"


def first_of(things: Sequence[str], between: str = ", ") -> str:
    """Return the first `LISTED` items as text and, where there are more items, the number of all items."""
    more = f" ... ({len(things)} in all)" if len(things) > LISTED else ""
    return between.join(things[:LISTED]) + more


def transfer_record(start: Start) -> dict[str, Any]:
    """Return the fields of record.json about the start of training.

    The fields are the numbers of transferred and of new parameters and, where any were transferred, their names. For a
    pretrained checkpoint, the field `weights` also has the parameters that each weight was copied to.
    """
    fields = {"weights" if name == "outcomes" else name: value for name, value in asdict(start).items()}
    return {
        "transferred": len(start.transferred),
        "new": len(start.new),
        "start": fields if start.transferred else None,
    }


def freeze(model: nn.Module, frozen: Sequence[str], start: Start) -> list[str]:
    """Freeze the parameters that `train.frozen` names, and return the names of these parameters.

    A frozen parameter gets no gradient, and the optimiser has no state for it. The names `transferred` and `new` mean
    the parameters that `start` lists. Any other name is the dotted name of a part of the model, such as `encoder`,
    `decoder.0` or `source_embedding.weight`. Tied weights are one parameter, which has the first of their names.

    Raises UserError for a name that no parameter has, and where no parameter is left to train.
    """
    parameters = dict(model.named_parameters())
    chosen = {name for part in frozen for name in _members(part, list(parameters), start)}
    if len(chosen) == len(parameters):
        raise UserError("no parameter is left to train", where="train.frozen", found=", ".join(frozen))
    for name in chosen:
        parameters[name].requires_grad_(False)
    return [name for name in parameters if name in chosen]


def _members(part: str, names: list[str], start: Start) -> Sequence[str]:
    by_start = {"transferred": start.transferred, "new": start.new}
    members = by_start.get(part, [name for name in names if f"{name}.".startswith(f"{part}.")])
    if not members:
        like_it = {".".join(name.split(".")[: part.count(".") + 1]) for name in names}
        remedy = "every parameter was transferred" if part in by_start else nearest(part, like_it)
        raise UserError("no parameter has this name", where="train.frozen", found=part, remedy=remedy)
    return members
