"""A scale with fixtures runs every corpus from nothing, and real corpora outlive it."""

import json
from collections import defaultdict

import pytest
from helpers.plans import plan_of, to_make
from helpers.support import quick_smoke

TRAIN = "a\nb\n\nc\n"
CORPUS = """\
corpus: mine
about: a corpus
source_language: zh
target_language: en
licence: none
citation: none
files: [{name: train.zh, obtain: Ask.}, {name: train.en, obtain: Ask.}]
reader: {kind: lines, splits: {train: {source: train.zh, target: train.en}}}
expected: {train: {documents: 2, sentences: 3}}
"""


def test_every_corpus_is_planned_from_nothing(project):
    """No mirror, `missing: stop`, and files that nobody has."""
    corpora = sorted(path.stem for path in (project.root / "workflow/corpora").glob("*.yaml"))
    targets = [f"results/1_corpus/{corpus}@smoke/card.json" for corpus in corpora]
    folders: dict[str, set[str]] = defaultdict(set)
    for job in plan_of(project.root, *targets, "all", scale="smoke").reasons:
        folders[job.rule].add(job.names.get("corpus"))
    assert folders["corpus"] == {f"{corpus}@smoke" for corpus in corpora}
    assert folders["fixture"] == folders["corpus"] - {"toy_zh-en@smoke", "toy_long_zh-en@smoke"}
    later = {corpus for rule in ("tokens", "views", "chain_words", "aligner") for corpus in folders[rule]}
    assert later and all(corpus.endswith("@smoke") for corpus in later)


@pytest.mark.slow
def test_going_to_smoke_and_back_keeps_both(project):
    quick_smoke(project)
    project.write("workflow/corpora/mine.yaml", CORPUS)
    downloads = project.root / "results/1_corpus/mine/downloads"
    for name in ("train.zh", "train.en"):
        project.write(f"results/1_corpus/mine/downloads/{name}", TRAIN)
    real, generated = "results/1_corpus/mine/card.json", "results/1_corpus/mine@smoke/card.json"
    smoke = ("--config", "scale=smoke")
    project.snakemake("--cores", "1", real, check=True)
    project.snakemake("--cores", "1", generated, *smoke, check=True)
    counts = [
        json.loads((project.root / card).read_text())["splits"]["train"]["documents"] for card in (real, generated)
    ]
    assert counts == [2, 60]
    assert to_make(project.root, real) == set() == to_make(project.root, generated, scale="smoke")
    assert {path.name: path.read_text() for path in downloads.iterdir()} == {"train.zh": TRAIN, "train.en": TRAIN}
    project.edit("workflow/scales/smoke.yaml", "fixtures/documents/train", 61)
    assert to_make(project.root, generated, scale="smoke") == {"fixture", "corpus"}
    assert to_make(project.root, real) == set()


def test_the_folder_of_another_scale_is_refused(project):
    """Downloads above all: where they are, no rule of a scale with fixtures makes anything."""
    done = project.snakemake("-n", "results/1_corpus/ted_fr-en/card.json", "--config", "scale=smoke")
    assert done.returncode == 2
    assert "did you mean 'ted_fr-en@smoke'?" in done.stderr
    done = project.snakemake("-n", "results/1_corpus/ted_fr-en/downloads", "--config", "scale=smoke")
    assert done.returncode == 1
    assert "MissingRuleException" in done.stdout + done.stderr
    done = project.snakemake("-n", "results/1_corpus/ted_fr-en@smoke/card.json")
    assert done.returncode == 2
    assert "did you mean 'ted_fr-en'?" in done.stderr
