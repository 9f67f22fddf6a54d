"""Stage 1 as a job: settings and downloads in, tables and card out."""

import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from helpers.downloads import download_words
from helpers.recipes import write_recipe
from helpers.sealed import outputs_of
from helpers.small_corpus import OF_MINE
from typer.testing import CliRunner

from docmt.base.columns import CONTRASTIVE, DOCUMENTS
from docmt.base.digests import sha256_file
from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.base.paths import DOWNLOADS
from docmt.base.tables import read_parquet
from docmt.catalogue.corpus import CorpusSettings, corpus_settings, load_corpus
from docmt.catalogue.lock import LOCK
from docmt.cli.commands import build
from docmt.corpus.inputs import MANY_SENTENCES
from docmt.corpus.read import read_corpus

CATALOGUE = Path(__file__).parents[2] / "workflow/corpora"
MINE = {
    "version": 1,
    **OF_MINE,
    "files": [{"name": "a.zh", "sha256": None}, {"name": "a.en"}],
    "reader": {"kind": "lines", "splits": {"train": {"source": "a.zh", "target": "a.en"}}},
    "expected": {"train": {"documents": 2, "sentences": 3}},
    "contrastive": False,
}
TOY = {
    **MINE,
    "corpus": "toy_zh-en",
    "files": [],
    "reader": {
        "kind": "toy",
        "train_documents": 3,
        "dev_documents": 2,
        "test_documents": 1,
        "shortest": 7,
        "longest": 7,
    }
    | {"contrastive_items": 2, "distances": [1, 4]},
    "expected": {split: {"documents": n, "sentences": 7 * n} for split, n in (("train", 3), ("dev", 2), ("test", 1))},
    "contrastive": True,
}


@pytest.fixture
def downloads(tmp_path: Path) -> Path:
    folder = tmp_path / "downloads"
    folder.mkdir()
    (folder / "a.zh").write_text("你好。\n再见。\n\n好。\n")
    (folder / "a.en").write_text("Hello.\nBye.\n\nFine.\n")
    return folder


def run(settings: dict, downloads: Path, output: Path) -> None:
    read_corpus(parse(CorpusSettings, settings, "settings.json"), downloads, output)


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_documents_and_card(downloads, tmp_path):
    run(MINE, downloads, tmp_path / "out")
    assert files(tmp_path / "out") == ["card.json", "documents.parquet"]
    assert read_parquet(tmp_path / "out/documents.parquet", DOCUMENTS).to_pylist() == [
        {
            "split": "train",
            "document": "train1",
            "sentence": 0,
            "source": "你好。",
            "target": "Hello.",
            "references": [],
        },
        {"split": "train", "document": "train1", "sentence": 1, "source": "再见。", "target": "Bye.", "references": []},
        {"split": "train", "document": "train2", "sentence": 0, "source": "好。", "target": "Fine.", "references": []},
    ]
    card = json.loads((tmp_path / "out/card.json").read_text())
    assert (card["corpus"], card["licence"], card["citation"]) == ("mine", "CC0", "me")
    assert card["files"] == [{"name": name, "digest": sha256_file(downloads / name)} for name in ("a.zh", "a.en")]
    assert card["reader"]["kind"] == "lines"
    assert card["splits"] == {
        "train": {
            "documents": 2,
            "sentences": 3,
            "source_characters": 8,
            "target_characters": 15,
            "sentences_per_document": {"min": 1, "mean": 1.5, "max": 2},
            "references": {"min": 1, "max": 1},
        }
    }
    assert card["shared"] == [] and card["warnings"] == []


def test_warnings_are_in_the_card(downloads, tmp_path):
    """Of text whose boundaries were probably lost, and of sentences that are whole paragraphs."""
    for name, letter in {"a.zh": "一", "a.en": "a"}.items():
        (downloads / name).write_text(letter * 1001 + "\n" + f"{letter}\n" * MANY_SENTENCES)
    run({**MINE, "expected": {}}, downloads, tmp_path / "out")
    assert json.loads((tmp_path / "out/card.json").read_text())["warnings"] == [
        "sentence of more than 1000 characters (2): a.zh:1: found 1001; a.en:1: found 1001",
        "all of a split is one document: does the text lack boundaries? (1): mine train: found 1,001 sentences",
    ]


