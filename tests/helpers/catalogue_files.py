"""Small files in the layout that a corpus of the catalogue states, and corpora of which only the reader matters."""

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from docmt.catalogue.corpus import CorpusConfig
from docmt.catalogue.fixtures import FixtureConfig
from docmt.catalogue.forms import ReaderConfig
from docmt.corpus.fixtures import make_fixture, write_fixture, written_forms

THREE = FixtureConfig(dict.fromkeys(("train", "dev", "test"), 3), dict.fromkeys(("train", "dev", "test"), 0), longest=7)
"""Three documents a split."""


def make_files(corpus: CorpusConfig, folder: Path) -> dict[str, dict[str, int]]:
    """Write all files of a corpus into `folder`; what `docmt check-catalogue` must find in them."""
    fixture = make_fixture(corpus, THREE)
    write_fixture(corpus, THREE, folder)
    expected: dict[str, dict[str, int]] = defaultdict(lambda: {"documents": 0, "sentences": 0})
    for split, rows in fixture.documents:
        expected[split]["documents"] += 1
        expected[split]["sentences"] += len(rows)
    sets = Counter(item.set for item in fixture.items)
    return {**expected, **{name: {"instances": count} for name, count in sets.items()}}


def corpus_config(reader: ReaderConfig, corpus: str = "mine", **more: Any) -> CorpusConfig:
    """A corpus of which nothing matters but its reader, and what `more` says."""
    known = {"source_language": "zh", "target_language": "en", "licence": "none", "citation": "none", "about": "about"}
    return CorpusConfig(**{"corpus": corpus, "reader": reader, **known, **more})


def has_maker(corpus: CorpusConfig) -> bool:
    readers = [reader for _, reader in corpus.reader.readers_of_files()]
    return bool(readers) and all(reader.kind in written_forms() for reader in readers)
