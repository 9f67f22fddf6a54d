"""A scale with fixtures runs every corpus from nothing, and real corpora outlive it."""

import json
from collections import defaultdict
from contextlib import chdir

import pytest
from helpers.places import target
from helpers.plans import plan_of, to_make
from helpers.planted import at
from helpers.support import quick_smoke, small_demo

from docmt.plan.links import jobs_of_target
from docmt.plan.plan import Job

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
    project.edit("config.yaml", "scale", "smoke")
    plan = plan_of(project.root)
    made = [Job.of("corpus", corpus=f"{corpus}@smoke") for corpus in corpora]
    folders: dict[str, set[str]] = defaultdict(set)
    with chdir(project.root):
        jobs = list(plan.closure([*made, *jobs_of_target(plan, "long-short")]))
    for job in jobs:
        folders[job.step].add(job.names.get("corpus"))
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
    real, generated = target(project, "1_corpus/mine"), target(project, "1_corpus/mine@smoke", scale="smoke")
    smoke = ("--config", "scale=smoke")
    project.snakemake("--cores", "1", real, check=True)
    project.snakemake("--cores", "1", generated, *smoke, check=True)
    counts = [
        json.loads((project.root / at(project, f"1_corpus/{corpus}") / "card.json").read_text())["splits"]["train"][
            "documents"
        ]
        for corpus in ("mine", "mine@smoke")
    ]
    assert counts == [2, 60]
    assert to_make(project.root, real) == set() == to_make(project.root, generated, scale="smoke")
    assert {path.name: path.read_text() for path in downloads.iterdir()} == {"train.zh": TRAIN, "train.en": TRAIN}
    project.edit("workflow/scales/smoke.yaml", "fixtures/documents/train", 61)
    generated = target(project, "1_corpus/mine@smoke", scale="smoke")
    assert to_make(project.root, generated, scale="smoke") == {"fixture", "corpus"}
    assert to_make(project.root, real) == set()


def test_the_folder_of_another_scale_is_refused(tmp_path):
    """Downloads above all: where they are, no rule of a scale with fixtures makes anything."""
    project = small_demo(tmp_path / "project")
    done = project.snakemake("-n", "results/1_corpus/ted_zh-en/0123456789/manifest.json")
    assert done.returncode == 2
    assert "did you mean 'ted_zh-en@smoke'?" in done.stderr
    done = project.snakemake("-n", "results/1_corpus/ted_zh-en/downloads")
    assert done.returncode == 1
    assert "MissingRuleException" in done.stdout + done.stderr
    generated = "results/1_corpus/ted_zh-en@smoke/0123456789/manifest.json"
    done = project.snakemake("-n", generated, "--config", "scale=paper")
    assert done.returncode == 2
    assert "did you mean 'ted_zh-en'?" in done.stderr
