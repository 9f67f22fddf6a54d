import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from docmt.base.digests import canonical_json
from docmt.base.errors import UserError
from docmt.base.names import FILE_NAMES_HAVE
from docmt.base.parse import parse
from docmt.catalogue.corpus import CorpusConfig, CorpusSettings, corpus_settings, load_corpus
from docmt.corpus.opening import needed_files

CATALOGUE = Path(__file__).parents[2] / "workflow/corpora"
CORPORA = {path.stem: load_corpus(path) for path in sorted(CATALOGUE.glob("*.yaml"))}

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


def test_settings_of_stage_1_without_a_key_are_refused():
    slice_ = {"version": 1, **corpus_settings(load_corpus(CATALOGUE / "toy_zh-en.yaml"))}
    del slice_["expected"]
    with pytest.raises(UserError, match="expected: key is missing"):
        parse(CorpusSettings, slice_, "settings.json")


@pytest.mark.parametrize("name", CORPORA)
def test_every_file_of_a_corpus_is_read_and_listed(name):
    needed = needed_files(CORPORA[name]).values()
    assert frozenset().union(*needed) == {file.name for file in CORPORA[name].files}


def test_a_file_that_several_corpora_name_is_the_same():
    by_name: dict[str, set] = {}
    for config in CORPORA.values():
        for file in config.files:
            by_name.setdefault(file.name, set()).add((file.sources, file.digest, file.size, file.line_ends))
    assert {name: len(kinds) for name, kinds in by_name.items() if len(kinds) > 1} == {}


NOT_PINNED = {
    # The form `sacrebleu` reads the folder that has the name of the branch; the Git ids of its files are stated.
    "https://codeload.github.com/MicrosoftTranslator/Translator-HumanParityData/tar.gz/refs/heads/master",
    # The commit that has the file is not known; the checksum of the file is.
    "https://huggingface.co/datasets/wmt/news-commentary/resolve/main/v14/training/news-commentary-v14.en-zh.tsv.gz",
}


def test_every_address_is_pinned_and_has_its_grade():
    sources = [(file, source) for config in CORPORA.values() for file in config.files for source in file.sources]
    assert len({source.url for _, source in sources}) > 60
    for file, source in sources:
        assert source.grade is not None, file.name
        is_known = file.digest is not None or bool(source.stated)
        assert source.grade != "A" or is_known, f"{source.url}: bytes that were read have a digest"
        if urlsplit(source.url).netloc in ("raw.githubusercontent.com", "codeload.github.com", "huggingface.co"):
            is_pinned = re.search(r"/[0-9a-f]{40}\b", source.url) or (source.url in NOT_PINNED and is_known)
            assert is_pinned, f"{source.url} is not pinned"


def test_what_is_public_needs_no_person():
    by_hand = {name for name, config in CORPORA.items() if not all(file.is_public for file in config.files)}
    assert by_hand == {
        *("bible_de-en", "bible_fr-en", "bible_zh-en"),
        *("news_zh-en", "news_zh-en_2m"),
        *("ted_en-de_contrapro", "ted_fr-en", "ted_zh-en"),
        *("tvsub_zh-en_240", "tvsub_zh-en_held"),
    }
    for name in by_hand:
        for file in CORPORA[name].files:
            assert file.is_public or file.obtain, f"{name} {file.name}"


def test_what_a_paper_states_of_dev_and_test_is_compared_with_known_bytes():
    """A count of a paper stands beside that of the files wherever these were read: it is never the only one."""
    for config in CORPORA.values():
        if any(file.digest for file in config.files):
            read = {split for split, names in needed_files(config).items() if _are_known(config, names)}
            assert read - {"contrastive"} <= config.expected.keys(), config.corpus


def _are_known(config: CorpusConfig, names: frozenset[str]) -> bool:
    """Return whether the bytes of files were read: their digests are known, and not from the index of a tool."""
    known = {
        file.name: file.digest is not None and all(source.grade == "A" for source in file.sources[:1])
        for file in config.files
    }
    return all(known[name] for name in names)


