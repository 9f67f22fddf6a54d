"""The stage from tokens to segments: what its tables hold, its card, its messages."""

import json
import sys
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest
from helpers.recipes import write_recipe
from helpers.sealed import outputs_of
from helpers.small_tokens import built, sentences_in, token_rows, write_tokens

from docmt.base.columns import CONTRASTIVE_SEGMENTS, SEGMENTS, TOKENS
from docmt.base.errors import UserError
from docmt.base.names import SPLITS
from docmt.base.tables import ArrowFile, arrow_writer, read_arrow
from docmt.base.workers import Workers
from docmt.cli.main import main
from docmt.settings.data import CutConfig, ViewConfig
from docmt.views.build import ViewsSettings, build_view

CUTS = [
    CutConfig(window=1),
    CutConfig(window=3),
    CutConfig(max_tokens=30),
    CutConfig(max_sentences=4),
    CutConfig(documents=True),
]


ITEM = {
    "set": "verb",
    "item": 4,
    "distance": 2,
    "source_ids": [[10, 11], [12], [13, 14, 15], [16]],
    "target_context_ids": [[20], [21, 22], [23, 24]],
    "variant_ids": [[30], [31, 32, 33, 34], [35, 36]],
    "correct": 2,
}


@pytest.mark.parametrize("cut", CUTS, ids=lambda cut: cut.name)
def test_segments_hold_the_sentences_that_they_name(tmp_path, cut):
    view = built(tmp_path, cut)
    for split in SPLITS:
        ids = {(row["document"], row["sentence"]): row for row in token_rows() if row["split"] == split}
        seen = []
        for row in read_arrow(view / f"{split}.arrow", SEGMENTS).to_pylist():
            for side in ("source", "target"):
                sentences = sentences_in(row, side)
                names = [(row["document"], row["first"] + n) for n in range(len(sentences))]
                assert sentences == [ids[name][f"{side}_ids"] for name in names]
            seen += names
        assert list(dict.fromkeys(seen)) == list(ids)


def test_training_and_test_may_be_cut_in_different_ways(tmp_path):
    view = built(tmp_path, CutConfig(max_sentences=4), CutConfig(window=2))
    sizes = {
        split: [len(row["source_lengths"]) for row in read_arrow(view / f"{split}.arrow", SEGMENTS).to_pylist()]
        for split in SPLITS
    }
    assert sizes == {"train": [4, 3, 2, 1, 4, 4, 4], "dev": [2, 2], "test": [2, 2, 2, 2, 1]}
    assert json.loads((view / "card.json").read_text())["view"] == "sentences4+window2"


@pytest.mark.parametrize("cut", CUTS, ids=lambda cut: cut.name)
def test_the_card_counts_what_was_made(tmp_path, cut):
    view = built(tmp_path, cut)
    card = json.loads((view / "card.json").read_text())["splits"]["train"]
    rows = read_arrow(view / "train.arrow", SEGMENTS).to_pylist()
    assert card["documents"] == 4
    assert card["sentences"] == 22
    assert card["segments"] == len(rows)
    assert card["sentences_in_segments"] == sum(len(row["target_lengths"]) for row in rows)
    assert card["target"]["pieces"] == sum(len(row["target_ids"]) for row in rows)
    assert card["source"]["longest"] == max(len(row["source_ids"]) for row in rows)
    assert (card["over_long_sentences"] is None) == (cut.max_tokens is None)


