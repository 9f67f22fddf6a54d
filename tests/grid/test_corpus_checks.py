"""Corpora that do not fit their systems are refused before any job."""

import pytest
from helpers.catalogue_files import corpus_config

from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.base.yaml_files import Lines
from docmt.catalogue.files import FileConfig
from docmt.catalogue.forms import ReaderConfig
from docmt.grid.studies import check_splits

TRAIN = {"kind": "table", "splits": {"train": "a.tsv"}}
HELD = {"dev": {"first": 2}, "test": {"first": 2}}
COMBINED = {"kind": "combined", "parts": [{**TRAIN, "held_out": {"dev": {"first": 1}}}]}


def splits_of(reader: dict) -> None:
    corpus = corpus_config(parse(ReaderConfig, reader, "mine.yaml"), files=(FileConfig(name="a.tsv"),))
    check_splits(["mine"], {"mine": corpus}, {"mine": "own/mine.yaml"}, Lines("study.yaml"))


@pytest.mark.parametrize(
    "reader",
    [
        {**TRAIN, "held_out": HELD},
        {"kind": "table", "file": "a.tsv", "split": "split"},
        {"kind": "toy"},
        {"kind": "combined", "parts": [*COMBINED["parts"], {"kind": "table", "splits": {"test": "a.tsv"}}]},
    ],
)
def test_a_corpus_with_all_splits(reader):
    splits_of(reader)


@pytest.mark.parametrize(
    ("reader", "missing", "stated"),
    [(TRAIN, "dev and no test", "train"), (COMBINED, "test", "train, dev")],
)
def test_a_corpus_without_a_split(reader, missing, stated):
    with pytest.raises(UserError) as problem:
        splits_of(reader)
    assert str(problem.value).startswith(
        f"study.yaml corpora.0: the corpus has no {missing}, without which no system is trained and scored\n"
        f"  found mine, with {stated}; expected train, dev, test\n  add files for it to own/mine.yaml, or hold"
    )