@pytest.mark.parametrize(
    "change",
    [
        ("https://example.org/mine.tgz", "https://example.com/elsewhere/mine.tgz"),
        ("size: 10", "obtain: ask"),
        ("citation: none", "citation: none\nstop_words: 5"),
        ("size: 10", f"sha256: {'ab' * 32}"),
        (
            "citation: none",
            "citation: none\npublished:\n  - {paper: P, place: Table 1, counts: {train: {documents: 9K}}}",
        ),
    ],
)
def test_where_files_come_from_and_the_stop_list_redo_nothing(tmp_path, change):
    before = canonical_json(corpus_settings(load_corpus(write(tmp_path))))
    assert canonical_json(corpus_settings(load_corpus(write(tmp_path, change)))) == before


@pytest.mark.parametrize(
    "change",
    [
        ("archive: mine.tgz", "archive: mine.tgz\n  documents: {marker: <d>, at: start}"),
        ("size: 10", f"git_objects: {{a/b: {'ab' * 20}}}"),
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
        (
            ("  kind: lines\n", ""),
            "11 reader.kind",
            "unknown reader\n  valid: combined, contrapro, contrastive_lines, contrastive_table, discevalmt, eos, "
            "files, iwslt_tags, iwslt_xml, lines, nist_sgm, opus, opus_xml, sacrebleu, table, tmx, toy, verses, voita, "
            "wmt_xml",
        ),
        (
            ("archive: mine.tgz", "archive: his.tgz"),
            "13 reader.archive",
            "the archive is not among the corpus' files\n  found his.tgz; expected mine.tgz",
        ),
        (
            ("  archive: mine.tgz\n", ""),
            "11 reader",
            "the reader reads a file that is not among the corpus' files\n  found a.zh; expected mine.tgz\n"
            "  list it under `files`",
        ),
        (
            (
                "kind: lines\n  archive: mine.tgz\n  splits:\n    train: {source: a.zh, target: a.en}",
                'kind: files\n  splits:\n    train: {source: "{document}.zh", target: "{document}.en"}',
            ),
            "11 reader",
            "the reader reads a file that is not among the corpus' files\n  found {document}.zh; expected mine.tgz\n"
            "  list it under `files`",
        ),
        (
            ("train: {source", "trian: {source"),
            "14 reader.splits",
            "value not allowed\n  found ['trian']; expected some of train, dev, test",
        ),
        (
            ("archive: mine.tgz", "archive: mine.tgz\n  drop_empty: true"),
            "14 reader.drop_empty",
            "value not allowed\n  found True; expected another boundary (a blank line already ends a document)",
        ),
        (
            ("[https://example.org/mine.tgz]", "[{url: http://a, grade: E}]"),
            "9 files.0.sources.0.grade",
            "unknown name\n  found E\n  valid: A, B, C, D",
        ),
        (
            ("size: 10", "git_objects: {../a: abc}"),
            "10 files.0.git_objects.../a",
            "value not allowed\n  found ../a; expected a path inside the corpus' files, without ..",
        ),
        (
            ("size: 10", f"md5: {'ab' * 16}\n    git_objects: {{a: {'ab' * 20}}}"),
            "11 files.0.git_objects",
            "value not allowed\n  found ['md5']; expected no checksum of the archive's own bytes beside it",
        ),
        (
            ("corpus: mine", "corpus: yours"),
            "1 corpus",
            "the corpus is not named as its file\n  found yours; expected mine\n"
            "  rename the file to yours.yaml, or write `corpus: mine`",
        ),
        (
            ("source_language: zh", "source_language: Chinese"),
            "3 source_language",
            "value not allowed\n  found Chinese; expected a code of a language, such as zh or en",
        ),
        (
            ("size: 10", "sha256: abc"),
            "10 files.0.sha256",
            "value not allowed\n  found abc; expected 64 hexadecimal digits, or none",
        ),
        (
            ("name: mine.tgz", "name: a/mine.tgz"),
            "8 files.0.name",
            f"value not allowed\n  found a/mine.tgz; expected {FILE_NAMES_HAVE}",
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
    ],
)
def test_what_a_corpus_file_may_not_say(tmp_path, change, where, rest):
    path = write(tmp_path, change)
    with pytest.raises(UserError) as problem:
        load_corpus(path)
    place = f"{path}{where}" if where.startswith(" ") else f"{path}:{where}"
    assert str(problem.value) == f"{place}: {rest}"
