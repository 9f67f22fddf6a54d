import dataclasses
from pathlib import Path

import pytest

from docmt.core.artifacts import canonical_json
from docmt.core.catalogue import READER_CONFIGS, CorpusSettings, corpus_settings, load_corpus
from docmt.core.errors import UserError
from docmt.core.parse import parse
from docmt.corpus.readers import READERS

CATALOGUE = Path(__file__).parents[2] / "workflow/corpora"

TEXT = """\
corpus: mine
about: a corpus
source_language: zh
target_language: en
licence: mine
citation: none
files:
  - name: mine.tgz
    sources: [https://example.org/mine.tgz]
    size: 10
reader:
  kind: lines
  archive: mine.tgz
  splits:
    train: {source: a.zh, target: a.en}
expected:
  train: {documents: 1, sentences: 2}
"""


def write(tmp_path: Path, *changes: tuple[str, str]) -> Path:
    text = TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("path", sorted(CATALOGUE.glob("*.yaml")), ids=lambda path: path.stem)
def test_catalogue_loads_and_its_settings_come_back(path):
    config = load_corpus(path)
    slice_ = {"version": 1, **corpus_settings(config)}
    settings = parse(CorpusSettings, slice_, "settings.json")
    assert (settings.reader, settings.expected, settings.contrastive) == (
        config.reader,
        config.expected,
        config.contrastive,
    )
    assert all(file.sources or file.obtain for file in config.files)


def test_readers_and_their_settings_go_by_the_same_names():
    assert READERS.keys() == READER_CONFIGS.keys()


@pytest.mark.parametrize(
    "change",
    [
        ("https://example.org/mine.tgz", "https://example.com/elsewhere/mine.tgz"),
        ("size: 10", "size: 11"),
        ("about: a corpus", "about: another text"),
        ("size: 10", "obtain: ask"),
        ("citation: none", "citation: none\nstop_words: 5"),
    ],
)
def test_where_files_come_from_and_the_stop_list_redo_nothing(tmp_path, change):
    before = canonical_json(corpus_settings(load_corpus(write(tmp_path))))
    assert canonical_json(corpus_settings(load_corpus(write(tmp_path, change)))) == before


@pytest.mark.parametrize(
    "change",
    [
        ("archive: mine.tgz", "archive: mine.tgz\n  drop_empty: true\n  between: <d>"),
        ("size: 10", f"sha256: {'ab' * 32}"),
        ("sentences: 2", "sentences: 3"),
        ("target_language: en", "target_language: de"),
    ],
)
def test_what_a_corpus_is_redoes_it(tmp_path, change):
    before = canonical_json(corpus_settings(load_corpus(write(tmp_path))))
    assert canonical_json(corpus_settings(load_corpus(write(tmp_path, change)))) != before


@pytest.mark.parametrize(
    ("change", "where", "rest"),
    [
        (("kind: lines", "kind: line"), "12 reader.kind", "unknown reader\n  found line\n  did you mean 'lines'?"),
        (("  kind: lines\n", ""), "11 reader.kind", "unknown reader\n  valid: iwslt_xml, lines, toy, verses"),
        (
            ("archive: mine.tgz", "archiv: mine.tgz"),
            "13 reader.archiv",
            "unknown key\n  found archiv\n  did you mean 'archive'?",
        ),
        (
            ("archive: mine.tgz", "archive: his.tgz"),
            "13 reader.archive",
            "not among the corpus' files\n  found his.tgz; expected mine.tgz",
        ),
        (
            ("train: {source", "trian: {source"),
            "14 reader.splits",
            "value not allowed\n  found ['trian']; expected some of train, dev, test",
        ),
        (
            ("target: a.en", "traget: a.en"),
            "15 reader.splits.train.traget",
            "unknown key\n  found traget\n  did you mean 'target'?",
        ),
        (
            ("archive: mine.tgz", "archive: mine.tgz\n  drop_empty: true"),
            "14 reader.drop_empty",
            "value not allowed\n  found True; expected between: <d> (a blank line already ends a document)",
        ),
        (("corpus: mine", "corpus: yours"), "1 corpus", "a corpus is named as its file\n  found yours; expected mine"),
        (
            ("source_language: zh", "source_language: Chinese"),
            "3 source_language",
            "value not allowed\n  found Chinese; expected a code such as zh or en",
        ),
        (("size: 10", "size: ten"), "10 files.0.size", "wrong type\n  found 'ten' (a text); expected a whole number"),
        (
            ("size: 10", "sha256: abc"),
            "10 files.0.sha256",
            "value not allowed\n  found abc; expected 64 hexadecimal digits, or none",
        ),
        (
            ("name: mine.tgz", "name: a/mine.tgz"),
            "8 files.0.name",
            "value not allowed\n  found a/mine.tgz; expected a file name without a folder",
        ),
        (
            ("size: 10", "size: 10\n  - name: mine.tgz"),
            "7 files",
            "value not allowed\n  found ['mine.tgz']; expected each file once",
        ),
        (
            ("train: {documents", "tests: {documents"),
            "16 expected",
            "value not allowed\n  found ['tests']; expected some of train, dev, test",
        ),
        (
            ("citation: none", "citation: none\nstop_words: -1"),
            "7 stop_words",
            "value not allowed\n  found -1; expected 0 or more",
        ),
        (("licence: mine\n", ""), " licence", "key is missing\n  expected a text"),
    ],
)
def test_what_a_corpus_file_may_not_say(tmp_path, change, where, rest):
    path = write(tmp_path, change)
    with pytest.raises(UserError) as problem:
        load_corpus(path)
    place = f"{path}{where}" if where.startswith(" ") else f"{path}:{where}"
    assert str(problem.value) == f"{place}: {rest}"


@pytest.mark.parametrize(
    ("kind", "changes", "message"),
    [
        (
            "toy",
            {"shortest": 5},
            "reader.shortest: value not allowed\n  found 5; expected 6 or more (fewer cannot hold every phenomenon)",
        ),
        (
            "toy",
            {"shortest": 9, "longest": 8},
            "reader.longest: value not allowed\n  found 8; expected shortest (9) or more",
        ),
        (
            "toy",
            {"contrastive_items": 5},
            "reader.contrastive_items: value not allowed\n  found 5; expected an even number, 2 or more",
        ),
        (
            "toy",
            {"distances": [0]},
            "reader.distances: value not allowed\n  found [0]; expected one or more, each 1 or more",
        ),
        ("toy", {"dev_documents": 0}, "reader.dev_documents: value not allowed\n  found 0; expected 1 or more"),
        (
            "verses",
            {"archive": "a", "source": "b", "target": "c", "dev": ["Ruth"], "test": ["Ruth"]},
            "reader.test: value not allowed\n  found ['Ruth']; expected books that are not in dev",
        ),
        (
            "iwslt_xml",
            {"archive": "a", "files": "b.{set}", "dev": [], "test": []},
            "reader.files: value not allowed\n  found b.{set}; expected a path with {language} in it",
        ),
        (
            "lines",
            {"splits": {}},
            "reader.splits: value not allowed\n  found nothing; expected some of train, dev, test",
        ),
    ],
)
def test_what_reader_settings_may_not_say(kind, changes, message):
    fields = {field.name for field in dataclasses.fields(READER_CONFIGS[kind])}
    assert changes.keys() <= fields
    with pytest.raises(UserError) as problem:
        parse(READER_CONFIGS[kind], {"kind": kind, **changes}, "settings.json", ("reader",))
    assert str(problem.value) == f"settings.json {message}"
