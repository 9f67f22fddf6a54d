"""Segments that are longer than a learned table of positions: each is named before anything is computed."""

from pathlib import Path

import pyarrow as pa
import pytest

from docmt.base.columns import CONTRASTIVE_SEGMENTS, SEGMENTS
from docmt.base.errors import UserError
from docmt.nn.frames import FRAMES, frame_batch
from docmt.nn.positions import SIDES, check_positions
from docmt.nn.rows import Rows
from docmt.settings.models import Frame, PositionTable

PATH = Path("train.arrow")
SHORT = PositionTable("wrapped", "running", 4)
SOURCE = [[[7, 8], [9]], [[7], [8, 9, 7, 8], [9]], [[7]]]
TARGET = [[[7], [9, 8, 7]], [[7, 8], [8, 9], []], [[]]]


def table(schema=SEGMENTS, **more) -> pa.Table:
    """Two segments of a document and one of another."""
    columns = {"document": ["a", "a", "b"], "first": [0, 2, 0], **more}
    for side, segments in (("source", SOURCE), ("target", TARGET)):
        columns[f"{side}_ids"] = [[piece for sentence in segment for piece in sentence] for segment in segments]
        columns[f"{side}_lengths"] = [[len(sentence) for sentence in segment] for segment in segments]
    return pa.table({name: columns[name] for name in schema.names}, schema)


def longest(frame: Frame, positions: str) -> dict[str, int]:
    """The positions that a batch of these segments needs on each side."""
    batch = frame_batch(Rows.from_lists(SOURCE, TARGET), frame)
    streams = {"source": batch.source, "target": batch.target_in}
    running = positions == "running"
    return {side: (stream.instances if running else stream.sentences).longest for side, stream in streams.items()}


def refused(segments: pa.Table, *tables: PositionTable, sides=SIDES) -> UserError:
    with pytest.raises(UserError, match="longer than the model's table of positions") as error:
        check_positions(PATH, segments, tables, sides)
    return error.value


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("positions", ["running", "restarting"])
@pytest.mark.parametrize("frame", FRAMES)
def test_a_batch_of_the_segments_needs_as_many_positions_as_are_checked(frame, positions, side):
    needed = longest(frame, positions)[side]
    check_positions(PATH, table(), [PositionTable(frame, positions, needed)], [side])
    error = refused(table(), PositionTable(frame, positions, needed - 1), sides=[side])
    assert error.found == f"{needed} {side} tokens, with the symbols of the frame {frame}"


@pytest.mark.parametrize(
    ("positions", "place", "tokens"), [("running", "sentences 2 to 4", 12), ("restarting", "sentence 3", 6)]
)
def test_the_message_names_document_sentences_and_limit(positions, place, tokens):
    error = refused(table(), PositionTable("wrapped", positions, 4))
    assert error.where == f"train.arrow: document 'a', {place} (the first is 0)"
    assert error.found == f"{tokens} source tokens, with the symbols of the frame wrapped"
    assert error.expected == "at most model.max_positions = 4"
    assert "cut documents smaller" in error.remedy


def test_a_contrastive_variant_is_named_by_its_item():
    variants = {"set": ["deixis"] * 3, "item": [0, 0, 1], "variant": [0, 1, 0], "distance": [0] * 3}
    segments = table(CONTRASTIVE_SEGMENTS, correct=[True, False, True], **variants)
    assert refused(segments, SHORT).where == "train.arrow: set deixis, item 0, variant 1"


def test_a_segment_that_one_model_can_read_is_not_refused():
    """Where several models share a view, the largest table is named if none is large enough."""
    for tables in ((), (None,), (SHORT, None), (SHORT, PositionTable("wrapped", "running", 12))):
        check_positions(PATH, table(), tables)
    assert refused(table(), SHORT, PositionTable("wrapped", "running", 11)).expected.endswith("= 11")
