"""Read a fixture of every form, and print a digest of its documents and items: a script, for several processes."""

import dataclasses
import hashlib
import json
import sys
import tempfile
from pathlib import Path

from helpers.catalogue_files import corpus_config
from helpers.form_cases import SMALLEST

from docmt.base.parse import parse
from docmt.catalogue.corpus import CorpusConfig
from docmt.catalogue.files import FileConfig
from docmt.catalogue.fixtures import FixtureConfig
from docmt.catalogue.forms import ReaderConfig
from docmt.corpus.fixtures import write_fixture, written_forms
from docmt.corpus.inputs import Problems
from docmt.corpus.opening import open_corpus

SMALL = FixtureConfig({"train": 2, "dev": 2, "test": 2}, {"train": 0, "dev": 0, "test": 0}, longest=7)
OF_SEVERAL = {"set": "wmt21/AB", "archives": ["a.tgz"]}  # A set with two translators.
CASES: dict[str, dict] = {
    **{kind: {"kind": kind, **SMALLEST[kind]} for kind in written_forms()},
    "two translators": {"kind": "sacrebleu", "splits": {"test": [OF_SEVERAL]}},
    "table by csv rules": {"kind": "table", "splits": {"train": "a.csv"}},
    "JSON list": {"kind": "table", "splits": {"train": "a.json"}},
    "JSON lines": {"kind": "table", "splits": {"train": "a.jsonl"}},
    "Parquet": {"kind": "table", "splits": {"train": "a.parquet"}},
    "saved data set": {"kind": "table", "splits": {"train": "t"}, "format": "arrow"},
}
"""The settings of each form and of some that have more than one layout."""


def corpus_of(name: str, archive: str = "all.tar") -> CorpusConfig:
    """The corpus of a case, all of whose files are in an archive."""
    languages = {"source_language": "en", "target_language": "zh"} if name == "two translators" else {}
    reader = parse(ReaderConfig, {**CASES[name], "archive": archive}, name)
    return corpus_config(reader, files=(FileConfig(name=archive),), **languages)


def digest(name: str, folder: Path) -> str:
    """The digest of what the reader of a case returns for its fixture."""
    corpus = corpus_of(name)
    write_fixture(corpus, SMALL, folder / name)
    with open_corpus(corpus.reader, folder / name, corpus.languages, name, Problems()) as opened:
        read = [dataclasses.asdict(value) for values in (opened.documents, opened.items) for value in values]
    return hashlib.sha256(json.dumps(read, default=repr).encode()).hexdigest()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        json.dump({name: digest(name, Path(scratch)) for name in CASES}, sys.stdout)
