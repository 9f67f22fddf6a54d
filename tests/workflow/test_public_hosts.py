"""Corpora from their public addresses, by the user's command, with a server that plays the hosts of the catalogue."""

import io
import json
import tarfile
from pathlib import Path

import pytest
from helpers.catalogue_files import make_files
from helpers.places import target
from helpers.planted import at
from helpers.public_hosts import public_hosts
from helpers.real_files import archives_of_layout, real_files
from helpers.support import ROOT, Project

from docmt.catalogue.corpus import CorpusConfig, load_corpus
from docmt.corpus.inputs import MANY_SENTENCES

PARTLY_REAL = (
    *("ted_en-de", "news_en-de", "europarl_en-de", "ted_en-de_iwslt2017"),
    *("ted_zh-en_2015", "opensubtitles_en-ru"),
)
"""The corpora whose dev and test sets, or contrastive sets, the mirror has; their training text is generated."""


def corpus_of(name: str) -> CorpusConfig:
    return load_corpus(ROOT / f"workflow/corpora/{name}.yaml")


def card_of(project: Project, name: str) -> dict:
    return json.loads((project.root / at(project, f"1_corpus/{name}") / "card.json").read_text())


def addresses(corpus: CorpusConfig, contents: dict[str, bytes]) -> dict[str, bytes]:
    """Return the content of the first address of each file that is public."""
    return {file.sources[0].url: contents[file.name] for file in corpus.files if file.sources}


HUB = "https://huggingface.co/datasets/me/mine/resolve/main/"
MINE = {
    "corpus": "mine",
    "about": "a",
    "source_language": "zh",
    "target_language": "en",
    "licence": "l",
    "citation": "c",
    "most_shared": {"documents": 1, "pairs": 1},
    "files": [{"name": f"a.{language}", "sources": [f"{HUB}a.{language}"]} for language in ("zh", "en")],
    "reader": {"kind": "lines", "splits": {"train": {"source": "a.zh", "target": "a.en"}}},
}


def test_a_corpus_is_had_with_one_command(project):
    """The first digests are recorded once the corpus was read, and are enforced from then on.

    Text that is probably without its boundaries is told at the end of the run.
    """
    number = MANY_SENTENCES + 1
    project.write("workflow/corpora/mine.yaml", MINE)
    lock = project.root / "results/checksums.lock.json"
    downloads = project.root / "results/1_corpus/mine/downloads"
    with public_hosts({f"{HUB}a.zh": "一\n".encode() * number, f"{HUB}a.en": b"one\n"}) as hosts:
        project.edit("config.yaml", "hosts", hosts.stand_ins())
        corpus = target(project, "1_corpus/mine")
        wrong = project.snakemake("--cores", "2", corpus)
        assert wrong.returncode != 0 and not lock.exists()
        (downloads / "a.en").unlink()
        hosts.files[f"{HUB}a.en"] = b"one\n" * number
        done = project.snakemake("--cores", "2", corpus, check=True)
        assert "Traceback" not in done.stderr
        assert json.loads(lock.read_text()).keys() == {"mine/a.zh", "mine/a.en"}
        assert card_of(project, "mine")["splits"]["train"]["sentences"] == number
        assert "warning: mine: all of a split is one document" in done.stderr


@pytest.mark.slow
def test_a_corpus_of_the_catalogue_as_it_is(project, shared):
    """All files are real."""
    corpus = corpus_of("voita_en-ru")
    with public_hosts(addresses(corpus, real_files(shared / "mirror"))) as hosts:
        project.edit("config.yaml", "hosts", hosts.stand_ins())
        done = project.snakemake("--cores", "2", target(project, "1_corpus/voita_en-ru"), check=True)
        assert hosts.asked == hosts.answered == set(hosts.files)
    assert "Traceback" not in done.stderr
    splits = card_of(project, "voita_en-ru")["splits"]
    assert {split: facts["sentences"] for split, facts in splits.items()} == {
        split: counts.sentences for split, counts in corpus.expected.items()
    }
    assert not (project.root / "results/checksums.lock.json").exists(), "the catalogue states all digests"


@pytest.mark.slow
@pytest.mark.parametrize("name", PARTLY_REAL)
def test_real_sets_beside_generated_training_text(project, shared, tmp_path, name):
    corpus, path = corpus_of(name), f"workflow/corpora/{name}.yaml"
    make_files(corpus, tmp_path / "made")
    contents = {file.name: (tmp_path / "made" / file.name).read_bytes() for file in corpus.files}
    real = real_files(shared / "mirror")
    contents |= {name: content for name, content in real.items() if name in contents}
    if name == "ted_en-de_iwslt2017":
        contents = with_training_text(tmp_path / "made", archives_of_layout(shared / "mirror"))
    settings = {**project.read(path), "most_shared": {"documents": 1, "pairs": 1}}
    for file in settings["files"]:
        if file["name"] not in real:  # generated, so that it has other digests than the public file
            for key in ("sha256", "md5", "git_blob", "size"):
                file.pop(key, None)
                for source in file["sources"]:
                    source.pop(key, None)
    project.write(path, settings)
    with public_hosts(addresses(corpus, contents)) as hosts:
        project.edit("config.yaml", "hosts", hosts.stand_ins())
        project.snakemake("--cores", "2", target(project, f"1_corpus/{name}"), check=True)
        assert hosts.answered == set(hosts.files)
    splits = card_of(project, name)["splits"]
    for split, counts in corpus.expected.items():
        assert (splits[split]["documents"], splits[split]["sentences"]) == (counts.documents, counts.sentences)
    lock = json.loads((project.root / "results/checksums.lock.json").read_text())
    assert lock.keys() == {f"{name}/{file}" for file in contents if file not in real}


def with_training_text(folder: Path, archives: dict[str, bytes]) -> dict[str, bytes]:
    """Return the archive of IWSLT 2017 with real sets and generated training text."""
    stream = io.BytesIO()
    with (
        tarfile.open(folder / "iwslt2017.en-de.tgz") as generated,
        tarfile.open(fileobj=io.BytesIO(archives["iwslt2017.en-de.tgz"])) as real,
        tarfile.open(fileobj=stream, mode="w:gz") as tar,
    ):
        for source, is_training in ((generated, True), (real, False)):
            for member in source:
                if member.isfile() and ("train.tags" in member.name) == is_training:
                    tar.addfile(member, source.extractfile(member))
    return {"iwslt2017.en-de.tgz": stream.getvalue()}
