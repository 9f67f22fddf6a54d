"""Corpora from their public addresses, by the user's command, with a server that plays the hosts of the catalogue."""

import json

import pytest
from helpers.places import target
from helpers.planted import at
from helpers.public_hosts import public_hosts
from helpers.real_files import real_files
from helpers.support import ROOT, Project, keep_studies

from docmt.catalogue.corpus import CorpusConfig, load_corpus
from docmt.corpus.inputs import MANY_SENTENCES


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


def test_a_corpus_is_had_with_one_command(project, programs):
    """The first digests are recorded once the corpus was read, and are enforced from then on.

    Text that is probably without its boundaries is told at the end of the run.
    """
    keep_studies(project, "demo")
    number = MANY_SENTENCES + 1
    project.write("workflow/corpora/mine.yaml", MINE)
    lock = project.root / "results/checksums.lock.json"
    downloads = project.root / "results/1_corpus/mine/downloads"
    with public_hosts({f"{HUB}a.zh": "一\n".encode() * number, f"{HUB}a.en": b"one\n"}) as hosts:
        project.edit("config.yaml", "hosts", hosts.stand_ins())
        corpus = target(project, "1_corpus/mine")
        wrong = project.snakemake("--cores", "2", corpus, programs=programs)
        assert wrong.returncode != 0 and not lock.exists()
        (downloads / "a.en").unlink()
        hosts.files[f"{HUB}a.en"] = b"one\n" * number
        done = project.snakemake("--cores", "2", corpus, check=True, programs=programs)
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
