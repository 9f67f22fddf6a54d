"""The check that no segment of a table is longer than a model's learned table of positions.

A view does not know the models that read it, and several models may share one view. So a job that starts with a view
checks all of its segments against its own model before it computes anything.
"""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa

from docmt.base.errors import UserError
from docmt.base.runs import starts, sums
from docmt.nn.frames import FRAMES, NOTHING, ends
from docmt.nn.rows import Rows
from docmt.settings.models import TransformerConfig


def check_positions(
    path: Path, table: pa.Table, config: TransformerConfig, sides: Iterable[str] = ("source", "target")
) -> None:
    """Raise UserError for the longest segment, or sentence, that needs more positions than the model has.

    `table` has the segments in the file `path`. Only a learned table of positions has a limit. Where `positions` is
    `restarting`, each sentence has positions of its own. The symbols of the frame count.
    """
    if config.position_table != "learned":
        return
    rows = Rows.from_table(table)
    for side in sides:
        lengths = framed_lengths(rows, config, side)
        runs = sums(lengths, rows.sentences) if config.positions == "running" else lengths
        if runs.max(initial=0) > config.max_positions:
            raise _too_long(path, table, rows, config, side, runs)


def framed_lengths(rows: Rows, config: TransformerConfig, side: str) -> np.ndarray:
    """Return the number of tokens of each sentence of a side, with the symbols of the model's frame.

    The target side is the decoder's input.
    """
    marks = FRAMES[config.frame]
    before, after = (
        (marks.source_before, marks.source_after) if side == "source" else (marks.input_before, marks.input_after)
    )
    first, last = ends(rows.sentences)
    symbols = (before.at(first) != NOTHING).astype(np.int64) + (after.at(last) != NOTHING)
    return getattr(rows, f"{side}_lengths") + symbols


def _too_long(
    path: Path, table: pa.Table, rows: Rows, config: TransformerConfig, side: str, runs: np.ndarray
) -> UserError:
    """Return the error for the longest of `runs`, the lengths of segments or of sentences."""
    longest, opens = int(runs.argmax()), starts(rows.sentences)
    if config.positions == "running":
        segment, sentences = longest, range(int(rows.sentences[longest]))
    else:
        segment = int(np.searchsorted(opens, longest, side="right")) - 1
        sentences = range(longest - int(opens[segment]), longest - int(opens[segment]) + 1)
    return UserError(
        f"a segment is longer than the model's table of positions, which has {config.max_positions} rows",
        where=f"{path}: {_place(table.slice(segment, 1).to_pylist()[0], sentences)}",
        found=f"{runs[longest]} {side} tokens, with the symbols of the frame {config.frame}",
        expected=f"at most model.max_positions = {config.max_positions}",
        remedy="cut documents smaller (view: max_tokens), split the sentence where it is a single one, or raise "
        "model.max_positions (positions that a checkpoint lacks start at random)",
    )


def _place(row: dict, sentences: range) -> str:
    """Return the place of sentences of a segment: its document and their numbers, or its contrastive item."""
    if "document" not in row:
        return f"set {row['set']}, item {row['item']}, variant {row['variant']}"
    first, last = row["first"] + sentences[0], row["first"] + sentences[-1]
    numbers = f"sentence {first}" if first == last else f"sentences {first} to {last}"
    return f"document {row['document']!r}, {numbers} (the first is 0)"