@pytest.mark.parametrize(
    ("cut", "visible"),
    [
        (CutConfig(window=1), 1),
        (CutConfig(window=3), 3),
        (CutConfig(max_sentences=2), 2),
        (CutConfig(documents=True), 4),
        # From the last, whose longest variant has four pieces: 6 + 5 + 4 + 4.
        (CutConfig(max_tokens=11), 1),
        (CutConfig(max_tokens=12), 2),
        (CutConfig(max_tokens=20), 4),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_all_variants_see_the_context_that_fits_beside_the_longest(tmp_path, cut, visible):
    view = built(tmp_path, CutConfig(window=1), cut, items=[ITEM])
    rows = read_arrow(view / "contrastive.arrow", CONTRASTIVE_SEGMENTS).to_pylist()
    assert [(row["set"], row["item"], row["distance"], row["variant"], row["correct"]) for row in rows] == [
        ("verb", 4, 2, 0, False),
        ("verb", 4, 2, 1, False),
        ("verb", 4, 2, 2, True),
    ]
    for row, variant in zip(rows, ITEM["variant_ids"], strict=True):
        assert sentences_in(row, "source") == ITEM["source_ids"][-visible:]
        assert sentences_in(row, "target") == [*ITEM["target_context_ids"], variant][-visible:]


@pytest.mark.parametrize(
    "order",
    [
        lambda rows: rows[1:],
        lambda rows: [rows[0], rows[2], rows[1], *rows[3:]],
        lambda rows: [rows[0], rows[1] | {"document": "other"}, *rows[2:]],
    ],
    ids=["first missing", "swapped", "mixed documents"],
)
def test_sentences_out_of_order_are_refused(tmp_path, order):
    with pytest.raises(UserError, match=r"tokens\.arrow: train: sentences of a document are out of order"):
        built(tmp_path, CUTS[0], rows=order(token_rows()))


@pytest.mark.parametrize("cut", [CUTS[1], CUTS[2]], ids=lambda cut: cut.name)
def test_shards_and_workers_change_nothing_but_the_record_batches(tmp_path, cut):
    whole = built(tmp_path / "whole", cut)
    tokens, rows = tmp_path / "tokens", token_rows()
    opens = [number for number, row in enumerate(rows) if row["sentence"] == 0]
    with arrow_writer(tokens / "tokens.arrow", TOKENS) as writer:
        for start, end in pairwise([opens[0], opens[2], opens[5], opens[6], len(rows)]):
            writer.write_table(pa.Table.from_pylist(rows[start:end], TOKENS))
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder, workers in zip(folders, (Workers(1), Workers(2)), strict=True):
        build_view(ViewsSettings(1, ViewConfig(cut, cut)), tokens, folder, workers)
    for name in ("train.arrow", "dev.arrow", "test.arrow", "card.json"):
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes()
    for split, count in {"train": 2, "dev": 1, "test": 2}.items():
        shards = ArrowFile(folders[0] / f"{split}.arrow", SEGMENTS)
        assert len(shards) == count
        assert pa.concat_tables(shards) == read_arrow(whole / f"{split}.arrow", SEGMENTS).combine_chunks()
    assert (folders[0] / "card.json").read_bytes() == (whole / "card.json").read_bytes()


def command(monkeypatch, settings: dict, folder: Path, **hints: list[str]) -> Path:
    words = write_recipe(folder / "out", "views", settings, {"tokens": folder}, **hints)
    monkeypatch.setattr(sys, "argv", ["docmt", *words])
    return Path(words[-1])


def test_the_command_writes_the_stages_files(tmp_path, monkeypatch):
    cut = {"window": None, "max_tokens": None, "max_sentences": 3}
    settings = {"view": {"train": cut, "test": {"window": 2}}}
    output = command(monkeypatch, settings, write_tokens(tmp_path, items=[ITEM]))
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    expected = {"train.arrow", "dev.arrow", "test.arrow", "contrastive.arrow", "card.json"}
    assert outputs_of(output) == expected


@pytest.mark.parametrize(("rows", "status"), [(4, 2), (1000, 0)])
def test_a_segment_too_long_for_every_model_is_refused_by_its_place(tmp_path, monkeypatch, capsys, rows, status):
    cut = {"window": 2}
    settings, tables = (
        {"view": {"train": cut, "test": cut}},
        [{"frame": "wrapped", "positions": "running", "rows": rows}],
    )
    output = command(monkeypatch, settings, write_tokens(tmp_path), positions=tables)
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == status
    assert ("is longer than the model's table of positions" in capsys.readouterr().err) == bool(status)
    assert bool([*output.glob("*.arrow"), *output.glob("card.json")]) != bool(status)
