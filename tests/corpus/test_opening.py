import dataclasses
from itertools import combinations
from pathlib import Path

import pytest
from helpers.catalogue_files import corpus_config

from docmt.base.names import SPLITS
from docmt.base.parse import parse
from docmt.catalogue.corpus import CorpusConfig, load_corpus
from docmt.catalogue.files import FileConfig
from docmt.catalogue.forms import ReaderConfig
from docmt.corpus.opening import needed_files

CATALOGUE = Path(__file__).parents[2] / "workflow/corpora"


def sides(name: str) -> dict[str, str]:
    return {"source": f"{name}.zh", "target": f"{name}.en.gz"}


READERS = {
    "offsets": {
        "kind": "lines",
        "splits": {"train": sides("train"), "dev": {**sides("dev"), "references": ["dev.2.en"]}},
        "documents": {"offsets": {"train": "train.doc", "dev": "dev.doc"}},
    },
    "table": {"kind": "table", "splits": {"train": "train.tsv", "test": "more.zip/test.tsv"}},
    "one table": {"kind": "table", "file": "all.parquet", "split": "split"},
    "held out": {"kind": "table", "splits": {"train": "train.tsv"}, "held_out": {"dev": {"first": 1}}},
    "folder": {"kind": "files", "splits": {"test": {"source": "{document}.zh", "target": "en.zip/{document}.en"}}},
    "verses": {"kind": "verses", "source": "zh.tsv", "target": "en.tsv", "dev": ["Ruth"], "test": ["Acts"]},
    "sgm": {"kind": "nist_sgm", "splits": {"dev": {"source": "src.sgm", "references": ["a.sgm", "b.sgm"]}}},
    "pronouns": {
        "kind": "combined",
        "parts": [
            {"kind": "table", "splits": {"train": "train.tsv"}},
            {"kind": "contrapro", "sets": {"p": "p.json"}, "documents": "texts.tgz/{year}/{document}.{language}"},
            {"kind": "contrastive_table", "sets": {"mine": "mine.tsv"}},
            {"kind": "contrastive_lines", "sets": {"l": "l.zip/l.current.trg"}, "details": {"l": "l.json"}},
        ],
    },
}
NEEDED = {
    "offsets": {
        "train": {"train.zh", "train.en.gz", "train.doc"},
        "dev": {"dev.zh", "dev.en.gz", "dev.2.en", "dev.doc"},
    },
    "table": {"train": {"train.tsv"}, "test": {"more.zip"}},
    "one table": {split: {"all.parquet"} for split in SPLITS},
    "held out": {"train": {"train.tsv"}, "dev": {"train.tsv"}},
    "folder": {"test": {"7.zh", "8.zh", "en.zip"}},
    "verses": {split: {"zh.tsv", "en.tsv"} for split in SPLITS},
    "sgm": {"dev": {"src.sgm", "a.sgm", "b.sgm"}},
    "pronouns": {"train": {"train.tsv"}, "contrastive": {"p.json", "texts.tgz", "mine.tsv", "l.zip", "l.json"}},
}


def corpus(name: str) -> CorpusConfig:
    files = tuple(FileConfig(name=file) for file in sorted(set().union(*NEEDED[name].values())))
    return corpus_config(parse(ReaderConfig, READERS[name], "mine.yaml"), files=files)


@pytest.mark.parametrize("name", READERS)
def test_what_each_split_is_read_from(name):
    assert needed_files(corpus(name)) == NEEDED[name]


CORPORA = {name: corpus(name) for name in READERS} | {path.stem: load_corpus(path) for path in CATALOGUE.glob("*.yaml")}
TOGETHER = (
    "one table",
    "held out",
    "verses",
    "toy_zh-en",
    "toy_long_zh-en",
    "bible_de-en",
    "bible_fr-en",
    "bible_zh-en",
    "tvsub_zh-en_held",
)
"""Corpora whose splits cannot be read apart."""


def some(needed: dict) -> list[tuple[str, ...]]:
    return [splits for number in range(1, len(needed)) for splits in combinations(needed, number)]


@pytest.mark.parametrize("name", sorted(CORPORA.keys() - set(TOGETHER)))
def test_a_limited_reader_needs_the_files_of_its_splits_alone(name):
    config = CORPORA[name]
    needed = needed_files(config)
    assert config.reader.limited(list(needed)) == config.reader
    assert config.reader.limited(()) is None
    for splits in some(needed):
        reader = config.reader.limited(splits)
        assert needed_files(dataclasses.replace(config, reader=reader)) == {split: needed[split] for split in splits}


@pytest.mark.parametrize("name", TOGETHER)
def test_splits_that_are_read_together_are_read_all_or_not_at_all(name):
    config = CORPORA[name]
    assert config.reader.limited(list(needed_files(config))) == config.reader
    splits = {split: () for split in needed_files(config) if split in SPLITS}
    assert [fewer for fewer in some(splits) if config.reader.limited(fewer) is not None] == []