def test_contrastive_sets(tmp_path):
    run(TOY, tmp_path, tmp_path / "out")
    assert files(tmp_path / "out") == ["card.json", "contrastive.parquet", "documents.parquet"]
    table = read_parquet(tmp_path / "out/contrastive.parquet", CONTRASTIVE)
    assert table.column("item").to_pylist() == list(range(16))
    card = json.loads((tmp_path / "out/card.json").read_text())
    sets = ("pronoun_gender", "pronoun_number", "word", "ellipsis")
    assert card["contrastive"] == {name: {"1": 2, "4": 2} for name in sets}


def test_rows_are_written_as_they_come(downloads, tmp_path, monkeypatch):
    run(MINE, downloads, tmp_path / "one")
    monkeypatch.setattr("docmt.corpus.read.ROWS_AT_ONCE", 2)
    run(MINE, downloads, tmp_path / "two")
    single, several = (pq.ParquetFile(tmp_path / name / "documents.parquet") for name in ("one", "two"))
    assert (single.num_row_groups, several.num_row_groups) == (1, 2)
    assert single.read().equals(several.read())


def test_same_settings_same_bytes(tmp_path):
    for name in ("one", "two"):
        run(TOY, tmp_path, tmp_path / name)
    for name in files(tmp_path / "one"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"expected": {"train": {"documents": 2, "sentences": 4}}},
            "mine train: counts differ from the catalogue's\n"
            "  found 2 documents, 3 sentences; expected 2 documents, 4 sentences",
        ),
        (
            {"contrastive": True},
            "mine: contrastive sets differ from the catalogue\n"
            "  found 0 contrastive items; expected contrastive: false",
        ),
        ({"files": [{"name": "a.de"}]}, "{downloads}/a.de: file not found\n  `snakemake` downloads it"),
        (
            {"files": [{"name": "a.zh", "sha256": "0" * 64}]},
            "{downloads}/a.zh: wrong checksum\n"
            "  found sha256 {sha256}; expected " + "0" * 64 + "\n"
            "  remove {downloads}/a.zh and download it again",
        ),
        (
            {"reader": {"kind": "lines", "splits": {"train": {"source": "a.zh", "target": "b"}}}},
            "b: file not found\n  check the path",
        ),
    ],
)
def test_what_is_refused_leaves_nothing(downloads, tmp_path, change, message):
    with pytest.raises(UserError) as problem:
        run({**MINE, **change}, downloads, tmp_path / "out")
    assert str(problem.value) == message.format(downloads=downloads, sha256=sha256_file(downloads / "a.zh"))
    assert files(tmp_path / "out") == []


def fetch(root: Path, catalogue: Path, file: str, mirror: Path | None = None) -> None:
    """Download a file of a corpus in a project."""
    assert CliRunner().invoke(build(), download_words(root, catalogue, file, mirror)).exit_code == 0


def read_command(folder: Path, catalogue: Path) -> list[str]:
    """The command that reads a corpus of which nobody states the digest of `a.zh`."""
    files = {f"downloads/{name}": folder / "downloads" / name for name in ("a.zh", "a.en")}
    return write_recipe(folder, "corpus", corpus_settings(load_corpus(catalogue)), files=files, first=["a.zh"])


def write_catalogue(path: Path, sources: list[dict]) -> Path:
    entry = {key: value for key, value in MINE.items() if key != "version"}
    path.write_text(json.dumps({**entry, "about": "mine", "files": sources}))
    return path


