"""The selection of training data: documents that are too short, and segments that are not drawn, are left out."""

import json
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from helpers.small_tokens import SENTENCES, built, token_rows
from hypothesis import given
from hypothesis import strategies as st

from docmt.base.columns import SEGMENTS, TOKENS
from docmt.base.errors import UserError
from docmt.base.names import SPLITS
from docmt.base.tables import ArrowFile, arrow_writer, read_arrow
from docmt.base.workers import ALONE, Workers
from docmt.settings.data import CutConfig, ViewConfig
from docmt.views.build import CutSplit, ViewsSettings, build_view, draw, ranks
from docmt.views.segments import sentences_of

SAMPLED = [
    {"window": 1},
    {"window": 3, "openings": True},
    {"window": 3, "partial_copy": 0.5},
    {"max_tokens": 30},
    {"max_sentences": 2, "min_document_sentences": 2},
]


def view_of(folder: Path, **train) -> tuple[list[dict], dict]:
    """The training segments and the card of a view of the small corpus, whose dev and test are sentences."""
    view = built(folder, CutConfig(**train), CutConfig(window=1))
    splits = json.loads((view / "card.json").read_text())["splits"]
    return read_arrow(view / "train.arrow", SEGMENTS).to_pylist(), splits


def source_pieces(document: str) -> int:
    return sum(len(row["source_ids"]) for row in token_rows() if row["document"] == document)


@pytest.mark.parametrize(
    "least", [{"min_document_tokens": source_pieces("train0")}, {"min_document_sentences": SENTENCES["train"][0]}]
)
def test_short_documents_are_left_out_of_training_alone(tmp_path, least):
    assert source_pieces("train3") > source_pieces("train0") > source_pieces("train1")
    rows, card = view_of(tmp_path / "long", window=2, **least)
    every, _ = view_of(tmp_path / "all", window=2)
    assert rows == [row for row in every if row["document"] in ("train0", "train3")]
    assert (card["train"]["documents"], card["train"]["sentences"]) == (2, 7 + 12)
    assert card["train"]["left_out"] == {"documents": 2, "sentences": 2 + 1, "segments": 0}
    for split in ("dev", "test"):
        files = [tmp_path / name / "view" / f"{split}.arrow" for name in ("long", "all")]
        assert files[0].read_bytes() == files[1].read_bytes()
        assert set(card[split]["left_out"].values()) == {0}


@pytest.mark.parametrize("cut", SAMPLED, ids=lambda cut: CutConfig(**cut).name)
def test_a_draw_keeps_so_many_segments_and_holds_every_smaller_one(tmp_path, cut):
    every, card = view_of(tmp_path / "all", **cut)
    smaller: list[dict] = []
    for size in (1, 2, len(every) // 2, len(every)):
        drawn, counted = view_of(tmp_path / str(size), **cut, sample=size)
        assert len(drawn) == size
        rest = iter(every)
        assert all(row in rest for row in drawn), "as they are without the draw, in that order"
        assert all(row in drawn for row in smaller)
        left_out = card["train"]["left_out"] | {"segments": len(every) - size}
        assert (counted["train"]["segments"], counted["train"]["left_out"]) == (size, left_out)
        smaller = drawn
    assert drawn == every


def write_shards(folder: Path) -> Path:
    """The small corpus with a document a shard."""
    rows = token_rows()
    opens = [number for number, row in enumerate(rows) if row["sentence"] == 0]
    with arrow_writer(folder / "tokens.arrow", TOKENS) as writer:
        for start, end in pairwise([*opens, len(rows)]):
            writer.write_table(pa.Table.from_pylist(rows[start:end], TOKENS))
    return folder


def sampled_view(tokens: Path, output: Path, cut: dict, workers: Workers = ALONE) -> Path:
    settings = ViewsSettings(1, ViewConfig(CutConfig(**cut, sample=3), CutConfig(window=1)))
    build_view(settings, tokens, output, workers)
    return output


@pytest.mark.parametrize("cut", SAMPLED, ids=lambda cut: CutConfig(**cut).name)
def test_any_shards_draw_the_same(tmp_path, cut):
    whole, _ = view_of(tmp_path / "whole", **cut, sample=3)
    view = sampled_view(write_shards(tmp_path / "tokens"), tmp_path / "view", cut)
    shards = ArrowFile(view / "train.arrow", SEGMENTS)
    # A shard of which nothing is left is there all the same: chains are found shard by shard.
    assert len(shards) == len(SENTENCES["train"])
    assert pa.concat_tables(shards).to_pylist() == whole


@pytest.mark.slow
def test_several_processes_draw_the_same(tmp_path):
    tokens = write_shards(tmp_path / "tokens")
    first, second = (sampled_view(tokens, tmp_path / str(n), SAMPLED[3], Workers(n)) for n in (1, 2))
    for name in ("card.json", *(f"{split}.arrow" for split in SPLITS)):
        assert (first / name).read_bytes() == (second / name).read_bytes()


@given(st.lists(st.lists(st.integers(0, 9), max_size=6), max_size=6), st.integers(1, 12))
def test_the_lowest_ranks_are_drawn_and_of_equal_ones_the_earlier(shards, size):
    every = [rank for shard in shards for rank in shard]
    arrays = [np.array(shard, np.uint64) for shard in shards]
    if len(every) < size:
        with pytest.raises(UserError):
            draw(size, arrays, "train")
        return
    lowest = sorted(range(len(every)), key=lambda place: (every[place], place))[:size]
    begins = accumulate(map(len, shards), initial=0)
    drawn = [rows + begin for rows, begin in zip(draw(size, arrays, "train"), begins, strict=False)]
    assert np.concatenate(drawn).tolist() == sorted(lowest)


@pytest.mark.parametrize("cut", SAMPLED, ids=lambda cut: CutConfig(**cut).name)
def test_ranks_are_all_different_and_follow_from_nothing_but_the_segment(cut):
    rows = [row for row in token_rows() if row["split"] == "train"]
    shard_ranks = []
    for documents in (rows, [row for row in rows if row["document"] != "train0"]):
        split = CutSplit.of(sentences_of(pa.Table.from_pylist(documents, TOKENS), "train"), CutConfig(**cut))
        shard_ranks.append(ranks(split.filled, split.cuts).tolist())
    assert len(set(shard_ranks[0])) == len(shard_ranks[0])
    assert shard_ranks[0][-len(shard_ranks[1]) :] == shard_ranks[1]


@pytest.mark.parametrize(
    ("cut", "message"),
    [
        (
            {"max_sentences": 4, "sample": 8},
            r"tokens\.arrow: train: fewer training segments than are to be drawn\n  found 7 segments; expected 8",
        ),
        (
            {"max_tokens": 30, "min_document_tokens": 999},
            r"train: every training document is too short\n  found 4 documents; expected .* tokens30.min999 keeps",
        ),
    ],
)
def test_a_view_without_enough_to_train_on_is_refused(tmp_path, cut, message):
    with pytest.raises(UserError, match=message):
        view_of(tmp_path, **cut)
    assert not list((tmp_path / "view").glob("*")), "nothing half made"
