"""The check that no segment is longer than a learned table of positions.

Models that read the same view may have different tables, or none. Stage 3 refuses a segment that none of them can
read. Training and decoding check all segments of their view against their own model before they compute anything.
"""

from collections.abc import Collection, Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa

from docmt.base.errors import UserError
from docmt.base.ragged import starts, sums
from docmt.nn.frames import FRAMES, NOTHING, ends
from docmt.nn.rows import Rows
from docmt.settings.models import Frame, PositionTable

SIDES = ("source", "target")


def check_positions(
    path: Path, segments: pa.Table, tables: Collection[PositionTable | None], sides: Iterable[str] = SIDES
) -> None:
    """Raise UserError where every table of positions, one of each model, is too short for a segment.

    `segments` is a table of segments in the file `path`; None stands for a model whose positions have no limit.
    """
    if not tables or None in tables:
        return
    rows, sides = Rows.from_table(segments), tuple(sides)
    longest = {table: _too_long(rows, table, sides) for table in tables}
    if all(longest.values()):
        table = max(tables, key=lambda table: table.rows)
        raise _error(path, segments, rows, table, *longest[table])


def framed_lengths(rows: Rows, frame: Frame, side: str) -> np.ndarray:
    """Return the number of tokens of each sentence of a side, with the symbols of the frame.

    The target side is the decoder's input.
    """
    marks = FRAMES[frame]
    before, after = (
        (marks.source_before, marks.source_after) if side == "source" else (marks.input_before, marks.input_after)
    )
    first, last = ends(rows.sentences)
    symbols = (before.at(first) != NOTHING).astype(np.int64) + (after.at(last) != NOTHING)
    return getattr(rows, f"{side}_lengths").flat() + symbols


def _too_long(rows: Rows, table: PositionTable, sides: Iterable[str]) -> tuple[str, int, int] | None:
    """Return the side, the number and the length of the longest run that a table is too short for; None for none.

    A run is a segment or, where positions restart in each sentence, a sentence.
    """
    for side in sides:
        lengths = framed_lengths(rows, table.frame, side)
        runs = sums(lengths, rows.sentences) if table.positions == "running" else lengths
        if runs.max(initial=0) > table.rows:
            return side, int(runs.argmax()), int(runs.max())
    return None


def _error(
    path: Path, segments: pa.Table, rows: Rows, table: PositionTable, side: str, run: int, length: int
) -> UserError:
    if table.positions == "running":
        segment, sentences = run, range(int(rows.sentences[run]))
    else:
        opens = starts(rows.sentences)
        segment = int(np.searchsorted(opens, run, side="right")) - 1
        sentences = range(run - int(opens[segment]), run - int(opens[segment]) + 1)
    return UserError(
        "a segment is longer than the model's table of positions",
        where=f"{path}: {_place(segments.slice(segment, 1).to_pylist()[0], sentences)}",
        found=f"{length} {side} tokens, with the symbols of the frame {table.frame}",
        expected=f"at most model.max_positions = {table.rows}",
        remedy="cut documents smaller (view: max_tokens), split the sentence where it is a single one, or raise "
        "model.max_positions (positions that a checkpoint lacks start at random)",
    )


def _place(row: dict, sentences: range) -> str:
    if "document" not in row:
        return f"set {row['set']}, item {row['item']}, variant {row['variant']}"
    first, last = row["first"] + sentences[0], row["first"] + sentences[-1]
    numbers = f"sentence {first}" if first == last else f"sentences {first} to {last}"
    return f"document {row['document']!r}, {numbers} (the first is 0)"