def test_commands_from_the_catalogue_to_documents(downloads, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(downloads / "a.zh", tmp_path / "elsewhere.zh")
    sources = [{"name": "a.zh", "sources": [str(tmp_path / "elsewhere.zh")]}, {"name": "a.en"}]
    catalogue, folder = write_catalogue(tmp_path / "mine.yaml", sources), tmp_path / "results/1_corpus/mine"
    fetch(tmp_path, catalogue, "a.zh")
    fetch(tmp_path, catalogue, "a.en", downloads)
    assert not (tmp_path / LOCK).exists(), "nobody has read the files yet"
    words = read_command(folder, catalogue)
    assert CliRunner().invoke(build(), words).exit_code == 0
    assert outputs_of(Path(words[-1])) == {"card.json", "documents.parquet"}
    assert json.loads((tmp_path / LOCK).read_text()) == {"mine/a.zh": sha256_file(folder / "downloads" / "a.zh")}


def test_the_digest_of_a_first_download_that_is_no_corpus_is_not_recorded(downloads, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(downloads, tmp_path / "elsewhere")
    (tmp_path / "elsewhere/a.zh").write_text("your quota is used up\n")
    sources = [{"name": name, "sources": [str(tmp_path / "elsewhere" / name)]} for name in ("a.zh", "a.en")]
    catalogue, folder = write_catalogue(tmp_path / "mine.yaml", sources), tmp_path / "results/1_corpus/mine"
    for name in ("a.zh", "a.en"):
        fetch(tmp_path, catalogue, name)
    result = CliRunner().invoke(build(), read_command(folder, catalogue))
    assert isinstance(result.exception, UserError)
    assert not (tmp_path / LOCK).exists()


def test_fetching_a_file_that_the_catalogue_does_not_know(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = download_words(tmp_path, CATALOGUE / "bible_zh-en.yaml", "bible.tar.gz")
    problem = CliRunner().invoke(build(), words).exception
    expected = "job.json: unknown file\n  found bible.tar.gz\n  did you mean 'bible_pd.tar.gz'?"
    assert isinstance(problem, UserError) and str(problem) == f"{words[1]}/{expected}"


@pytest.mark.parametrize(
    "corpus",
    ["bible_zh-en", *(pytest.param(name, marks=pytest.mark.slow) for name in ("bible_fr-en", "tvsub_zh-en_240"))],
)
def test_real_corpora_from_the_mirror(shared, tmp_path, corpus, monkeypatch):
    """The whole stage on the real archives: size, checksum and counts are the catalogue's."""
    catalogue = CATALOGUE / f"{corpus}.yaml"
    config = load_corpus(catalogue)
    monkeypatch.chdir(tmp_path)
    for file in config.files:
        fetch(tmp_path, catalogue, file.name, shared / "mirror")
    assert not (tmp_path / LOCK).exists()
    downloads = tmp_path / DOWNLOADS.format(corpus=corpus)
    run({"version": 1, **corpus_settings(config)}, downloads, tmp_path / "out")
    card = json.loads((tmp_path / "out/card.json").read_text())
    documents = sum(split["documents"] for split in card["splits"].values())
    sentences = sum(split["sentences"] for split in card["splits"].values())
    # As the mirror's README counts them: before verses are joined or dropped.
    changed = sum(count for what, count in card["changed"].items() if what.startswith("pairs"))
    known = {"bible_zh-en": (1182, 30881), "bible_fr-en": (943, 26037)}
    assert (documents, sentences + changed) == {**known, "tvsub_zh-en_240": (244, 229329)}[corpus]


SIDES = {"source": "a.zh", "target": "a.en"}


@pytest.mark.parametrize(
    ("splits", "empty", "message"),
    [
        ({"train": SIDES, "dev": {"source": "b", "target": "b"}}, ("b",), "b: no documents in split dev"),
    ],
)
def test_a_split_of_empty_files_is_refused(downloads, tmp_path, splits, empty, message):
    for name in empty:
        (downloads / name).write_text("")
    with pytest.raises(UserError) as problem:
        run({**MINE, "expected": {}, "reader": {"kind": "lines", "splits": splits}}, downloads, tmp_path / "out")
    assert str(problem.value).startswith(f"{message}\n  expected one or more\n")
    assert files(tmp_path / "out") == []


def test_a_table_of_all_splits_without_rows_is_refused(downloads, tmp_path):
    """The settings of such a table do not say which splits it has."""
    (downloads / "t.tsv").write_text("split\tsource\ttarget\tdocument\n")
    reader = {"kind": "table", "file": "t.tsv", "split": "split"}
    with pytest.raises(UserError, match="mine: no documents"):
        run({**MINE, "expected": {}, "files": [{"name": "t.tsv"}], "reader": reader}, downloads, tmp_path / "out")
